package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// declared is a suite and the tasks that it declares.
type declared struct {
	pkg     gotest.Package
	bin     gotest.Binary
	name    string // "" while no run told it: a suite whose tasks are all sealed never does
	plans   map[record.Split]record.Run
	refused bool
	sealed  *int // test tasks, nil where no run told

	files []taskFile // the files of TasksFrom
}

func (s *declared) summary() checkSuite {
	out := checkSuite{Suite: s.name, Package: s.pkg.ImportPath, Test: s.sealed}
	if !s.refused {
		train, val := len(s.plans[record.Train].Plan), len(s.plans[record.Val].Plan)
		out.Train, out.Val = &train, &val
	}
	for _, f := range s.files {
		out.TestKnown += len(f.test)
	}
	return out
}

// called is the name of the suite, or of its package where no run told it.
func (s *declared) called() string { return cmp.Or(s.name, s.pkg.ImportPath) }

// declareLimit is how long a suite may take to declare its tasks.
const declareLimit = 2 * time.Minute

// declare builds the suites and lets each declare its tasks.
func (c *checking) declare(ctx context.Context) error {
	const name = "suites"
	if !c.hasGo {
		c.skip(name, "not looked at: that needs Go and a module")
		return nil
	}
	patterns := c.patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	pkgs, err := gotest.Find(ctx, ".", patterns)
	if err != nil {
		return c.buildFailed(name, err)
	}
	if len(pkgs) == 0 {
		c.row(name, "none")
		c.find(checkFinding{Check: name, Level: levelWarning, Code: "no_suite", Found: fmt.Sprintf("no package among %v whose tests import %s", patterns, gotest.Library), Need: "a package with a suite, unless another harness measures"})
		return nil
	}
	if c.bench, err = gotest.NewBench(); err != nil {
		return err
	}
	for _, pkg := range pkgs {
		fmt.Fprintf(c.std.Err, "building %s\n", pkg.ImportPath)
		bin, err := c.bench.Build(ctx, pkg)
		if err != nil {
			if err := c.buildFailed(name, err); err != nil {
				return err
			}
			continue
		}
		s := &declared{pkg: pkg, bin: bin, plans: map[record.Split]record.Run{}}
		c.suites = append(c.suites, s)
		for _, split := range []record.Split{record.Train, record.Val} {
			if err := c.declareSplit(s, split); err != nil {
				return err
			}
			if code := c.signals.code(); code != exitOK {
				return fail(code, "interrupted: the check is not complete")
			}
		}
		if err := c.readTaskFiles(s); err != nil {
			return err
		}
	}
	c.row(name, fmt.Sprintf("%d of %s declared tasks", len(c.suites), counted(len(pkgs), "package")))
	return nil
}

// buildFailed notes what go said of a package; other errors it returns.
func (c *checking) buildFailed(name string, err error) error {
	var said *gotest.GoError
	if code := c.signals.code(); code != exitOK {
		return fail(code, "interrupted while building")
	}
	if !errors.As(err, &said) {
		return err
	}
	if !slices.ContainsFunc(c.rows, func(r checkRow) bool { return r.Name == name }) && c.bench == nil {
		c.row(name, "not found")
	}
	c.find(checkFinding{Check: name, Level: levelProblem, Code: "does_not_build", Found: said.Error(), Need: "packages that compile", exit: exitUsage})
	return nil
}

// nothing is a label filter that no spec passes.
const nothing = "capeval && !capeval"

// declareSplit runs the test binary as a further pass in which no trial is left
// to run: the library declares every task, writes the plan of the split, and
// builds no spec of it. The filter keeps ordinary specs and their hooks out.
func (c *checking) declareSplit(s *declared, split record.Split) error {
	root, err := os.MkdirTemp(c.bench.Dir(), "declare-")
	if err != nil {
		return err
	}
	todo := rundir.Dir{Path: filepath.Join(root, "todo")}
	runs := filepath.Join(root, "runs")
	if err := errors.Join(os.Mkdir(todo.Path, 0o755), os.Mkdir(runs, 0o755)); err != nil {
		return err
	}
	if err := todo.WriteTodo(nil); err != nil {
		return err
	}
	out := outputLog{path: filepath.Join(root, "output.log")}
	if err := out.open(); err != nil {
		return err
	}
	defer out.close()
	process, err := c.bench.Start(s.bin, gotest.Job{Env: declareEnv(s.pkg, split, runs, todo.Path), Output: out.file, LabelFilter: nothing, Timeout: declareLimit})
	if err != nil {
		return err
	}
	c.signals.forward(process)
	hung := time.AfterFunc(declareLimit, process.Kill)
	exit := process.Wait()
	inTime := hung.Stop()
	c.signals.forward(nil)
	return c.readDeclared(s, split, runs, exit, inTime, out.read())
}

// declareEnv is the environment of a run that declares: nothing of a user's
// selection or of another run reaches it.
func declareEnv(pkg gotest.Package, split record.Split, runs, todo string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return strings.HasPrefix(name, "CAPEVAL_")
	})
	return append(env, "CAPEVAL_SPLIT="+string(split), "CAPEVAL_RUN_DIR="+runs, "CAPEVAL_RUN_ID=check", "CAPEVAL_PACKAGE="+pkg.ImportPath,
		"CAPEVAL_QUIET=1", "CAPEVAL_RETRIES_LEFT=0", "CAPEVAL_TODO="+todo)
}

// readDeclared takes in what a declaring run left behind.
func (c *checking) readDeclared(s *declared, split record.Split, runs string, exit gotest.Exit, inTime bool, said []byte) error {
	refused := refusals(runs)
	for path := range refused {
		d := rundir.Dir{Path: filepath.Dir(path)}
		r, ok, err := d.ReadRefusal()
		if err != nil || !ok {
			return errors.Join(fmt.Errorf("%s cannot be read", path), err)
		}
		s.refused = true
		c.refusal(s, r)
	}
	if len(refused) > 0 {
		return nil
	}
	dirs, err := rundir.Suites(runs)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		run, err := d.ReadRun()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return withCode(exitIntegrity, err)
		}
		s.name, s.sealed = run.Suite, &run.Sealed
		s.plans[split] = run
		return nil
	}
	if orderly(exit) && inTime || c.signals.code() != exitOK {
		return nil // a split without tasks leaves nothing
	}
	found := fmt.Sprintf("%s, which did not come to declare its tasks (%s)", s.pkg.ImportPath, exit.State)
	if !inTime {
		found = fmt.Sprintf("%s, which took more than %v to declare its tasks", s.pkg.ImportPath, declareLimit)
	}
	s.refused = true
	c.find(checkFinding{Check: "suites", Level: levelProblem, Code: "suite_died", Found: found + "\n" + tail(said, 2<<10), Need: "a test binary that comes to RunEvals", exit: exitUsage})
	return nil
}

// located is a line of a refusal that names a file.
var located = regexp.MustCompile(`^([^:\s][^:]*):(\d+): ((?s).*)$`)

// refusal notes, one by one, why the library refused a suite.
func (c *checking) refusal(s *declared, r rundir.Refusal) {
	var parts []string
	for line := range strings.SplitSeq(r.Message, "\n") {
		if len(parts) > 0 && strings.HasPrefix(line, "   ") {
			parts[len(parts)-1] += "\n" + strings.TrimSpace(line)
		} else {
			parts = append(parts, strings.TrimSpace(line))
		}
	}
	for _, text := range parts {
		f := checkFinding{Check: "suites", Level: levelProblem, Code: r.Code, Found: text, exit: r.Exit}
		if m := located.FindStringSubmatch(text); m != nil {
			f.File, f.Found = seen(below(s.pkg.Dir, m[1])), m[3]
			f.Line, _ = strconv.Atoi(m[2])
		}
		// The library tells the code of its first reason only.
		for sign, code := range map[string]string{" is in the splits ": "two_splits", " has the same content as task ": "contaminated"} {
			if strings.Contains(text, sign) {
				f.Check, f.Code, f.exit = "splits", code, exitIntegrity
			}
		}
		c.find(f)
	}
}

// named holds the names in the configuration to the suites that there are.
func (c *checking) named() {
	whole := len(c.patterns) == 0 && len(c.suites) > 0
	var names []string
	for _, s := range c.suites {
		whole = whole && s.name != ""
		names = append(names, s.name)
	}
	if !whole {
		return // some name is not known
	}
	primary := c.cfg.Gate.Primary
	if primary.V != "" && !slices.Contains(names, primary.V) {
		c.find(checkFinding{Check: "suites", Level: levelProblem, Code: "unknown_primary", Found: fmt.Sprintf("gate.primary: %s (%s), which no package declares", primary.V, primary.Origin), Need: "one of " + strings.Join(names, ", "), exit: exitUsage})
	}
	for name, set := range c.cfg.Suites {
		if !slices.Contains(names, name) {
			c.find(checkFinding{Check: "suites", Level: levelWarning, Code: "unknown_suite", Found: fmt.Sprintf("suites.%s (%s), which no package declares", name, set.Trials.Origin), Need: "one of " + strings.Join(names, ", ")})
		}
	}
}
