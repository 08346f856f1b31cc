package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/rundir"
)

// noBaseline says why the result of a suite is no baseline, "" when it is one.
func (r *suiteRun) noBaseline() string {
	switch res := r.result; {
	case !r.hasResult || r.refusal != nil || r.resultErr != nil:
		return "the suite was not measured"
	case r.call.signals.code() != exitOK:
		return "the run was interrupted"
	case res.Subset:
		return "the run is a subset of the plan; run without a focus or filter"
	case res.Run.Shard != nil:
		return fmt.Sprintf("the run is shard %d of %d; merge the shards first", res.Run.Shard.Index, res.Run.Shard.Count)
	case res.NMissing == res.NCells:
		return "nothing was measured"
	}
	return ""
}

// saveBaseline writes the result below the folder of --save-baseline, which is
// relative to the package, where evaltest.Baseline reads it. It does so whatever
// was asserted about the result.
func (r *suiteRun) saveBaseline() error {
	dir := r.call.flags.saveBaseline
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.bin.Package.Dir, dir)
	}
	suite := rundir.Suite(dir, r.result.Suite)
	if err := os.MkdirAll(suite.Path, 0o755); err != nil {
		return fmt.Errorf("--save-baseline: %w", err)
	}
	if err := suite.WriteResult(r.result); err != nil {
		return fmt.Errorf("--save-baseline: %w", err)
	}
	path := filepath.Join(suite.Path, "result.json")
	r.call.say("baseline of %s: %s", r.result.Suite, here(path))
	return nil
}
