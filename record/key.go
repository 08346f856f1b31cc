package record

import (
	"cmp"
	"fmt"
	"slices"
)

// The values that a line takes where it does not say.
const (
	DefaultSuite = "default"
	DefaultSplit = Val
	DefaultArm   = "candidate"
)

// Key names what one result speaks of: a suite's split under an arm.
type Key struct {
	Suite string
	Split Split
	Arm   string
}

// String returns the three names in one line.
func (k Key) String() string {
	return fmt.Sprintf("suite %q, split %s, arm %q", k.Suite, k.Split, k.Arm)
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Suite, o.Suite), cmp.Compare(k.Split, o.Split), cmp.Compare(k.Arm, o.Arm))
}

// Key returns the suite, split and arm of t.
func (t Trial) Key() Key { return Key{t.Suite, t.Split, t.Arm} }

// Key returns the suite, split and arm of r.
func (r Run) Key() Key { return Key{r.Suite, r.Split, r.Arm} }

// Keys returns the distinct keys of trials, sorted by suite, split and arm.
func Keys(trials []Trial) []Key {
	seen := map[Key]bool{}
	var keys []Key
	for i := range trials {
		if k := trials[i].Key(); !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, Key.compare)
	return keys
}

// Select returns the trials under k, in their order.
func Select(trials []Trial, k Key) []Trial {
	var out []Trial
	for i := range trials {
		if trials[i].Key() == k {
			out = append(out, trials[i])
		}
	}
	return out
}
