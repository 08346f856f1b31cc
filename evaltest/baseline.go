package evaltest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// Baseline reads the result that this suite left in dir, a folder relative to
// the package, for a comparison in AfterSplit. It fails the assertion when there
// is none, naming the command that makes it.
func Baseline(dir string) record.SplitResult {
	path := filepath.Join(rundir.Suite(dir, here.settings.name).Path, "result.json")
	f, err := os.Open(path)
	if err != nil {
		FailHandler(fmt.Sprintf("%sthere is no baseline: %v; make it with `capeval-ci run --save-baseline %s` and commit it", record.UndefinedPhrase, err, dir), 1)
		return record.SplitResult{}
	}
	defer f.Close()
	r, err := record.ReadResult(f, path)
	if err != nil {
		FailHandler(record.UndefinedPhrase+"the baseline cannot be read: "+err.Error(), 1)
	}
	return r
}
