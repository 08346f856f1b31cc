package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/capeval/capeval/gate"
)

// aaShown is how many tasks the text of aa names.
const aaShown = 10

// writeAAText writes a table of rules for each suite, the noise floor and the
// tasks that vary most.
func writeAAText(w io.Writer, d aaDoc) error {
	var b bytes.Buffer
	for i, s := range d.Suites {
		if i > 0 {
			fmt.Fprintln(&b)
		}
		s.write(&b)
	}
	fmt.Fprintln(&b, "\nThe agent is the same in every run, so whatever a rule claims is a false alarm:\nfor no-regression and non-inferior a rejection, for the others an acceptance.\nPairs share runs: with few runs the rates are rough.")
	if !d.MarginGiven {
		fmt.Fprintf(&b, "%s is left out: it needs --margin.\n", gate.RuleNonInferior)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (s aaSuite) write(b *bytes.Buffer) {
	compared := len(s.Pairs) - len(s.NotCompared)
	fmt.Fprintf(b, "%s %s: %d of %s compared\n\n", plain(s.Suite), s.Split, compared, counted(len(s.Pairs), "ordered pair"))
	table(b, "", func(row func(...string)) {
		row("rule", "false alarms", "rate", "accepted", "rejected", "indecisive")
		for _, r := range s.Rules {
			rate := "-"
			if v, ok := r.Rate.Value(); ok {
				rate = fmt.Sprintf("%.1f %%", 100*v)
			}
			row(r.Rule, fmt.Sprintf("%d of %d", r.FalseAlarms, r.Pairs), rate, fmt.Sprint(r.Accepted), fmt.Sprint(r.Rejected), fmt.Sprint(r.Indecisive))
		}
	})
	if len(s.Rules) > 0 {
		fmt.Fprintf(b, "\nnoise floor: two runs differ by %s on average and by up to %s\n", s.Noise.MeanDelta.Format(3), s.Noise.MaxDelta.Format(3))
	}
	s.writeTasks(b)
	for _, n := range s.NotCompared {
		fmt.Fprintf(b, "not compared: %s with %s: %s (%s)\n", plain(n.Candidate), plain(n.Baseline), plain(n.Message), n.Code)
	}
}

func (s aaSuite) writeTasks(b *bytes.Buffer) {
	if len(s.Tasks) == 0 {
		return
	}
	varying := 0
	for _, t := range s.Tasks {
		if v, _ := t.Spread.Value(); v > 0 {
			varying++
		}
	}
	fmt.Fprintf(b, "tasks whose reward differs between runs: %d of %d\n", varying, len(s.Tasks))
	shown := s.Tasks[:min(varying, aaShown)]
	if len(shown) == 0 {
		return
	}
	table(b, "  ", func(row func(...string)) {
		row("task", "lowest", "highest", "spread")
		for _, t := range shown {
			row(plain(t.Task), t.Low.Format(3), t.High.Format(3), t.Spread.Format(3))
		}
	})
	if more := varying - len(shown); more > 0 {
		fmt.Fprintf(b, "  and %d more\n", more)
	}
}

// table writes rows as columns that are aligned left.
func table(b *bytes.Buffer, indent string, rows func(row func(...string))) {
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	rows(func(cells ...string) { fmt.Fprintln(t, indent+strings.Join(cells, "\t")) })
	_ = t.Flush() // a buffer takes everything
}

// plain is s in characters that a terminal only shows: ids and messages come
// from records.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}
