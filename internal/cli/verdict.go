package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/reporter"
)

// tell tells a verdict: the files first, so that what is shown was also kept. The
// text goes to standard error where standard output holds something else.
func (f gateFlags) tell(std IO, cfg config.Report, v gate.Verdict, in reporter.Input) error {
	data, err := indented(v)
	if err != nil {
		return withCode(exitInfra, err)
	}
	in.Decisions, in.Verdict = v.Suites, v.Verdict
	doc := reporter.Build(in)
	if f.json && f.jsonFile != "-" {
		if _, err := std.Out.Write(data); err != nil {
			return withCode(exitInfra, err)
		}
	}
	err = put(std, place{"json", f.jsonFile}, func(b *bytes.Buffer) error { b.Write(data); return nil })
	if err == nil {
		err = f.documents.write(std, doc, cfg)
	}
	if err != nil {
		return err
	}
	text := std.Out
	if f.json || slices.Contains([]string{f.jsonFile, f.junit, f.markdown}, "-") {
		text = std.Err
	}
	width, tty := terminal(text)
	opts := reporter.TextOptions{Width: width, Color: tty && os.Getenv("NO_COLOR") == ""}
	return withCode(exitInfra, reporter.WriteDecisionText(text, doc, opts))
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
