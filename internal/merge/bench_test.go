package merge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/capeval/capeval/record"
)

// BenchmarkMerge merges 20 shards of 1,000 and of 10,000 cells each, of tasks
// with 5 trials.
func BenchmarkMerge(b *testing.B) {
	for _, cells := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("20x%d", cells), func(b *testing.B) { benchmark(b, cells) })
	}
}

func benchmark(b *testing.B, cells int) {
	const count, trials = 20, 5
	tasks := count * cells / trials
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
}
