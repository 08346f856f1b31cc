package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/reporter"
)

// writeVerdict tells a verdict: the file of --json first, so that what is shown
// was also kept.
func writeVerdict(std IO, f gateFlags, v gate.Verdict) error {
	data, err := indented(v)
	if err != nil {
		return withCode(exitInfra, err)
	}
	if f.jsonFile != "" && f.jsonFile != "-" {
		if err := durable.WriteFile(f.jsonFile, data, durable.Options{}); err != nil {
			return withCode(exitInfra, fmt.Errorf("--json: %w", err))
		}
	}
	text := std.Out
	if f.json || f.jsonFile == "-" {
		if _, err := std.Out.Write(data); err != nil {
			return withCode(exitInfra, err)
		}
		text = std.Err
	}
	return withCode(exitInfra, writeVerdictText(text, v))
}

// indented is v as the JSON that people can read too.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}

// verdictState says whether the rule spoke, or a guard before it.
func verdictState(v gate.Verdict) string {
	for _, d := range v.Suites {
		if gate.Guarded(d.Code) {
			return "guarded"
		}
	}
	return "judged"
}

// writeVerdictText writes one sentence a suite, then the numbers.
func writeVerdictText(w io.Writer, v gate.Verdict) error {
	width, tty := terminal(w)
	opts := reporter.TextOptions{Width: width, Color: tty && os.Getenv("NO_COLOR") == ""}
	return reporter.WriteDecisionText(w, reporter.Build(reporter.Input{Decisions: v.Suites, Verdict: v.Verdict}), opts)
}
