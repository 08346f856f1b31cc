package agentexec

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Result is what a command left behind.
type Result struct {
	Stdout string // as captured; where it was cut, a line in the middle says how much
	Stderr string

	StdoutCut int64 // bytes of stdout that were not kept
	StderrCut int64

	ExitCode int    // -1 when the command was not started or was ended by a signal
	Signal   string // "signal: killed"; "" when the command exited by itself

	Elapsed time.Duration // from the start to the end of the process group
}

// longestWords is the number of bytes of stderr that an error quotes.
const longestWords = 300

// lastWords returns ": " and the last line of stderr that is not blank, cut to
// its end when long, or "".
func (r Result) lastWords() string {
	s := strings.TrimSpace(r.Stderr)
	if i := strings.LastIndexByte(s, '\n'); i >= 0 {
		s = s[i+1:]
	}
	if len(s) > longestWords {
		s = s[len(s)-longestWords:]
		for len(s) > 0 && !utf8.RuneStart(s[0]) {
			s = s[1:]
		}
		s = "... " + s
	}
	if s == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(s, "\uFFFD")
}
