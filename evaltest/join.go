package evaltest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// invited is the note that the first process of `ginkgo -p` leaves for the
// others: where the run lies, and which tree it built.
type invited struct {
	Root  string `json:"root"`
	Suite string `json:"suite"`
	Tree  string `json:"tree"`
}

// invitation is the path of that note, "" in a serial run. All processes of one
// run have the same parent and the same server.
func (s *suite) invitation() string {
	c, _ := ginkgo.GinkgoConfiguration()
	if c.ParallelTotal == 1 {
		return ""
	}
	wd, _ := os.Getwd()
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\n%d\n%s", c.ParallelHost, os.Getppid(), wd)))
	dir := s.settings.run.RunDir.V
	if dir == "" {
		dir = s.outDir()
	}
	return filepath.Join(dir, ".procs", hex.EncodeToString(sum[:8])+".json")
}

// invite writes the note.
func (s *suite) invite(root string, run record.Run) error {
	path := s.invitation()
	if path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.Marshal(invited{Root: root, Suite: run.Suite, Tree: s.reg.tree()})
	if err != nil {
		return err
	}
	return durable.WriteFile(path, data, durable.Options{NoSync: true})
}

// tree is the digest of the cells in the order in which they were built.
func (r *registry) tree() string {
	h := sha256.New()
	for _, c := range r.order {
		fmt.Fprintf(h, "%q %d\n", c.task.id, c.index)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ready opens the run in a process that did not plan it, and reports whether
// there is a run.
func (s *suite) ready() bool {
	if s.live != nil || s.refused {
		return s.live != nil
	}
	_, process := processes()
	if process == 1 {
		return false
	}
	if err := s.join(); err != nil {
		s.refused = true
		ginkgo.AbortSuite(err.Error())
	}
	return true
}

func (s *suite) join() error {
	data, err := os.ReadFile(s.invitation())
	if err != nil {
		return fmt.Errorf("capeval: this process finds no run to take part in: %w", err)
	}
	var in invited
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("capeval: the note of the first process: %w", err)
	}
	if s.sealed.carried() && s.sealed.problem != nil { // which is why the trees differ
		return *s.sealed.problem
	}
	if in.Tree != s.reg.tree() {
		return fmt.Errorf("capeval: the processes of this run built different trees, so that some trials would run twice and others never; declare tasks in a fixed order (sort the keys of a map before ranging over it)")
	}
	run, err := rundir.Suite(in.Root, in.Suite).ReadRun()
	if err != nil {
		return err
	}
	s.settings.name = run.Suite
	if p := s.grantWrong(); p != nil {
		return errors.New(p.text)
	}
	s.live, err = s.open(in.Root, run)
	return err
}
