package evaltest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// job is a finalize job as the tests need it: what it reserved, its ledger, and
// the broker that stands behind its grants.
type job struct {
	how      suiteRun // the way in which it runs its suite
	decl     seal.Declaration
	attempt  string
	nonce    string
	private  string // the folder of socket and grants
	ledger   string // the file
	journal  string
	broker   *seal.Broker
	observed atomic.Int32
	unable   error // what Observe is to say
}

// declarations remembers what cases declare: it depends on their environment
// alone.
var declarations sync.Map

// declared is what the suite says of itself in a dry run.
func declared(t *testing.T, how suiteRun) seal.Declaration {
	t.Helper()
	key := how.name + "\n" + strings.Join(how.env, "\n")
	if d, ok := declarations.Load(key); ok {
		return d.(seal.Declaration)
	}
	how.procs = 0 // Ginkgo refuses a dry run with -p
	path := filepath.Join(t.TempDir(), "declared.json")
	how.env = append(slices.Clone(how.env), "CAPEVAL_SEAL_DECLARE="+path)
	how.args = nil
	r := how.flag("--dry-run").run(t)
	r.did(t)
	var d seal.Declaration
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	declarations.Store(key, d)
	return d
}

// newJob reserves what the suite declares and starts the broker.
func newJob(t *testing.T, how suiteRun) *job {
	t.Helper()
	j := reserve(t, how)
	var err error
	j.broker, err = seal.StartBroker(j.config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.broker.Close() })
	return j
}

// reserve is a job without its broker.
func reserve(t *testing.T, how suiteRun) *job {
	t.Helper()
	j := &job{how: how, decl: declared(t, how), attempt: "attempt-1", nonce: seal.NewNonce()}
	var err error
	if j.private, err = seal.MakeDir("."); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(j.private) })
	out := t.TempDir()
	j.ledger, j.journal = filepath.Join(out, "ledger"), filepath.Join(out, "grants.jsonl")
	j.write(t, "reserved "+j.attempt)
	return j
}

// write adds a line to the ledger.
func (j *job) write(t *testing.T, line string) {
	t.Helper()
	if err := appendLine(j.ledger, line); err != nil {
		t.Fatal(err)
	}
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

func (j *job) config() seal.BrokerConfig {
	plan := j.decl.Plan()
	return seal.BrokerConfig{
		Addr: filepath.Join(j.private, "broker"), Attempt: j.attempt, Nonce: j.nonce, Journal: j.journal,
		Slots: append(plan.Slots(seal.Candidate), plan.Slots(seal.Baseline)...),
		Observe: func(context.Context) error {
			j.observed.Add(1)
			if j.unable != nil {
				return j.unable
			}
			return appendLine(j.ledger, "observed "+j.attempt+" "+seal.NonceSHA256(j.nonce))
		},
	}
}

// grant writes the grant of a role, as change makes it.
func (j *job) grant(t *testing.T, role seal.Role, change func(*seal.Grant)) string {
	t.Helper()
	plan := j.decl.Plan()
	g := seal.Grant{
		Addr: filepath.Join(j.private, "broker"), Attempt: j.attempt, Nonce: j.nonce, Role: role, Suite: plan.Suite,
		FP: seal.Fingerprint(plan.Tasks), Plan: plan.Digest(), Tasks: plan.Tasks, Ledger: seal.Locator{Kind: "test", Path: j.ledger},
	}
	if change != nil {
		change(&g)
	}
	dir, err := os.MkdirTemp(j.private, "g")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "grant")
	if err := seal.WriteGrant(path, g); err != nil {
		t.Fatal(err)
	}
	return path
}

// with returns how the job's suite runs with a grant.
func (j *job) with(path string) suiteRun {
	how := j.how
	how.env = append(slices.Clone(how.env), seal.GrantVariable+"="+path)
	return how
}

// run runs the suite in a role.
func (j *job) run(t *testing.T, role seal.Role) ran {
	t.Helper()
	return j.with(j.grant(t, role, nil)).run(t)
}

// untouched checks that nobody was granted anything.
func (j *job) untouched(t *testing.T) {
	t.Helper()
	if rep := j.broker.Report(); j.observed.Load() != 0 || rep.Observed || rep.Granted != 0 {
		t.Errorf("%d looks, %d grants, want none", j.observed.Load(), rep.Granted)
	}
}

// proven closes the broker and returns what its journal proves.
func (j *job) proven(t *testing.T) (seal.Report, seal.Grants) {
	t.Helper()
	rep := j.broker.Close()
	f, err := os.Open(j.journal)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	g, err := seal.ReadGrants(f, j.nonce)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Head != g.Head || !g.Closed || g.Observed != rep.Observed || len(g.Granted()) != rep.Granted {
		t.Errorf("the journal proves %d grants up to %s, the broker gave %d up to %s", len(g.Granted()), g.Head, rep.Granted, rep.Head)
	}
	return rep, g
}

// mostWays runs check in every way in the long form of the tests, and serially
// in the short one.
func mostWays(t *testing.T, check func(*testing.T, suiteRun)) {
	t.Helper()
	if os.Getenv("CAPEVAL_LONG") != "" {
		everyWay(t, check)
		return
	}
	t.Parallel()
	check(t, suiteRun{})
}

// receipts returns the slots whose results in a run hold a receipt that counts.
func receipts(t *testing.T, r ran, g seal.Grants) []seal.Slot {
	t.Helper()
	trials, _, err := r.dir.ReadJournal()
	if err != nil {
		t.Fatalf("%v\n%s", err, r.output)
	}
	var slots []seal.Slot
	for _, tr := range trials {
		var receipt string
		if raw, ok := tr.Extra["receipt"]; ok {
			if err := json.Unmarshal(raw, &receipt); err != nil {
				t.Errorf("receipt %s: %v", raw, err)
			}
		}
		s := seal.Slot{Role: seal.Role(tr.Arm), Suite: tr.Suite, Task: tr.Task, Trial: tr.Trial}
		switch ok := g.Accepts(s, receipt); {
		case ok:
			slots = append(slots, s)
		case tr.Status == record.Scored:
			t.Errorf("%s was scored with receipt %q, which the journal does not hold", s, receipt)
		}
		if tr.Split != record.Test {
			t.Errorf("%s is of split %s", s, tr.Split)
		}
	}
	slices.SortFunc(slots, compareSlots)
	return slots
}

func compareSlots(a, b seal.Slot) int {
	if a == b {
		return 0
	}
	if fmt.Sprintf("%s/%s/%06d", a.Role, a.Task, a.Trial) < fmt.Sprintf("%s/%s/%06d", b.Role, b.Task, b.Trial) {
		return -1
	}
	return 1
}

// traced lines with one of the beginnings.
func (r ran) lines(beginnings ...string) []string {
	var out []string
	for _, line := range r.traced {
		for _, b := range beginnings {
			if len(line) >= len(b) && line[:len(b)] == b {
				out = append(out, line)
			}
		}
	}
	slices.Sort(out)
	return out
}
