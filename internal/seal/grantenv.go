package seal

import (
	"slices"
	"strings"
)

// GrantVariable holds the path of the grant file. It holds nothing secret.
const GrantVariable = "CAPEVAL_SEAL_GRANT"

// tokens are the variables that open the ledger or the forge. Those that end in
// an underscore are prefixes.
func tokens() []string {
	return []string{
		"GITHUB_TOKEN", "GH_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN", "CAPEVAL_LEDGER_TOKEN",
		"ACTIONS_ID_TOKEN_REQUEST_", "ACTIONS_RUNTIME_TOKEN", "GIT_CONFIG_",
		"CI_JOB_TOKEN", "CI_REPOSITORY_URL", // GitLab's; the address holds the token
	}
}

// ChildEnv returns environ for the processes of a sealed suite: without the
// variables that open the ledger or the forge, which are the job's own, and with
// the path of the grant, or without one when grantPath is "".
func ChildEnv(environ []string, grantPath string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return name == GrantVariable || slices.ContainsFunc(tokens(), func(t string) bool {
			return name == t || strings.HasSuffix(t, "_") && strings.HasPrefix(name, t)
		})
	})
	if grantPath != "" {
		env = append(env, GrantVariable+"="+grantPath)
	}
	return env
}
