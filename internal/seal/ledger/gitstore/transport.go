package gitstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/capeval/capeval/internal/seal/ledger"
)

// setting is one value of git's configuration, in the order of its sources.
type setting struct{ key, value string }

// settings returns the configuration of the user's repository as git sees it
// there, with everything that is included, conditional or handed over by the
// environment.
func (g *git) settings(ctx context.Context) ([]setting, error) {
	text, err := g.out(ctx, nil, "config", "--includes", "--null", "--list")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
	}
	var all []setting
	for _, item := range strings.Split(strings.TrimSuffix(text, "\x00"), "\x00") {
		key, value, has := strings.Cut(item, "\n")
		if !has {
			value = "true" // a key without a value
		}
		if key != "" {
			all = append(all, setting{key, value})
		}
	}
	return all, nil
}

// transport returns the settings that say how to reach remote, and no other: a
// hook, a signature, a filter or a refspec of the user must not touch the ledger.
func transport(all []setting, remote string) []setting {
	var out []setting
	for _, s := range all {
		if reaches(s.key, remote) {
			out = append(out, s)
		}
	}
	return out
}

// reaches says whether key is about reaching remote. Section and name of a key
// are in lower case here, a subsection is as the user wrote it.
func reaches(key, remote string) bool {
	for _, section := range []string{"http.", "credential.", "url.", "protocol.", "ssh."} {
		if strings.HasPrefix(key, section) {
			return true
		}
	}
	switch key {
	case "core.sshcommand", "core.askpass", "core.gitproxy", "transfer.credentialsinurl":
		return true
	}
	name, ok := strings.CutPrefix(key, "remote."+remote+".")
	if !ok {
		return false
	}
	switch name {
	case "url", "pushurl", "proxy", "proxyauthmethod", "uploadpack", "receivepack", "vcs":
		return true
	}
	return false
}

// asEnv hands settings over by the environment, so that no token is written to
// the disk.
func asEnv(settings []setting) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	return env
}

// safeFolders returns a configuration file that trusts the folders that the user
// trusts: git believes that from a file alone, and a remote that is a folder of
// another user needs it.
func safeFolders(all []setting) string {
	var b strings.Builder
	b.WriteString("[safe]\n")
	for _, s := range all {
		if s.key == "safe.directory" {
			fmt.Fprintf(&b, "\tdirectory = %s\n", quoted(s.value))
		}
	}
	return b.String()
}

// quoted writes a value as a configuration file has it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// value returns the last value of key.
func value(all []setting, key string) string {
	v := ""
	for _, s := range all {
		if s.key == key {
			v = s.value
		}
	}
	return v
}

// named says whether all has a remote of this name, or it must be a URL or path.
func named(all []setting, remote string) bool {
	return value(all, "remote."+remote+".url") != ""
}
