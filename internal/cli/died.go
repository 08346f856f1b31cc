package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/capeval/capeval/record"
)

// whoDied names the processes that have a trial without an end in their
// journals. It is asked before the journals are merged.
func (r *suiteRun) whoDied() string {
	text := fmt.Sprintf("a test process of %s died before the suite was through (%s)", r.pkg(), r.exit.State)
	paths, _ := filepath.Glob(filepath.Join(r.dir.Path, "journal", "*.jsonl"))
	slices.Sort(paths)
	var who []string
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		trials, starts, err := record.ReadJournal(f, path)
		_ = f.Close()
		var torn *record.Torn
		if err != nil && !errors.As(err, &torn) {
			continue
		}
		process, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "p"), "-")
		for _, s := range starts {
			ended := slices.ContainsFunc(trials, func(t record.Trial) bool {
				return t.Task == s.Task && t.Trial == s.Trial && t.Attempt == s.Attempt
			})
			if !ended {
				who = append(who, fmt.Sprintf("process %s during trial %d of task %q", process, s.Trial, s.Task))
			}
		}
	}
	if len(who) == 0 {
		return text + ", between two trials"
	}
	const most = 5
	if n := len(who) - most; n > 0 {
		who = append(who[:most], fmt.Sprintf("and %d more", n))
	}
	return text + ": " + strings.Join(who, ", ")
}
