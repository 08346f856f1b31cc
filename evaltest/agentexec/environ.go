package agentexec

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// own is the prefix of the names that belong to capeval: the run directory, the
// grant of the seal and the like, which no agent may see.
const own = "CAPEVAL_"

// environ returns the environment of the command for trial t.
func (c Command) environ(t Cell) ([]string, error) {
	var env []string
	for _, pair := range os.Environ() {
		// A leading = is a drive's working directory on Windows, kept as it is.
		name, _, _ := strings.Cut(pair[min(1, len(pair)):], "=")
		name = pair[:min(1, len(pair))] + name
		if c.inherits(name) {
			env = append(env, pair)
		}
	}
	for _, pair := range c.Env {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("found %q in Env, need NAME=value", pair)
		}
		if hasPrefixFold(name, own) {
			return nil, fmt.Errorf("found %s in Env: names that begin with %s are capeval's own, choose another", name, own)
		}
		env = append(env, pair)
	}
	return append(env,
		own+"SEED="+strconv.FormatInt(t.Seed(), 10),
		own+"TASK="+t.Task(),
		own+"TRIAL="+strconv.Itoa(t.Index())), nil
}

// inherits reports whether the command gets the test's own variable name.
func (c Command) inherits(name string) bool {
	if hasPrefixFold(name, own) || matchesAny(c.DenyEnv, name) {
		return false
	}
	return c.AllowEnv == nil || matchesAny(c.AllowEnv, name)
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(name, prefix) || p == name {
			return true
		}
	}
	return false
}

// hasPrefixFold ignores case, because Windows does.
func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
