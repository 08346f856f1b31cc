package record

import (
	"fmt"
	"strconv"
	"strings"
)

// String returns a short line for messages: suite, split, reward with its
// interval, and how much of the plan it rests on.
func (r SplitResult) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Suite, r.Split)
	if r.Arm != "" && r.Arm != DefaultArm {
		fmt.Fprintf(&b, " (%s)", r.Arm)
	}
	fmt.Fprintf(&b, ": reward %s", r.Reward.Format(3))
	if r.CI.Low.Defined() {
		level := strconv.FormatFloat(100*r.CI.Level, 'g', 6, 64)
		fmt.Fprintf(&b, " (%s%% %s..%s, %s)", level, r.CI.Low.Format(2), r.CI.High.Format(2), r.CI.Method)
	} else {
		b.WriteString(" (no interval below 2 scored tasks)")
	}
	fmt.Fprintf(&b, ", %d/%d tasks, %d/%d cells", r.NScored, r.NTasks, r.NCells-r.NMissing, r.NCells)
	if r.Subset {
		b.WriteString(", a subset")
	}
	return b.String()
}
