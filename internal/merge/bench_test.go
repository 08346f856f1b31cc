package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/capeval/capeval/record"
)

// BenchmarkMerge merges 20 shards of 10,000 cells each: 40,000 tasks of 5 trials.
func BenchmarkMerge(b *testing.B) {
	const count, tasks, trials = 20, 40_000, 5
	root := b.TempDir()
	run := planOf("agent", 0, trials)
	for i := range tasks {
		run.Plan = append(run.Plan, record.PlanTask{Task: fmt.Sprintf("task-%05d", i), Trials: trials, ContentDigest: fmt.Sprintf("sha256:%064d", i)})
	}
	rows := rowsOf(run)
	for i := range count {
		r, own := part(run, rows, i+1, count, byHash(count))
		d := rundirOf(root, i+1)
		must(b, os.MkdirAll(d.Path, 0o755))
		must(b, d.WriteRun(r))
		must(b, d.WriteTrials(own))
	}
	rows = nil
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		m, err := Read([]string{root}, Options{})
		must(b, err)
		out := filepath.Join(b.TempDir(), fmt.Sprint(n))
		must(b, os.Mkdir(out, 0o755))
		must(b, m.Write(out))
		if m.Suites[0].Result.NCells != tasks*trials {
			b.Fatal("cells are lost")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/merge")
}
