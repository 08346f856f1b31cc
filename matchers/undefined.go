package matchers

import (
	"fmt"

	"github.com/capeval/capeval/record"
)

// The reasons why a quantity does not exist, each with what to do about it.

func whyNothingDeclared(r record.SplitResult) string {
	if r.NTasks == 0 {
		return "0 tasks declared, need 1; declare a task in this split, or look at the split that ran"
	}
	if r.NCells == 0 {
		return fmt.Sprintf("0 cells declared by %s, need 1; run with at least one trial", plural(r.NTasks, "task"))
	}
	return "the result does not hold it; write it again with capeval-ci result"
}

func whyNoReward(r record.SplitResult) string {
	if r.NTasks == 0 || r.NScored > 0 {
		return whyNothingDeclared(r)
	}
	return fmt.Sprintf("0 of %s scored, need 1%s; fix what made the trials missing and run them again", plural(r.NTasks, "task"), missingList(r))
}

func whyNoStderr(r record.SplitResult) string {
	switch {
	case r.NScored == 0:
		return whyNoReward(r)
	case r.NScored >= 2:
		return whyNothingDeclared(r)
	case len(r.PerTask) == 1 && r.PerTask[0].NValid < 2:
		return fmt.Sprintf("%s with %s, need 2 tasks, or 2 valid trials for one task alone; add tasks or trials",
			plural(r.NScored, "scored task"), plural(r.PerTask[0].NValid, "valid trial"))
	}
	return fmt.Sprintf("%s, need 2; add tasks, or ask about the task alone with ForTask", plural(r.NScored, "scored task"))
}

func whyNoPass(r record.SplitResult, k int) string {
	if r.NScored == 0 {
		return whyNoReward(r)
	}
	least, id := 0, ""
	for _, t := range r.PerTask {
		if t.NValid > 0 && (id == "" || t.NValid < least) {
			least, id = t.NValid, t.Task
		}
	}
	if least >= k || id == "" {
		return whyNothingDeclared(r)
	}
	return fmt.Sprintf("the smallest number of valid trials is %d (task %s), need %d; run at least %s a task, or ask for k <= %d",
		least, clean(id), k, plural(k, "trial"), least)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
