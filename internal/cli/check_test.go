package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/config"
)

func TestGitVersion(t *testing.T) {
	check := func(text string, major, minor int, want bool) {
		t.Helper()
		a, b, ok := gitVersion(text)
		if a != major || b != minor || ok != want {
			t.Errorf("%q: got %d.%d %v", text, a, b, ok)
		}
	}
	check("git version 2.39.5\n", 2, 39, true)
	check("git version 2.50.1 (Apple Git-155)\n", 2, 50, true)
	check("git version 2.47.0.windows.2\n", 2, 47, true)
	check("git version 3.0\n", 3, 0, true)
	check("hub version 2", 0, 0, false)
	check("git version 99999999999999999999.1", 1<<63-1, 1, false)
}

// TestLedgerHook: the ledger is read by whoever the command is given, once a
// genesis is pinned.
func TestLedgerHook(t *testing.T) {
	pinned := config.Defaults()
	pinned.Seal.Genesis.V = strings.Repeat("0", 40)
	check := func(cfg config.Config, ledger func(context.Context, config.Config) (string, error), text, code string, exit int) {
		t.Helper()
		c := &checking{checkCommand: &checkCommand{ledger: ledger}, cfg: cfg}
		c.readLedger(context.Background())
		d := c.document()
		if d.Checks[0].Text != text || d.Code != exit {
			t.Errorf("got %q and %d, want %q and %d", d.Checks[0].Text, d.Code, text, exit)
		}
		got := ""
		if len(d.Findings) > 0 {
			got = d.Findings[0].Code
		}
		if got != code {
			t.Errorf("found %q, want %q", got, code)
		}
	}
	never := func(context.Context, config.Config) (string, error) {
		t.Error("a ledger that is not configured was read")
		return "", nil
	}
	check(config.Defaults(), never, "no ledger configured", "S24", exitOK)
	check(pinned, func(_ context.Context, cfg config.Config) (string, error) {
		return "3 looks on " + cfg.Seal.Remote.V, nil
	}, "3 looks on origin", "", exitOK)
	check(pinned, func(context.Context, config.Config) (string, error) { return "unreachable", errors.New("no route") }, "unreachable", "ledger", exitInfra)
	check(pinned, func(context.Context, config.Config) (string, error) {
		return "rewound", fail(exitIntegrity, "the ledger ends at #3")
	}, "rewound", "ledger", exitIntegrity)
}

// TestCheckText: whatever stands in a file, the text stays one that a terminal
// only shows, and a line for each finding.
func TestCheckText(t *testing.T) {
	c := &checking{checkCommand: &checkCommand{}, cfg: config.Defaults()}
	c.row("leaks", "text")
	c.find(checkFinding{Check: "leaks", Level: levelWarning, Code: "w", File: "a\x1b[31m", Line: 3, Found: "one\ntwo", Need: "three", Hint: "+ four\n- five"})
	c.find(checkFinding{Check: "leaks", Level: levelProblem, Code: "p", Found: "first", exit: exitUsage})
	c.find(checkFinding{Check: "leaks", Level: levelProblem, Code: "p", Found: "first", exit: exitUsage})
	d := c.document()
	var b bytes.Buffer
	d.text(&b, true)
	const want = "\nproblem: first [p]\nwarning: a\ufffd[31m:3: one\n    two; needed: three [w]\n    + four\n    - five\n\nproblems: 1 problem, 1 warning\n"
	if !strings.HasSuffix(b.String(), want) || d.Code != exitUsage || d.Checks[0].State != levelProblem {
		t.Errorf("code %d, state %s:\n%s\nwant the end\n%s", d.Code, d.Checks[0].State, b.String(), want)
	}
}

// FuzzTaskRow: a row's digest depends neither on the order of its keys nor on its
// id and split.
func FuzzTaskRow(f *testing.F) {
	f.Add(`"x"`, `1.50`)
	f.Add(`{"b":1,"a":[12345678901234567890,1e400,-0]}`, `null`)
	f.Add(`"\u2028<&>\ud800"`, `[]`)
	f.Fuzz(func(t *testing.T, a, b string) {
		row := func(text string) (string, bool) {
			_, _, digest, ok := readTaskRow([]byte(text))
			return digest, ok
		}
		one, ok := row(`{"id":"a","split":"val","p":` + a + `,"q":` + b + `}`)
		if !ok || strings.ContainsAny(a+b, "{}") {
			t.Skip()
		}
		two, ok := row(`{"q":` + b + `,"id":7,"p":` + a + `}`)
		if !ok || one != two {
			t.Errorf("%s and %s: %s and %s", a, b, one, two)
		}
	})
}
