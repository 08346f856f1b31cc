package workflow

import (
	"maps"
	"slices"

	"github.com/rhysd/actionlint"
)

// grants returns what p gives of one scope: "read", "write", "none", or "" when
// it does not say.
func grants(p *actionlint.Permissions, scope string) string {
	if p.All != nil {
		switch p.All.Value {
		case "write-all":
			return "write"
		case "read-all":
			return "read"
		}
		return p.All.Value
	}
	if s := p.Scopes[scope]; s != nil && s.Value != nil {
		return s.Value.Value
	}
	return ""
}

// writeScopes returns the scopes that p lets a token write, by name.
func writeScopes(p *actionlint.Permissions) []*actionlint.PermissionScope {
	var out []*actionlint.PermissionScope
	for _, name := range slices.Sorted(maps.Keys(p.Scopes)) {
		if s := p.Scopes[name]; s != nil && s.Name != nil && s.Value != nil && s.Value.Value != "read" && s.Value.Value != "none" {
			out = append(out, s)
		}
	}
	return out
}
