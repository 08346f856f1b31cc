package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/capeval/capeval/record"
)

// known is a task whose id, and perhaps whose content, is known.
type known struct {
	suite  *declared
	split  record.Split
	id     string
	digest string // "" where contents cannot be compared
	at     string // file:line
}

func (k known) String() string {
	return fmt.Sprintf("task %q of suite %s (%s, %s)", k.id, k.suite.called(), k.split, k.at)
}

// tasks lists what is known of every suite, in a fixed order.
func (c *checking) tasks() []known {
	var all []known
	for _, s := range c.suites {
		for _, split := range []record.Split{record.Train, record.Val} {
			for _, t := range s.plans[split].Plan {
				k := known{suite: s, split: split, id: t.Task, digest: t.ContentDigest, at: t.Location}
				if strings.HasPrefix(k.digest, "coarse:") {
					k.digest = "" // of the whole file: it says nothing of the task
				}
				if path, _, ok := cutLine(t.Location); ok && filepath.Ext(path) != ".go" {
					k.at = shownAt(s, t.Location)
				}
				all = append(all, k)
			}
		}
		for _, f := range s.files {
			for _, r := range f.test {
				all = append(all, known{s, record.Test, r.id, r.digest, shownAt(s, r.at)})
			}
		}
	}
	return all
}

// shownAt is a place in a package as seen from the working directory.
func shownAt(s *declared, at string) string { return seen(below(s.pkg.Dir, at)) }

// overlap finds tasks that are in two splits, over all suites. Within one suite
// the library refuses equal ids, and equal contents of test and another split.
func (c *checking) overlap() {
	if !c.hasGo || len(c.suites) == 0 {
		c.skip("splits", "not looked at: no suite declared tasks")
		return
	}
	all := c.tasks()
	fold := cases.Fold()
	byID, byDigest := map[string][]known{}, map[string][]known{}
	told := map[[3]string]bool{}
	for _, k := range all {
		id := fold.String(norm.NFKC.String(strings.TrimSpace(k.id)))
		for _, other := range byID[id] {
			if other.split != k.split && (other.split == record.Test || k.split == record.Test) {
				level, exit := levelWarning, exitOK
				if other.suite == k.suite {
					level, exit = levelProblem, exitIntegrity
				}
				c.shared(level, exit, "shared_id", other, k, "has the id of", "another id: looks at the test split are counted by id")
			}
		}
		byID[id] = append(byID[id], k)
		if k.digest == "" {
			continue
		}
		for _, other := range byDigest[k.digest] {
			pair := [3]string{k.digest, string(min(k.split, other.split)), string(max(k.split, other.split))}
			if other.split != k.split && !told[pair] { // once for the two splits, however many tasks are alike
				told[pair] = true
				c.shared(levelProblem, exitIntegrity, "shared_content", other, k, "has the content of", "a task in one split alone: what was trained or chosen on is no held-out task")
			}
		}
		byDigest[k.digest] = append(byDigest[k.digest], k)
	}
	c.row("splits", c.coverageOfTest(all))
}

// shared notes that two tasks have something in common, and speaks of the one
// that is held out more strictly.
func (c *checking) shared(level string, exit int, code string, a, b known, how, need string) {
	if a.split == record.Test {
		a, b = b, a
	}
	f := checkFinding{Check: "splits", Level: level, Code: code, Found: fmt.Sprintf("%s, which %s %s", b, how, a), Need: need, exit: exit}
	if file, line, ok := cutLine(b.at); ok {
		f.File, f.Line = file, line
	}
	c.find(f)
}

// coverageOfTest says how much of the test split could be compared.
func (c *checking) coverageOfTest(all []known) string {
	sealed, inFiles := 0, 0
	for _, s := range c.suites {
		n := s.summary()
		inFiles += n.TestKnown
		if n.Test != nil {
			sealed += *n.Test
		} else {
			sealed += n.TestKnown
		}
	}
	if c.cfg.Seal.Genesis.V != "" && sealed == 0 && !slices.ContainsFunc(c.suites, func(s *declared) bool { return s.refused }) {
		c.find(checkFinding{Check: "splits", Level: levelWarning, Code: "S18", Found: "a ledger (" + c.cfg.Seal.Genesis.Origin + ") and no test task that could be looked at", Need: "tasks with the decorator Test, or rows with \"split\": \"test\""})
	}
	text := fmt.Sprintf("%s compared", counted(len(all), "task"))
	if rest := sealed - inFiles; rest > 0 {
		text += fmt.Sprintf("; %s declared in code, which only their suite compares with its own", counted(rest, "test task"))
	}
	return text
}
