package seal

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// refusals holds one of every text, as a command or the library would make it.
func refusals() []Refusal {
	slot := Slot{Candidate, "refund-agent", "late-parcel", 2}
	h := Holder{Attempt: "01JA", RunURL: "https://forge/run/7", Time: "2026-11-30T21:17:00Z", Look: 2, Seq: 12}
	return []Refusal{
		NoGrant("late-parcel"), AskedFor("--split"), OnlySealed(3),
		DeadGrant("", "/tmp/grant: found mode -rw-r--r--, need 0600"), DeadGrant("01JA", "nobody listens at its socket"), EndedAttempt("01JA", "committed"),
		OtherSplit("sha256:aa", "sha256:bb", `task "late-parcel" has another content`), OtherSplit("sha256:aa", "sha256:bb", ""),
		OtherPlan("sha256:aa", "sha256:bb", `task "late-parcel" has 3 trials, reserved were 2`), OtherSuite("refunds", "refund-agent"), OutsidePlan(slot),
		AskedTwice(slot), WouldAskTwice("--repeat"),
		Held("refund-agent/sha256:aa/v1", h), Looked(h, "capeval-final-7-a1"), Looked(Holder{Attempt: "01JA", Look: 1}, ""),
		Committed("refund-agent/sha256:aa/v1", h, "0.125", "sha256:cc", "https://forge/release/v1"), Committed("refund-agent/sha256:aa/v1", Holder{Attempt: "01JA", Look: 1, Seq: 4}, "", "sha256:cc", ""),
		LedgerMissing("refunds", "4a6048d", "refs/heads/capeval-ledger", "origin"), LedgerRewound(7, 12, "2026-11-30", "4a6048d", "refs/heads/capeval-ledger"),
		LedgerCorrupt(9, "4a6048d", "two files were added", "0237761"), LedgerUnreachable("origin", "could not resolve host"),
		LedgerRefused("origin", "refs/heads/capeval-ledger", "403"), Unrecorded(errors.New("origin refused the record: 403")),
		Unjournaled(errors.New("the journal of grants cannot be written: no space left"), false), Unjournaled(errors.New("the journal of grants cannot be written: no space left"), true),
		Contention(3, 5), Uncommitted(2, "403", "out/final"), NoMemory(), WrongPlace("matrix leg 2 of 4"), NotWhole("Shard 1/2"),
		Contradicts("CAPEVAL_SPLIT", `split "val"`, `split "test"`), EmptyHoldOut("refund-agent"),
		Contaminated([]Contamination{{"late-parcel", "val", "4a6048d"}, {"lost-parcel", "train", ""}}), LookLimit(3, 2),
		Changed("candidate", "4a6048d", "0237761"), SurfaceChanged([]string{"evals/refund_test.go", "capeval.yaml"}), RanNothing("DryRun"),
		Override([]string{"CAPEVAL_ALLOW_TEST"}), NoLedger(),
	}
}

// Every refusal has the shape by which it is recognised in a log, says what to
// do, and owes one exit code.
func TestRefusals(t *testing.T) {
	var all strings.Builder
	ids := map[string]bool{}
	for _, r := range refusals() {
		text := r.Error()
		lines := strings.Split(text, "\n")
		if !strings.HasPrefix(lines[0], "capeval: ") || !strings.HasSuffix(lines[0], "["+r.ID+"]") || len(lines) < 4 {
			t.Errorf("%s: found %q", r.ID, text)
		}
		if strings.Count(text, "\nDo: ") != len(r.Do) || len(r.Do) == 0 || !strings.HasPrefix(lines[len(lines)-1], "Not an option: ") {
			t.Errorf("%s does not say what to do, or what not: %q", r.ID, text)
		}
		if r.Exit != exitUsage && (r.Exit < exitSealed || r.Exit > exitLooked) {
			t.Errorf("%s owes exit code %d", r.ID, r.Exit)
		}
		ids[r.ID] = true
		all.WriteString(text + "\n\n")
	}
	if len(ids) != 24 {
		t.Errorf("found the texts of %d refusals, need S01 to S24: %v", len(ids), ids)
	}
	golden := filepath.Join("testdata", "refusals.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if all.String() != string(want) {
		t.Errorf("the texts are not those of %s: read them and run with -update", golden)
	}
}

func TestLongListsAreCut(t *testing.T) {
	many := make([]string, 200)
	tasks := make([]Contamination, 200)
	for i := range many {
		many[i], tasks[i] = "file", Contamination{Task: "task", Split: "val"}
	}
	for _, r := range []Refusal{SurfaceChanged(many), Contaminated(tasks), Override(many)} {
		if text := r.Error(); len(text) > 2000 || !strings.Contains(text, "and 190 more") {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
}

func TestOverrideNames(t *testing.T) {
	got := OverrideNames([]string{"A=1", "CAPEVAL_ALLOW_TEST=1", "XCAPEVAL_ALLOW_TEST=1", "CAPEVAL_ALLOW_=", "CAPEVAL_ALLOW=1"})
	if strings.Join(got, " ") != "CAPEVAL_ALLOW_TEST CAPEVAL_ALLOW_" {
		t.Errorf("found %q", got)
	}
}
