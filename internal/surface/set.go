package surface

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set is a set of protected files, given by globs.
type Set struct {
	prefix string // the project's folder in the repository: "" or one that ends in a slash
	globs  []glob
}

// glob is a pattern split at its slashes, as it was written and folded.
type glob struct{ exact, folded []string }

// New returns the files that any of globs matches. The globs are relative to
// prefix, the project's folder in the repository ("" is its top); those that
// begin with .github/ are relative to the top too, where forges look for
// workflows.
//
// Between slashes a glob is one of [path.Match]. A part that is ** stands for any
// number of folders, none included, so that "evals/**" is all below evals, and
// also evals itself where it is no folder; a trailing slash means the same.
// A file whose path differs from a matching one only in case matches too: on some
// file systems it is the same file.
func New(prefix string, globs []string) (Set, error) {
	prefix = strings.Trim(prefix, "/")
	if prefix != "" {
		prefix += "/"
	}
	s := Set{prefix: prefix}
	for _, text := range globs {
		parts := strings.Split(text, "/")
		if len(parts) > 1 && parts[len(parts)-1] == "" {
			parts[len(parts)-1] = "**"
		}
		for _, part := range parts {
			if _, err := path.Match(part, ""); err != nil || part == "" || part == "." || part == ".." {
				return Set{}, fmt.Errorf("surface: found the glob %q, need one below the project such as \"evals/**\"", text)
			}
		}
		s.globs = append(s.globs, glob{parts, strings.Split(fold(strings.Join(parts, "/")), "/")})
	}
	return s, nil
}

// Match reports whether the set holds the file at p, a path relative to the top
// of the repository.
func (s Set) Match(p string) bool {
	return s.any(p, func(g glob, rel []string) bool {
		return match(g.exact, rel) || match(g.folded, strings.Split(fold(strings.Join(rel, "/")), "/"))
	})
}

// below reports whether the set may hold a file in the folder at p.
func (s Set) below(p string) bool {
	if s.prefix != "" && strings.HasPrefix(fold(s.prefix), fold(p)+"/") {
		return true // on the way to the project
	}
	return s.any(p, func(g glob, rel []string) bool {
		return reach(g.folded, strings.Split(fold(strings.Join(rel, "/")), "/")) || reach(g.exact, rel)
	})
}

// any tries p, as the globs see it, on each of them.
func (s Set) any(p string, ok func(glob, []string) bool) bool {
	rel, inside := p, true
	if s.prefix != "" {
		if inside = len(p) > len(s.prefix) && fold(p[:len(s.prefix)]) == fold(s.prefix); inside {
			rel = p[len(s.prefix):]
		}
	}
	return slices.ContainsFunc(s.globs, func(g glob) bool {
		if inside && ok(g, strings.Split(rel, "/")) {
			return true
		}
		return s.prefix != "" && g.exact[0] == ".github" && ok(g, strings.Split(p, "/"))
	})
}

// match matches the parts of a path with those of a glob. It remembers, for the
// last ** only, how much that one has taken, which is enough: what a later **
// can reach, an earlier one need not try again.
func match(glob, parts []string) bool {
	g, p := 0, 0
	star, taken := -1, 0
	for p < len(parts) {
		switch {
		case g < len(glob) && glob[g] == "**":
			star, taken = g, p
			g++
			continue
		case g < len(glob) && matchPart(glob[g], parts[p]):
			g, p = g+1, p+1
			continue
		case star < 0:
			return false
		}
		taken++
		g, p = star+1, taken
	}
	for g < len(glob) && glob[g] == "**" {
		g++
	}
	return g == len(glob)
}

// reach reports whether some path below the folder of these parts may match.
func reach(glob, parts []string) bool {
	for i, part := range parts {
		switch {
		case i == len(glob):
			return false
		case glob[i] == "**":
			return true
		case !matchPart(glob[i], part):
			return false
		}
	}
	return len(glob) > len(parts)
}

func matchPart(glob, part string) bool {
	ok, err := path.Match(glob, part)
	return ok && err == nil
}

// fold makes paths that differ only in case equal. Bytes that are no UTF-8 stay
// as they are, so that different names stay different.
func fold(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			b.WriteByte(s[0])
		} else {
			b.WriteRune(unicode.ToLower(unicode.ToUpper(r)))
		}
		s = s[n:]
	}
	return b.String()
}
