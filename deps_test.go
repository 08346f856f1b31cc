package capeval_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/capeval/capeval/"

// row says what a package may import: of this module, and what it must not
// import from elsewhere, because its purpose would be gone.
type row struct {
	level int
	may   []string // packages of this module
	not   []string // import paths, and everything below them
}

// table is the one way through the house: records go from level to level and
// nothing flows back. A package without a row fails the test.
var table = map[string]row{
	"stats":                          {level: 0, not: []string{"os", "time", gomega, ginkgo}},
	"internal/durable":               {level: 0, not: []string{gomega, ginkgo}},
	"internal/content":               {level: 0, not: []string{"os", gomega, ginkgo}},
	"internal/forge":                 {level: 0, not: []string{gomega, ginkgo}},
	"internal/surface":               {level: 0, not: []string{gomega, ginkgo}},
	"internal/workflow":              {level: 0, not: []string{gomega, ginkgo}},
	"internal/config":                {level: 1, not: []string{gomega, ginkgo}},
	"record":                         {level: 1, may: []string{"stats"}, not: []string{"os", gomega, ginkgo}},
	"internal/seal":                  {level: 2, may: []string{"record", "internal/durable"}, not: []string{gomega, ginkgo}},
	"internal/rundir":                {level: 2, may: []string{"record", "internal/durable"}, not: []string{gomega, ginkgo}},
	"internal/merge":                 {level: 2, may: []string{"record", "internal/durable", "internal/rundir"}, not: []string{gomega, ginkgo}},
	"gate":                           {level: 2, may: []string{"stats", "record"}, not: []string{"os", "io", ginkgo, gomega}},
	"internal/importer":              {level: 2, may: []string{"record", "stats.Estimate"}, not: []string{gomega}},
	"internal/seal/ledger":           {level: 2, may: []string{"internal/durable"}, not: []string{gomega, ginkgo}},
	"internal/seal/ledger/gitstore":  {level: 2, may: []string{"internal/seal/ledger", "internal/durable"}, not: []string{gomega, ginkgo}},
	"internal/seal/ledger/storetest": {level: 2, may: []string{"internal/seal/ledger"}, not: []string{gomega, ginkgo}},
	"reporter":                       {level: 3, may: []string{"record", "gate"}, not: []string{"os", ginkgo, gomega}},
	"reporter/internal/plot":         {level: 3, not: []string{"os", ginkgo, gomega}},
	"matchers":                       {level: 3, may: []string{"record", "gate"}, not: []string{"os", ginkgo}},
	"evaltest":                       {level: 3, may: []string{"record", "stats.Estimate", "internal/seal", "internal/seal/ledger", "internal/content", "internal/durable", "internal/config", "internal/rundir"}},
	"evaltest/agentexec":             {level: 3, may: []string{"evaltest"}},
	"internal/cli":                   {level: 4, may: []string{"stats", "record", "gate", "reporter", "internal/seal", "internal/durable", "internal/config", "internal/rundir", "internal/merge", "internal/importer", "internal/content", "internal/forge", "internal/surface", "internal/workflow", "internal/seal/ledger", "internal/seal/ledger/gitstore"}, not: []string{gomega}},
	"internal/cli/clitest":           {level: 5, may: []string{"internal/cli"}},
	"cmd/capeval-ci":                 {level: 5, may: []string{"internal/cli"}},
	"benchmarks":                     {level: 5, may: []string{"record", "gate", "stats"}},
	"examples/quickstart":            {level: 5, may: []string{"evaltest", "matchers", "record"}},
	"examples/command":               {level: 5, may: []string{"evaltest", "evaltest/agentexec", "matchers", "record"}},
	"examples/support":               {level: 5, may: []string{"evaltest", "matchers", "record", "examples/support/modelserver"}},
}

const (
	ginkgo = "github.com/onsi/ginkgo"
	gomega = "github.com/onsi/gomega"
)

// TestDependencies reads the imports of every file itself: what `go list` says
// would be served from the test cache after an import was added.
func TestDependencies(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || filepath.Dir(path) == "." {
			return nil
		}
		pkg := filepath.ToSlash(filepath.Dir(path))
		r, ok := rowOf(pkg)
		if !ok {
			t.Errorf("%s: package %s has no row in the table of deps_test.go", path, pkg)
			return nil
		}
		used[pkg] = true
		if strings.HasSuffix(path, "_test.go") {
			return nil // a test may use the whole house
		}
		checkImports(t, path, pkg, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range table {
		if !used[pkg] {
			t.Errorf("the table has a row for %s, which has no Go file", pkg)
		}
	}
	if len(used) < 10 {
		t.Errorf("found %d packages: the walk did not see the module", len(used))
	}
}

// rowOf returns the row of a package: its own, or that of the command or the
// example whose part it is.
func rowOf(pkg string) (row, bool) {
	if r, ok := table[pkg]; ok {
		return r, true
	}
	for _, whole := range []string{"internal/cli", "benchmarks", "examples/support", "examples/command", "examples/quickstart"} {
		if strings.HasPrefix(pkg, whole+"/") {
			r := table[whole]
			r.may = append(slices.Clone(r.may), whole)
			return r, true
		}
	}
	return row{}, false
}

func checkImports(t *testing.T, path, pkg string, r row) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	for _, spec := range f.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		for _, not := range r.not {
			if imported == not || strings.HasPrefix(imported, not+"/") {
				t.Errorf("%s imports %s, which package %s must not", path, imported, pkg)
			}
		}
		inner, ours := strings.CutPrefix(imported, module)
		switch {
		case !ours || slices.Contains(r.may, inner):
		case inner == "stats" && slices.Contains(r.may, "stats.Estimate"):
			checkOnlyEstimate(t, path, pkg, f)
		case strings.HasPrefix(inner, pkg+"/"): // a part of itself
		default:
			t.Errorf("%s imports %s: package %s (level %d) may import %v; move the code, or change the design in architecture and here", path, inner, pkg, r.level, r.may)
		}
		if other, ok := table[inner]; ours && ok && other.level > r.level {
			t.Errorf("%s (level %d) imports %s (level %d): nothing flows back", path, r.level, inner, other.level)
		}
	}
}

// TestDependenciesAreReasoned holds docs/dependencies.md to go.mod: every direct
// requirement has its row, and nothing else has one.
func TestDependenciesAreReasoned(t *testing.T) {
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{}
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) == 2 && strings.Contains(fields[0], ".") && !strings.Contains(line, "indirect") {
			direct[fields[0]] = true
		}
	}
	for path := range direct {
		if !strings.Contains(string(page), "| "+path+" |") {
			t.Errorf("%s is required directly, and docs/dependencies.md gives no reason for it", path)
		}
	}
	for line := range strings.Lines(string(page)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && fields[0] == "|" && strings.Contains(fields[1], "/") && !direct[fields[1]] {
			t.Errorf("docs/dependencies.md gives a reason for %s, which is no direct requirement", fields[1])
		}
	}
	if len(direct) < 5 {
		t.Errorf("found %d direct requirements in go.mod", len(direct))
	}
}
