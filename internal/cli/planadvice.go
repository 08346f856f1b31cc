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
	effect, asked := d.Effect.Value()
	mde, reachable := d.MDE80.Value()
	switch {
	case !reachable && !asked:
		return fmt.Sprintf("no outcome of this design could reach alpha %s: take %s", d.Alpha, d.least())
	case !asked:
		return d.whichFirst()
	case reachable && mde <= effect:
		return fmt.Sprintf("this design is enough: it finds %s four times in five", decimalOf(effect))
	}
	n, _ := d.TasksForEffect.Value()
	tasks := fmt.Sprintf("%s at %s", countedMany(n, "task"), counted(d.Trials, "trial"))
	m, ok := d.TrialsForEffect.Value()
	if !ok {
		return fmt.Sprintf("add tasks: no number of trials on %s finds %s, since the change differs from task to task; take %s",
			counted(d.Tasks, "task"), decimalOf(effect), tasks)
	}
	trials := fmt.Sprintf("%s on these tasks", countedMany(m, "trial"))
	if byTasks, byTrials := n*float64(d.Trials), m*float64(d.Tasks); d.TaskSpread > 0 && byTasks < byTrials {
		return fmt.Sprintf("add tasks: %s find %s with %s an arm, where %s take %.0f", tasks, decimalOf(effect), countedMany(byTasks, "trial"), trials, byTrials)
	}
	return fmt.Sprintf("add trials or tasks: take %s, or %s; more tasks also say more about tasks like these", trials, tasks)
}

// least is the smallest design that could reach alpha.
func (d planDoc) least() string {
	tasks := fmt.Sprintf("%s at %s", counted(d.TasksToReach, "task"), counted(d.Trials, "trial"))
	if n, ok := d.TrialsToReach.Value(); ok {
		return fmt.Sprintf("%s on %s, or %s", countedMany(n, "trial"), counted(d.Tasks, "task"), tasks)
	}
	return tasks
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
		fmt.Fprintf(&b, "%-24s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("design", "%s x %s in each arm, alpha %s one-sided", counted(d.Tasks, "task"), counted(d.Trials, "trial"), d.Alpha)
	noise := "the worst there is"
	if d.VarianceFrom != "worst case" {
		noise = "as in " + plain(d.VarianceFrom)
	}
	line("noise of a trial", "variance %s, %s", stats.Defined(d.Variance).Format(3), noise)
	if d.TaskSpread > 0 {
		line("change by task", "standard deviation %s", decimalOf(d.TaskSpread))
	}
	line("can reach alpha", "%s; the least is %s", yesNo(d.ReachesAlpha), d.least())
	line("finds 4 times in 5", "%s", change(d.MDE80))
	line("- with twice the tasks", "%s", change(d.MDE80DoubleTasks))
	line("- with twice the trials", "%s", change(d.MDE80DoubleTrials))
	if effect, ok := d.Effect.Value(); ok {
		trials := "no number of trials is enough"
		if n, ok := d.TrialsForEffect.Value(); ok {
			trials = fmt.Sprintf("%s a task", countedMany(n, "trial"))
		}
		n, _ := d.TasksForEffect.Value()
		line("to find "+decimalOf(effect), "on %s: %s; at %s: %s", counted(d.Tasks, "task"), trials, counted(d.Trials, "trial"), countedMany(n, "task"))
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
	switch v, ok := e.Value(); {
	case !ok:
		return "nothing: no outcome could reach alpha"
	case v > 1:
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

// countedMany is counted for a number that may be beyond every int.
func countedMany(n float64, what string) string {
	if n == 1 {
		return counted(1, what)
	}
	return fmt.Sprintf("%.0f %ss", n, what)
}

// counted is a number with its noun.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
