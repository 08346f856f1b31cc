package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// Schema names the form of merge.json.
const Schema = "capeval.merge/v1"

// Write writes the merged run below root, which is empty: a folder for each
// suite as the unsharded run has it, and merge.json, which says what it is made
// of. Rollouts are hard links where the file system has them.
func (m *Merged) Write(root string) error {
	for i := range m.Suites {
		if err := m.Suites[i].write(root); err != nil {
			return fmt.Errorf("suite %s: %w", m.Suites[i].Run.Suite, err)
		}
	}
	data, err := json.MarshalIndent(m.origin(), "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(root, "merge.json"), append(data, '\n'), durable.Options{})
}

func (s *Suite) write(root string) error {
	d := rundir.Suite(root, s.Run.Suite)
	outcome, err := s.outcome()
	return errors.Join(err, firstOf(
		func() error { return d.Claim(s.Run.Package) },
		func() error { return d.WriteRun(s.Run) },
		func() error { return d.WriteTrials(s.trials) },
		func() error { return d.WriteResult(s.Result) },
		func() error { return d.WriteOutcome(outcome) },
		func() error { return s.carry(d) },
	))
}

// firstOf runs steps until one fails.
func firstOf(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what the specs of the shards said. Ordinary specs ran in each of
// them and count once; assertions about the split ran in none, and a later pass
// owes them.
func (s *Suite) outcome() (rundir.Outcome, error) {
	all := rundir.Outcome{AfterSplitDeferred: true, Stopped: s.Run.Stopped}
	for _, sh := range s.Shards {
		o, ok, err := sh.Dir.ReadOutcome()
		if err != nil {
			return all, err
		}
		if ok {
			all.SpecsRed += o.SpecsRed - o.OrdinaryFailed
			all.OrdinaryFailed = max(all.OrdinaryFailed, o.OrdinaryFailed)
		}
	}
	all.SpecsRed += all.OrdinaryFailed
	return all, nil
}

// carry brings the rollouts of every shard's own cells over.
func (s *Suite) carry(to rundir.Dir) error {
	for _, sh := range s.Shards {
		made := false
		for _, c := range cells(sh.Run) {
			from := sh.Dir.RolloutPath(s.Run.Split, c.Task, s.Run.Arm, c.Trial)
			info, err := os.Lstat(from)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return Problems{{Integrity, fmt.Sprintf("%s: found %s, need a file: the rollout was planted", from, info.Mode().Type())}}
			}
			path := to.RolloutPath(s.Run.Split, c.Task, s.Run.Arm, c.Trial)
			if !made {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					return err
				}
				made = true
			}
			if err := link(from, path); err != nil {
				return err
			}
		}
	}
	return nil
}

// link makes path the file from, or a copy of it where there are no links from
// one to the other.
func link(from, path string) error {
	if os.Link(from, path) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// origin is merge.json.
type origin struct {
	Schema string       `json:"schema"`
	ID     string       `json:"id"`
	Shards []originPart `json:"shards"` // by suite and index
}

type originPart struct {
	Suite   string       `json:"suite"`
	Shard   record.Shard `json:"shard"`
	Run     string       `json:"run"`
	Attempt int          `json:"attempt"`
	Started string       `json:"started"`
	Ended   string       `json:"ended"`
	Workers int          `json:"workers"`
	Procs   int          `json:"procs"`
}

func (m *Merged) origin() origin {
	o := origin{Schema, m.ID, []originPart{}}
	for _, s := range m.Suites {
		for _, sh := range s.Shards {
			r := sh.Run
			o.Shards = append(o.Shards, originPart{r.Suite, sh.number(), r.ID, r.Attempt, r.Started, r.Ended, r.Workers, r.Procs})
		}
	}
	return o
}
