package cli

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/rundir"
)

// commandName is the file of a run directory that says how it was made.
const commandName = "command.json"

const commandSchema = "capeval.command/v1"

// commandFile is command.json: what --resume repeats, so that the plan stays the
// same without the user repeating the flags.
type commandFile struct {
	Schema      string            `json:"schema"`
	ID          string            `json:"id"`
	Packages    []string          `json:"packages"`
	Settings    map[string]string `json:"settings"` // by key, those that the environment or flags gave
	LabelFilter string            `json:"label_filter"`
	Focus       []string          `json:"focus"`
	// Ended lists the packages whose last pass came to its end, sorted.
	// outcome.json alone does not say that: it is there before the assertions.
	Ended []string `json:"ended"`
}

// repeated reports whether --resume takes the setting of the first call: what
// makes the plan, and what bounds it.
func repeated(key string) bool {
	switch key {
	case "split", "trials", "base_seed", "arm", "shard", "procs", "workers", "budget_usd":
		return true
	}
	return false
}

// loadCommand reads how the run that is resumed was made. What the flags say
// now is stronger.
func (s *call) loadCommand() error {
	dirs, err := rundir.Suites(s.flags.resume)
	if err != nil {
		return fail(exitUsage, "--resume: %w", err)
	}
	data, err := os.ReadFile(filepath.Join(s.flags.resume, commandName))
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(dirs) == 0:
		return fail(exitUsage, "--resume: %s holds no run, need a run directory", s.flags.resume)
	case errors.Is(err, fs.ErrNotExist):
		if run, err := dirs[0].ReadRun(); err == nil {
			s.command.ID = run.ID
		}
		// The run was made without the command, which knows no more than this.
		s.written = commandFile{Schema: commandSchema, ID: s.command.ID, Packages: []string{}, Settings: map[string]string{}, Focus: []string{}}
		for _, d := range dirs {
			s.written.Packages = append(s.written.Packages, packageOf(d))
		}
		if len(s.command.Packages) == 0 {
			s.command.Packages = s.written.Packages
		}
		return nil
	case err != nil:
		return withCode(exitInfra, err)
	}
	var was commandFile
	if err := json.Unmarshal(data, &was); err != nil || was.Schema != commandSchema {
		return fail(exitIntegrity, "%s: found schema %q (%v), need %q", filepath.Join(s.flags.resume, commandName), was.Schema, err, commandSchema)
	}
	s.written = was
	if len(s.command.Packages) > 0 {
		was.Packages = s.command.Packages
	}
	if s.command.LabelFilter != "" {
		was.LabelFilter = s.command.LabelFilter
	}
	if len(s.command.Focus) > 0 {
		was.Focus = s.command.Focus
	}
	s.command = was
	return nil
}

// choosePlace chooses where the records go, and refuses a place that holds a
// run already, before anything is built.
func (s *call) choosePlace() error {
	if s.command.ID == "" {
		var entropy [10]byte
		_, _ = rand.Read(entropy[:])
		s.command.ID = rundir.NewID(time.Now(), entropy)
	}
	out := s.cfg.Run.RunDir
	switch {
	case s.flags.resume != "":
		place, err := filepath.EvalSymlinks(s.flags.resume) // runs/latest may come to point elsewhere
		if err != nil {
			return fail(exitUsage, "--resume: %w", err)
		}
		s.place = place
	case out.V != "":
		s.place = out.V
		dirs, err := rundir.Suites(out.V)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fail(exitUsage, "%s: %w", out.Origin, err)
		}
		if len(dirs) > 0 {
			return fail(exitUsage, "%s: %s already holds a run of suite %q, need another directory, or `capeval-ci run --resume %s`", out.Origin, out.V, dirs[0].Name, out.V)
		}
	default:
		s.place = s.cfg.Run.Out.V
		if !filepath.IsAbs(s.place) {
			s.place = filepath.Join(s.cfg.Root, s.place)
		}
		s.place = filepath.Join(s.place, s.command.ID)
	}
	return nil
}

// open makes the run directory, takes it for this command and writes how it is
// made.
func (s *call) open() error {
	root, err := rundir.Create(s.place)
	if err == nil {
		s.lock, err = lockDir(root)
	}
	if err != nil {
		return withCode(exitInfra, err)
	}
	if s.flags.resume != "" {
		s.root = root
		s.strangers()
		return forgetRefusals(root)
	}
	// A run that never began may have been here. It spent nothing.
	if err := os.Remove(filepath.Join(root, "cost.log")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return withCode(exitInfra, err)
	}
	if err := forgetRefusals(root); err != nil {
		return err
	}
	s.root = root
	return withCode(exitInfra, s.remember())
}

// remember writes command.json.
func (s *call) remember() error {
	c := s.command
	c.Schema, c.Packages = commandSchema, []string{}
	for _, p := range s.pkgs {
		c.Packages = append(c.Packages, p.ImportPath)
	}
	c.Settings = map[string]string{}
	for key, v := range s.settings() {
		if repeated(key) && v.layer >= config.LayerEnv {
			c.Settings[key] = v.text
		}
	}
	c.Focus, c.Ended = append([]string{}, c.Focus...), []string{}
	s.command, s.written = c, c
	return s.writeCommand()
}

func (s *call) writeCommand() error {
	data, err := json.MarshalIndent(s.written, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(s.root, commandName), append(data, '\n'), durable.Options{})
}

// markEnded notes whether the last pass of a package came to its end.
func (s *call) markEnded(pkg string, ended bool) error {
	c := &s.written
	if slices.Contains(c.Ended, pkg) == ended {
		return nil
	}
	if ended {
		c.Ended = append(c.Ended, pkg)
		slices.Sort(c.Ended)
	} else {
		c.Ended = slices.DeleteFunc(c.Ended, func(p string) bool { return p == pkg })
	}
	return s.writeCommand()
}

// strangers tells of suites in a resumed run that nobody asked for.
func (s *call) strangers() {
	dirs, err := rundir.Suites(s.root)
	if err != nil {
		return
	}
	for _, d := range dirs {
		if !slices.ContainsFunc(s.pkgs, func(p gotest.Package) bool { return owns(p, d) }) {
			s.say("suite %s stays as it is: its package %s is not among the packages", d.Name, packageOf(d))
		}
	}
}

// suiteOf returns the folder of the suite of package pkg; ok is false while
// there is none.
func suiteOf(root string, pkg gotest.Package) (d rundir.Dir, ok bool) {
	dirs, err := rundir.Suites(root)
	if err != nil {
		return d, false
	}
	for _, d := range dirs {
		if owns(pkg, d) {
			return d, true
		}
	}
	return d, false
}

// owns reports whether d holds the suite of pkg. Plain go test does not tell a
// suite its import path: such a run names the folder of the package.
func owns(pkg gotest.Package, d rundir.Dir) bool {
	name := packageOf(d)
	return name == pkg.ImportPath || name == pkg.Dir
}

// packageOf is the import path of the package whose suite d holds.
func packageOf(d rundir.Dir) string {
	for _, name := range []string{"run.json", "suite.json"} {
		data, err := os.ReadFile(filepath.Join(d.Path, name))
		var owner struct {
			Package string `json:"package"`
		}
		if err == nil && json.Unmarshal(data, &owner) == nil {
			return owner.Package
		}
	}
	return ""
}

// refusals returns what lies below root by way of refusals: path and content.
func refusals(root string) map[string]string {
	paths := map[string]string{}
	entries, _ := os.ReadDir(root)
	for _, e := range entries {
		path := filepath.Join(root, e.Name(), "refused.json")
		if data, err := os.ReadFile(path); err == nil {
			paths[path] = string(data)
		}
	}
	return paths
}

// forgetRefusals removes what an earlier call refused: every suite is asked
// again.
func forgetRefusals(root string) error {
	for path := range refusals(root) {
		if err := os.Remove(path); err != nil {
			return withCode(exitInfra, err)
		}
	}
	return nil
}
