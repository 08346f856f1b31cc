package seal

import (
	"fmt"
	"strings"
)

// NoMemory (S16) refuses a ledger that an ephemeral machine would forget.
func NoMemory() Refusal {
	return Refusal{
		ID: "S16", Exit: exitUsage,
		What:  "CI=true and no remote ledger is configured: a fresh checkout would forget this look.",
		Do:    []string{"set seal.remote and seal.ref in capeval.yaml", "or give `--ledger local`, which the result discloses"},
		Never: "an artifact or a cache is no ledger: it can be deleted.",
	}
}

// WrongPlace (S17) refuses a finalize in a place that is none: found says which,
// such as "a pull_request", "matrix leg 2 of 4" or "a dirty tree".
func WrongPlace(found string) Refusal {
	return Refusal{
		ID: "S17", Exit: exitUsage,
		What:  fmt.Sprintf("finalize was started in %s.", found),
		Do:    []string{"use the one workflow job on a protected ref, with a clean checkout"},
		Never: "a pull request or a leg of a matrix cannot look.",
	}
}

// EmptyHoldOut (S18) refuses a suite without test tasks.
func EmptyHoldOut(suite string) Refusal {
	return Refusal{
		ID: "S18", Exit: exitUsage,
		What:  fmt.Sprintf("The test split of suite %q is empty.", suite),
		Do:    []string{"declare tasks with the decorator Test, or rows with \"split\":\"test\""},
		Never: "a fit number is not a held-out result.",
	}
}

// Contamination is a test task that was seen.
type Contamination struct {
	Task  string
	Split string // train or val
	From  string // the commit or record in which it was, "" for this tree
}

// Contaminated (S18) refuses a test split that shares tasks with train or val.
func Contaminated(tasks []Contamination) Refusal {
	var ids, lines []string
	for _, c := range tasks {
		ids = append(ids, c.Task)
		line := fmt.Sprintf("%s was %s", c.Task, c.Split)
		if c.From != "" {
			line += " in " + c.From
		}
		lines = append(lines, line)
	}
	const most = 20
	if len(lines) > most {
		lines = append(lines[:most:most], fmt.Sprintf("and %d more", len(lines)-most))
	}
	return Refusal{
		ID: "S18", Exit: exitUsage,
		What:  fmt.Sprintf("The test split shares %s with train or val.", some(ids)),
		Lines: lines,
		Do:    []string{"fix the split; a fit number is not a held-out result", "or give `--relook-reason '...'`; published with the result"},
		Never: "renaming a task does not make it unseen: its content is known.",
	}
}

// LookLimit (S19) refuses a look beyond looks.max.
func LookLimit(looks, most int) Refusal {
	return Refusal{
		ID: "S19", Exit: exitSealed,
		What:  fmt.Sprintf("This test split has been looked at %d times; looks.max is %d.", looks, most),
		Do:    []string{"add fresh tasks, or raise seal.looks.max in a reviewed change"},
		Never: noReset,
	}
}

// Changed (S20) refuses when what was reserved (candidate, baseline, scorer) is
// another now.
func Changed(what, reserved, found string) Refusal {
	return Refusal{
		ID: "S20", Exit: exitIntegrity,
		What:  fmt.Sprintf("Reserved %s %s, found %s.", what, reserved, found),
		Do:    []string{again},
		Never: "what is measured is chosen before the look.",
	}
}

// SurfaceChanged (S21) refuses a change that touches what it is measured by.
func SurfaceChanged(files []string) Refusal {
	return Refusal{
		ID: "S21", Exit: exitIntegrity,
		What:  fmt.Sprintf("The pull request changes the evaluation surface: %s. Its score is not data.", some(files)),
		Do:    []string{"split the change: evals first, agent second"},
		Never: "a change cannot be judged by tasks that it brings itself.",
	}
}

// RanNothing (S22) refuses a report whose passes ran nothing: found is DryRun or
// (cached).
func RanNothing(found string) Refusal {
	return Refusal{
		ID: "S22", Exit: exitIntegrity,
		What:  fmt.Sprintf("The report says %s: its 'passed' entries ran nothing.", found),
		Do:    []string{"run with -count=1 and without --dry-run"},
		Never: "a report of nothing is no result.",
	}
}

// NoLedger (S24) refuses a repository that has no ledger yet.
func NoLedger() Refusal {
	return Refusal{
		ID: "S24", Exit: exitUsage,
		What:  "This repository has no seal ledger yet, and capeval.yaml pins none.",
		Do:    []string{"run `capeval-ci seal init` once, commit capeval.yaml, push"},
		Never: "the ledger is never made on the way: a deleted one would look like a new one.",
	}
}

// OverrideNames returns the variables in environ that want to be an override,
// for [Override].
func OverrideNames(environ []string) []string {
	var names []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "CAPEVAL_ALLOW_") {
			names = append(names, name)
		}
	}
	return names
}
