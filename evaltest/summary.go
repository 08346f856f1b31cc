package evaltest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/record"
)

// summary is what plain go test shows, with -v or on failure.
func summary(r record.SplitResult, run record.Run, root string, late int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ncapeval: %s\n", r)
	if r.NMissing > 0 {
		fmt.Fprintf(&b, "capeval: %d of %d cells are missing %s; the reward lies within %s..%s if every one were 0 or 1\n",
			r.NMissing, r.NCells, causes(r), r.Bounds.Low.Format(3), r.Bounds.High.Format(3))
	}
	if run.Subset {
		fmt.Fprintf(&b, "capeval: this is a subset of the plan: it can be compared with nothing\n")
	}
	if run.Stopped != "" {
		fmt.Fprintf(&b, "capeval: stopped early: %s\n", run.Stopped)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "capeval: warning: %s\n", w.Message)
	}
	if late > 0 {
		fmt.Fprintf(&b, "capeval: %d calls came after their trial had ended and changed nothing\n", late)
	}
	fmt.Fprintf(&b, "capeval: records: %s\n", root)
	return b.String()
}

func sortedCauses(r record.SplitResult) []record.Cause {
	var out []record.Cause
	for c := range r.ByCause {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// CurrentTrial returns the trial that the calling goroutine works for: in its
// body, in its hooks, and in goroutines that these started. It is nil elsewhere.
func CurrentTrial() *Trial {
	if o, _, ok := whose(); ok {
		return o.trial
	}
	if c := here.cellOf(ginkgo.CurrentSpecReport()); c != nil {
		return c.trial
	}
	return nil
}
