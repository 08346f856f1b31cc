package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/capeval/capeval/stats"
)

// advise says in a sentence what to do.
func (d planDoc) advise() string {
	if !d.ReachesAlpha {
		return fmt.Sprintf("no outcome of this design could reach alpha %s: take %s on these tasks, or %s at %s",
			d.Alpha, counted(d.TrialsToReach, "trial"), counted(d.TasksToReach, "task"), counted(d.Trials, "trial"))
	}
	if !d.Effect.Defined() {
		return d.whichFirst()
	}
	effect, _ := d.Effect.Value()
	if mde, _ := d.MDE80.Value(); mde <= effect {
		return fmt.Sprintf("this design is enough: it finds %s four times in five", decimalOf(effect))
	}
	tasks, _ := d.TasksForEffect.Value()
	trials, ok := d.TrialsForEffect.Value()
	if !ok {
		return fmt.Sprintf("add tasks: no number of trials on %s finds %s, since the change differs from task to task; take %s at %s",
			counted(d.Tasks, "task"), decimalOf(effect), counted(int(tasks), "task"), counted(d.Trials, "trial"))
	}
	alternatives := fmt.Sprintf("%s on these tasks, or %s at %s", counted(int(trials), "trial"), counted(int(tasks), "task"), counted(d.Trials, "trial"))
	byTrials, byTasks := trials*float64(d.Tasks), tasks*float64(d.Trials)
	if d.TaskSpread > 0 && byTasks < byTrials {
		return fmt.Sprintf("add tasks: take %s; the tasks are the cheaper way, %.0f trials an arm against %.0f", alternatives, byTasks, byTrials)
	}
	return fmt.Sprintf("add trials or tasks: take %s; more tasks also say more about tasks like these", alternatives)
}

// whichFirst says whether tasks or trials do more, where no effect is asked
// about.
func (d planDoc) whichFirst() string {
	tasks, _ := d.MDE80DoubleTasks.Value()
	trials, _ := d.MDE80DoubleTrials.Value()
	if trials-tasks > 0.0005 { // less is not seen at three decimals
		return "to find less, add tasks before trials: the change differs from task to task"
	}
	return "to find less, add trials or tasks: both do the same here, and more tasks also say more about tasks like these"
}

// writePlanText writes the numbers of a plan, and the advice.
func writePlanText(w io.Writer, d planDoc) error {
	var b bytes.Buffer
	line := func(label, format string, args ...any) {
		fmt.Fprintf(&b, "%-20s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("design", "%s x %s in each arm, alpha %s one-sided", counted(d.Tasks, "task"), counted(d.Trials, "trial"), d.Alpha)
	noise := "the worst there is"
	if d.VarianceFrom != "worst case" {
		noise = "as in " + d.VarianceFrom
	}
	line("noise of a trial", "variance %s, %s", stats.Defined(d.Variance).Format(3), noise)
	if d.TaskSpread > 0 {
		line("change by task", "standard deviation %s", decimalOf(d.TaskSpread))
	}
	line("can reach alpha", "%s; the least is %s on %s, or %s at %s", yesNo(d.ReachesAlpha),
		counted(d.TrialsToReach, "trial"), counted(d.Tasks, "task"), counted(d.TasksToReach, "task"), counted(d.Trials, "trial"))
	line("finds 4 times in 5", "%s", change(d.MDE80))
	line("  with twice the tasks", "%s", change(d.MDE80DoubleTasks))
	line("  ... twice the trials", "%s", change(d.MDE80DoubleTrials))
	if effect, ok := d.Effect.Value(); ok {
		trials := "no number of trials is enough"
		if n, ok := d.TrialsForEffect.Value(); ok {
			trials = fmt.Sprintf("%s a task", counted(int(n), "trial"))
		}
		n, _ := d.TasksForEffect.Value()
		line("to find "+decimalOf(effect), "on %s: %s; at %s: %s", counted(d.Tasks, "task"), trials, counted(d.Trials, "trial"), counted(int(n), "task"))
	}
	fmt.Fprintf(&b, "\n%s\n", d.Advice)
	_, err := w.Write(b.Bytes())
	return err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// change writes a detectable effect. Rewards cannot differ by more than 1.
func change(e stats.Estimate) string {
	if v, ok := e.Value(); ok && v > 1 {
		return "nothing: a change above 1 does not exist"
	}
	return "a change of " + e.Format(3)
}

// namesOf lists the suites of an arm.
func namesOf(a arm) string {
	var names []string
	for _, m := range a.suites {
		names = append(names, m.result.Suite+" "+string(m.result.Split))
	}
	return strings.Join(names, ", ")
}

// counted is a number with its noun.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
