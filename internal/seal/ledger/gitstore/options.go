package gitstore

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// DefaultRef is a branch, because only branches and tags can be protected.
const DefaultRef = "refs/heads/capeval-ledger"

// Options say where a ledger lies.
type Options struct {
	// Dir is a folder in the repository; "" means the current one.
	Dir string
	// Remote is a remote's name or its URL; unused by OpenLocal.
	Remote string
	// Ref is the full name of the ref; "" means DefaultRef.
	Ref string
	// Mirror is a folder of our own to keep what was fetched in; "" means a
	// temporary one that Close removes. Unused by OpenLocal.
	Mirror string
	// Timeout ends one call of git; 0 means two minutes.
	Timeout time.Duration
	// Env is the environment of git; nil means that of the process.
	Env []string
}

func (o Options) complete() (Options, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Ref == "" {
		o.Ref = DefaultRef
	}
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Minute
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	parts := strings.Split(o.Ref, "/")
	if len(parts) < 3 || parts[0] != "refs" || strings.ContainsAny(o.Ref, " \t\n:?*[\\^~") || strings.Contains(o.Ref, "..") {
		return o, fmt.Errorf("gitstore: found ref %q, need a full name such as %s", o.Ref, DefaultRef)
	}
	if strings.HasPrefix(o.Remote, "-") {
		return o, fmt.Errorf("gitstore: found remote %q, need a name or a URL", o.Remote)
	}
	return o, nil
}
