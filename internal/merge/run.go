package merge

import (
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// joinRuns returns what the unsharded run would have planned. Of what describes
// the execution it takes the earliest start, the latest end ("" while one has
// none), the largest number of workers, processes and attempts, and a dirty
// tree where one was.
func joinRuns(shards []*Shard) record.Run {
	run := whole(shards[0].Run)
	var stopped []string
	ended := true
	for _, s := range shards {
		r := s.Run
		run.Workers, run.Procs, run.Attempt = max(run.Workers, r.Workers), max(run.Procs, r.Procs), max(run.Attempt, r.Attempt)
		run.Subset = run.Subset || r.Subset
		run.Git.Dirty = run.Git.Dirty || r.Git.Dirty
		run.Started, run.Ended = min(run.Started, r.Started), max(run.Ended, r.Ended)
		ended = ended && r.Ended != ""
		if filepath.IsAbs(run.Package) && !filepath.IsAbs(r.Package) {
			run.Package = r.Package
		}
		if r.Stopped != "" && !slices.Contains(stopped, r.Stopped) {
			stopped = append(stopped, r.Stopped)
		}
	}
	if !ended {
		run.Ended = ""
	}
	run.Stopped = strings.Join(stopped, "; ")
	deselected := map[record.Cell]bool{}
	for _, s := range shards {
		for _, p := range s.Run.Plan {
			for _, k := range p.Deselected {
				deselected[record.Cell{Task: p.Task, Trial: k}] = true
			}
		}
	}
	for i := range run.Plan {
		p := &run.Plan[i]
		for k := range p.Trials {
			if deselected[record.Cell{Task: p.Task, Trial: k}] {
				p.Deselected = append(p.Deselected, k)
			}
		}
	}
	return run
}

// runID is the id of the shards where all have one, else one that follows from
// their ids and the earliest start: it sorts where the run belongs.
func (m *Merged) runID() string {
	var ids []string
	started := ""
	for _, s := range m.Suites {
		for _, sh := range s.Shards {
			ids = append(ids, sh.Run.ID)
			if started == "" || sh.Run.Started < started {
				started = sh.Run.Started
			}
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 1 {
		return ids[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	at, err := time.Parse(time.RFC3339, started)
	if err != nil {
		at = time.Unix(0, 0) // a start that says nothing sorts first
	}
	return rundir.NewID(at, [10]byte(sum[:10]))
}
