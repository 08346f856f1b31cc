package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// write prints the document: one object, or one table and a line for each
// finding.
func (k *checkCommand) write(d checkDoc) error {
	var b bytes.Buffer
	if k.json {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(d); err != nil {
			return err
		}
	} else {
		d.text(&b, k.hints)
	}
	_, err := k.std.Out.Write(b.Bytes())
	return err
}

func (d checkDoc) text(b *bytes.Buffer, hints bool) {
	table(b, "", func(row func(...string)) {
		row("check", "state", "what")
		for _, r := range d.Checks {
			row(r.Name, r.State, plain(r.Text))
			switch r.Name {
			case "configuration":
				d.settings(row)
			case "suites":
				d.suites(row)
			}
		}
	})
	if len(d.Findings) > 0 {
		fmt.Fprintln(b)
	}
	for _, f := range d.Findings {
		line := f.Level + ": "
		if at := f.place(); at != "" {
			line += at + ": "
		}
		line += strings.ReplaceAll(strings.TrimRight(f.Found, "\n"), "\n", "\n  ")
		if f.Need != "" {
			line += "; needed: " + f.Need
		}
		for i, part := range strings.Split(line+" ["+f.Code+"]", "\n") {
			if i > 0 {
				fmt.Fprint(b, "  ")
			}
			fmt.Fprintln(b, plain(part))
		}
		if hints && f.Hint != "" {
			for part := range strings.SplitSeq(f.Hint, "\n") {
				fmt.Fprintln(b, "    "+plain(part))
			}
		}
	}
	problems, warnings := 0, 0
	for _, f := range d.Findings {
		if f.Level == levelProblem {
			problems++
		} else {
			warnings++
		}
	}
	fmt.Fprintf(b, "\n%s: %s, %s\n", d.State, counted(problems, "problem"), counted(warnings, "warning"))
}

// settings shows what somebody chose; the rest is as documented.
func (d checkDoc) settings(row func(...string)) {
	left := 0
	for _, s := range d.Settings {
		if s.Origin == "default" {
			left++
			continue
		}
		row("  "+plain(s.Key), plain(s.Origin), plain(s.Value))
	}
	row(fmt.Sprintf("  (%d more)", left), "default", "--format json lists them")
}

func (d checkDoc) suites(row func(...string)) {
	number := func(n *int) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	for _, s := range d.Suites {
		name, test := s.Suite, number(s.Test)
		if s.Test == nil && s.TestKnown > 0 {
			test = fmt.Sprintf("%d or more", s.TestKnown)
		}
		if name == "" {
			name = "-"
		}
		row("  "+plain(name), "", fmt.Sprintf("train %s, val %s, test %s (%s)", number(s.Train), number(s.Val), test, s.Package))
	}
}
