package workflow

import (
	"path"
	"strings"
	"unicode"
)

// command is the name of the program that the rules are about.
const command = "capeval-ci"

// commands returns the sub-commands with which a shell script calls capeval-ci,
// in order: "finalize" for `./bin/capeval-ci --format json finalize ./...`. A
// call without one is "". Comments and texts in quotes are no calls, unless a
// shell is told to run them.
func commands(script string) []string {
	var out []string
	words := split(script)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w.end:
		case w.quoted && strings.ContainsFunc(w.text, unicode.IsSpace):
			if i > 0 && (isShellFlag(words[i-1].text) || words[i-1].text == "eval") {
				out = append(out, commands(w.text)...)
			}
		case isCommand(w.text):
			out = append(out, subcommand(words[i+1:]))
		}
	}
	return out
}

// isShellFlag reports whether a shell runs the word after this one, as in
// `bash -euc "capeval-ci run"`.
func isShellFlag(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] != '-' && strings.HasSuffix(s, "c")
}

// isCommand reports whether a word names the program: by its name, a path, or a
// package with a version.
func isCommand(word string) bool {
	word, _, _ = strings.Cut(word, "@")
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(word, `\`, "/")), ".exe") == command
}

// subcommand is the first word after the program that is no flag.
func subcommand(words []word) string {
	for i := 0; i < len(words) && !words[i].end; i++ {
		switch text := words[i].text; {
		case text == "--format":
			i++
		case !strings.HasPrefix(text, "-"):
			return text
		}
	}
	return ""
}

// word is one word of a script, or the end of a simple command.
type word struct {
	text   string
	quoted bool
	end    bool
}

// split cuts a script into words as a shell does, roughly: quotes, escapes,
// continued lines, comments, and what ends a command or opens another.
func split(script string) []word {
	var out []word
	var b strings.Builder
	in, quoted := false, false
	flush := func() {
		if in {
			out = append(out, word{text: b.String(), quoted: quoted})
		}
		b.Reset()
		in, quoted = false, false
	}
	for i := 0; i < len(script); i++ {
		c := script[i]
		switch {
		case c == '\\' && i+1 < len(script):
			i++
			if script[i] == '\r' && i+1 < len(script) && script[i+1] == '\n' {
				i++
			}
			if script[i] != '\n' {
				b.WriteByte(script[i])
				in = true
			}
		case c == '\'' || c == '"':
			close := closing(script[i+1:], c)
			b.WriteString(script[i+1 : i+1+close])
			i += close + 1
			in, quoted = true, true
		case c == '#' && !in:
			for i+1 < len(script) && script[i+1] != '\n' {
				i++
			}
		case strings.IndexByte(";&|\n()`{}", c) >= 0 && !strings.HasSuffix(b.String(), "$"):
			flush()
			out = append(out, word{end: true})
		case c == '(': // $( opens a command
			flush()
			out = append(out, word{end: true})
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		default:
			b.WriteByte(c)
			in = true
		}
	}
	flush()
	return out
}

// closing is where the quote that q opened ends in s, the end of s when it does
// not.
func closing(s string, q byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && q == '"' {
			i++
		} else if s[i] == q {
			return i
		}
	}
	return len(s)
}
