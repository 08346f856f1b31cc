package merge

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// Shard is one suite of one run directory: what one job measured of it.
type Shard struct {
	Root string // the run directory
	Dir  rundir.Dir
	Run  record.Run

	trials []record.Trial // of a finished run; sorted, once they are read
	read   bool
	digest string // of the plan, "" until it is asked for
}

// plan returns the digest of what the run that the shard is of planned.
func (s *Shard) plan() string {
	if s.digest == "" {
		s.digest = rundir.PlanDigest(whole(s.Run))
	}
	return s.digest
}

// number returns which part of how many it is. A run that is no shard is the
// only part.
func (s *Shard) number() record.Shard {
	if s.Run.Shard == nil {
		return record.Shard{Index: 1, Count: 1}
	}
	return *s.Run.Shard
}

// String names the shard for messages.
func (s *Shard) String() string {
	return fmt.Sprintf("%s in %s", s.part(), s.Root)
}

func (s *Shard) part() string {
	if s.Run.Shard == nil {
		return "the whole run"
	}
	return fmt.Sprintf("shard %d/%d", s.Run.Shard.Index, s.Run.Shard.Count)
}

// compareAge orders the runs of one shard: the attempt of the job, then its
// start, then the id.
func compareAge(a, b *Shard) int {
	return cmp.Or(a.Run.Attempt-b.Run.Attempt, cmp.Compare(a.Run.Started, b.Run.Started), cmp.Compare(a.Run.ID, b.Run.ID))
}

// load reads the plans below the run directories. A suite that never came to its
// first trial has none, and is noted.
func load(roots []runDir, problems *Problems, note func(string, ...any)) []*Shard {
	var shards []*Shard
	for _, root := range roots {
		for _, d := range root.suites {
			run, err := d.ReadRun()
			switch {
			case errors.Is(err, fs.ErrNotExist):
				note("suite %s in %s never came to its first trial%s", d.Name, root.path, refusal(d))
			case err != nil:
				problems.add(kindOf(err), "%v", err)
			case filepath.Clean(rundir.Suite(root.path, run.Suite).Path) != filepath.Clean(d.Path):
				problems.add(Integrity, "%s holds suite %s, need the folder %s for it: it was renamed, or planted", d.Path, run.Suite, rundir.Suite(root.path, run.Suite).Path)
			default:
				shards = append(shards, &Shard{Root: root.path, Dir: d, Run: run})
			}
		}
	}
	return shards
}

func refusal(d rundir.Dir) string {
	if r, ok, err := d.ReadRefusal(); err == nil && ok {
		return ": " + r.Message
	}
	return ""
}
