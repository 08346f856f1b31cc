package evaltest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/capeval/capeval/internal/seal"
)

// A plan of many tasks is granted whole, serially and in parallel; the log says
// what that costs beside the same tasks in val.
func TestManySealedTrials(t *testing.T) {
	build(t) // which takes longer than what is measured
	n := 300
	if os.Getenv("CAPEVAL_LONG") != "" {
		n = 5000
	}
	var rows strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, `{"id":"held-%d","split":"val","question":"%d"}`+"\n", i, i)
	}
	val := filepath.Join(t.TempDir(), "val.jsonl")
	held := filepath.Join(t.TempDir(), "held.jsonl")
	for path, text := range map[string]string{val: rows.String(), held: strings.ReplaceAll(rows.String(), `"val"`, `"test"`)} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, how := range map[string]suiteRun{"serial": {}, "procs 4": {procs: 4}} {
		t.Run(name, func(t *testing.T) {
			open := how.on("sealed-quiet-rows", "TASKS="+val, "CAPEVAL_TRIALS=1")
			began := time.Now()
			open.run(t).exits(t, !red)
			plain := time.Since(began)

			j := newJob(t, how.on("sealed-quiet-rows", "TASKS="+held, "CAPEVAL_TRIALS=1"))
			began = time.Now()
			r := j.run(t, seal.Candidate)
			sealed := time.Since(began)
			r.exits(t, !red)
			rep, g := j.proven(t)
			if rep.Granted != n || len(receipts(t, r, g)) != n {
				t.Errorf("%d grants, %d results, want %d", rep.Granted, len(receipts(t, r, g)), n)
			}
			t.Logf("%d trials: %v in val, %v sealed: %v a trial more", n, plain.Round(time.Millisecond), sealed.Round(time.Millisecond), ((sealed - plain) / time.Duration(n)).Round(10*time.Microsecond))
		})
	}
}
