package cli

import (
	"errors"
	"fmt"
	"strings"
)

// The exit codes. They are never renumbered.
const (
	exitOK        = 0   // accepted, or done
	exitRejected  = 1   // measured, and not better or regressed; an AfterSplit assertion failed; an ordinary spec is red
	exitUsage     = 2   // usage or configuration; a suite does not compile; a filter that selects nothing
	exitUnclear   = 3   // indecisive, not comparable, an assertion on an undefined quantity, below --min-coverage
	exitSealed    = 4   // sealed: refused, and this call ran no test trial
	exitIntegrity = 5   // integrity: records that contradict each other, another plan or commit, a tampered surface
	exitInfra     = 6   // infrastructure: everything missing, a dead process, network, permission, I/O
	exitUnsealed  = 7   // a look happened and no seal was committed
	exitInt       = 130 // SIGINT
	exitTerm      = 143 // SIGTERM
)

// exitHelp stands at the end of every help text.
const exitHelp = `Exit codes:
  0    accepted, or done
  1    rejected: measured, and not better or regressed; an AfterSplit assertion failed; an ordinary spec is red
  2    usage or configuration, a suite does not compile, a filter that selects nothing
  3    indecisive, not comparable, an assertion on an undefined quantity, below --min-coverage
  4    sealed: refused, and this call ran no test trial
  5    integrity: contradicting records, another plan or commit, a tampered surface
  6    infrastructure: everything missing, a dead process, network, permission, I/O
  7    a look at the test split happened and no seal was committed
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)
When several apply: 7, 5, 4, 6, 2, 1, 3. A signal comes before all but 7.
`

// worst returns the code that speaks when several apply: 7, 5, 4, 6, 2, 1, 3,
// then 0.
func worst(codes ...int) int {
	for _, code := range []int{exitUnsealed, exitInt, exitTerm, exitIntegrity, exitSealed, exitInfra, exitUsage, exitRejected, exitUnclear} {
		for _, c := range codes {
			if c == code {
				return code
			}
		}
	}
	return exitOK
}

// exitError ends a command with a code. Without an error everything has been
// said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// fail ends a command with a code and a message.
func fail(code int, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// withCode gives err the code, unless it is nil or has one.
func withCode(code int, err error) error {
	var e *exitError
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &exitError{code, err}
}

// quiet ends a command that has said everything.
func quiet(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// message is what is said about err: nothing when all has been said.
func message(err error) string {
	var e *exitError
	if errors.As(err, &e) && e.err == nil {
		return ""
	}
	return strings.TrimRight(err.Error(), "\n")
}

// codeOf is the exit code of err. What has no code of its own is a mistake in
// how the command was called.
func codeOf(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		return e.code
	}
	return exitUsage
}
