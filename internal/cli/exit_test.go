package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Where several codes apply: 7, 5, 4, 6, 2, 1, 3; a signal is told before all
// but a look that was not sealed.
func TestWorst(t *testing.T) {
	order := []int{7, 130, 5, 4, 6, 2, 1, 3, 0}
	for i, code := range order {
		for j, other := range order {
			want := code
			if j < i {
				want = other
			}
			if got := worst(code, other, 0); got != want {
				t.Errorf("worst(%d, %d) = %d, want %d", code, other, got, want)
			}
		}
		if code != exitOK && !strings.Contains(exitHelp, fmt.Sprintf("\n  %-5d", code)) {
			t.Errorf("the help does not list exit code %d", code)
		}
	}
	if got := worst(); got != exitOK {
		t.Errorf("nothing applies: %d, want 0", got)
	}
}

func TestCodeOf(t *testing.T) {
	check := func(err error, want int) {
		t.Helper()
		if got := codeOf(err); got != want {
			t.Errorf("%v: code %d, want %d", err, got, want)
		}
	}
	check(nil, 0)
	check(errors.New("unknown flag"), 2) // cobra's
	check(fail(5, "planted"), 5)
	check(fmt.Errorf("result: %w", fail(5, "planted")), 5)
	check(withCode(6, fail(5, "planted")), 5) // the first code stays
	check(withCode(6, errors.New("disk full")), 6)
	check(withCode(6, nil), 0)
	check(quiet(3), 3)
	check(quiet(0), 0)
	if text := message(quiet(3)); text != "" {
		t.Errorf("everything had been said, and then %q", text)
	}
}

// broken is an output that nobody can write to.
type broken struct{}

func (broken) Write([]byte) (int, error) { panic("the terminal is gone") }

// A panic is code 6, never 1: it says nothing about the agent.
func TestPanic(t *testing.T) {
	var said bytes.Buffer
	if code := Main([]string{"--help"}, IO{Out: broken{}, Err: &said}); code != exitInfra {
		t.Errorf("code %d, want 6", code)
	}
	if !strings.Contains(said.String(), "panic: the terminal is gone") || !strings.Contains(said.String(), "not in what it measured") {
		t.Errorf("said %q", said.String())
	}
}
