package seal

import "fmt"

// NoGrant (S01) refuses a task of the test split that was asked for by name.
func NoGrant(task string) Refusal {
	return Refusal{
		ID: "S01", Exit: exitSealed,
		What:  fmt.Sprintf("Task %q belongs to the sealed test split. This process is not the finalize job, so nothing of it was built or run.", task),
		Do:    []string{onVal},
		Never: noVariable,
	}
}

// AskedFor (S01) refuses a request for the whole test split, which origin (a
// flag, a variable, a file) made.
func AskedFor(origin string) Refusal {
	return Refusal{
		ID: "S01", Exit: exitSealed,
		What:  origin + " asks for the sealed test split. This is not the finalize job, so nothing was built or run.",
		Do:    []string{onVal},
		Never: noVariable,
	}
}

// OnlySealed (S02) refuses a selection that leaves nothing but n sealed tasks.
func OnlySealed(n int) Refusal {
	return Refusal{
		ID: "S02", Exit: exitSealed,
		What:  fmt.Sprintf("The selection leaves only sealed tasks (%d declared), and none of them ran. Nothing was measured; this is not a pass.", n),
		Do:    []string{"change the filter or the focus, or use val"},
		Never: "a filter cannot select sealed tasks: outside the finalize job they are not built.",
	}
}

// DeadGrant (S03) refuses a process that carries a grant nobody answers for.
// attempt is "" where the grant cannot be read; why says what was found.
func DeadGrant(attempt, why string) Refusal {
	what := "CAPEVAL_SEAL_GRANT is set, but no finalize job stands behind it: its job has ended, or it never was one."
	if attempt != "" {
		what = fmt.Sprintf("The grant in CAPEVAL_SEAL_GRANT belongs to attempt %s, and no finalize job stands behind it: its job has ended, or it never was one.", attempt)
	}
	return Refusal{
		ID: "S03", Exit: exitSealed, What: what, Lines: []string{"found: " + why},
		Do:    []string{"unset CAPEVAL_SEAL_GRANT, then " + onVal},
		Never: "a grant cannot be copied: it dies with its job.",
	}
}

// EndedAttempt (S03) refuses a grant whose attempt the ledger does not let look:
// state is the ledger's word for it.
func EndedAttempt(attempt, state string) Refusal {
	return Refusal{
		ID: "S03", Exit: exitSealed,
		What:  fmt.Sprintf("The grant in CAPEVAL_SEAL_GRANT belongs to attempt %s, whose job has ended (ledger: %s).", attempt, state),
		Do:    []string{"unset CAPEVAL_SEAL_GRANT, then " + onVal},
		Never: "a grant cannot be copied or made by hand: the ledger knows each attempt.",
	}
}

// OtherSplit (S04) refuses a test binary whose test split is not the one that
// was reserved. difference names the first task that differs, "" where only the
// fingerprints are known.
func OtherSplit(found, reserved, difference string) Refusal {
	r := Refusal{
		ID: "S04", Exit: exitIntegrity,
		What:  fmt.Sprintf("This binary's test split is %s; the finalize job reserved %s.", found, reserved),
		Do:    []string{"do not edit tasks between reserve and run", again},
		Never: "a grant opens the tasks that were reserved, in the checkout where they were, and no others.",
	}
	if difference != "" {
		r.What += " First difference: " + difference + "."
	}
	return r
}

// OtherPlan (S04) refuses a plan (suite, tasks, trials, base seed) other than
// the reserved one.
func OtherPlan(found, reserved, difference string) Refusal {
	r := Refusal{
		ID: "S04", Exit: exitIntegrity,
		What:  fmt.Sprintf("This binary's plan is %s; the finalize job reserved %s.", found, reserved),
		Do:    []string{"run the trials and the base seed that were reserved: they are part of the look", again},
		Never: "a plan cannot change after it was reserved.",
	}
	if difference != "" {
		r.What += " First difference: " + difference + "."
	}
	return r
}

// OtherSuite (S04) refuses a suite that the grant does not speak of.
func OtherSuite(found, reserved string) Refusal {
	return Refusal{
		ID: "S04", Exit: exitIntegrity,
		What:  fmt.Sprintf("This is suite %q; the grant in CAPEVAL_SEAL_GRANT is for suite %q.", found, reserved),
		Do:    []string{"run only the reserved suite with this grant; finalize does so by itself"},
		Never: "one grant opens one suite.",
	}
}

// OutsidePlan (S04) refuses a trial that was not reserved.
func OutsidePlan(s Slot) Refusal {
	return Refusal{
		ID: "S04", Exit: exitIntegrity,
		What:  fmt.Sprintf("Trial %s is not in the plan that the finalize job reserved.", s),
		Do:    []string{"do not edit tasks or trial counts between reserve and run", again},
		Never: "a trial that was not reserved cannot be run in the look.",
	}
}

// AskedTwice (S05) refuses a trial that was granted before.
func AskedTwice(s Slot) Refusal {
	return Refusal{
		ID: "S05", Exit: exitLooked,
		What:  fmt.Sprintf("Trial %s was already granted once in this finalize.", s),
		Do:    []string{"remove --repeat, -count, FlakeAttempts, MustPassRepeatedly from the eval suite, and start it once"},
		Never: "a test trial runs once: a second run would be a second look.",
	}
}

// WouldAskTwice (S05) refuses, before anything ran, what would run a trial again:
// a flag or a decorator.
func WouldAskTwice(what string) Refusal {
	return Refusal{
		ID: "S05", Exit: exitUsage,
		What:  fmt.Sprintf("%s would run test trials again, and each is granted once. Nothing ran.", what),
		Do:    []string{"remove --repeat, -count, FlakeAttempts, MustPassRepeatedly from the eval suite"},
		Never: "a test trial runs once: a second run would be a second look.",
	}
}

// NotWhole refuses, before anything ran, a sealed run that would leave out a
// part of the reserved plan.
func NotWhole(what string) Refusal {
	return Refusal{
		ID: "S17", Exit: exitUsage,
		What:  fmt.Sprintf("%s leaves out a part of the test split, and the look is at the whole of it. Nothing ran.", what),
		Do:    []string{"remove it, and start finalize again; nothing was burned"},
		Never: "a selection of the test split is no held-out result.",
	}
}

// Contradicts refuses, before anything ran, a setting that asks for something
// else than the grant gives.
func Contradicts(origin, found, granted string) Refusal {
	return Refusal{
		ID: "S17", Exit: exitUsage,
		What:  fmt.Sprintf("%s asks for %s, and the grant in CAPEVAL_SEAL_GRANT is for %s. Nothing ran.", origin, found, granted),
		Do:    []string{"unset " + origin + " in the finalize job"},
		Never: "a grant opens the test split and nothing else.",
	}
}

// Override (S23) refuses variables that want to be an override.
func Override(names []string) Refusal {
	return Refusal{
		ID: "S23", Exit: exitUsage,
		What:  some(names) + ": CAPEVAL_ALLOW_* has no meaning. Overrides need --relook-reason.",
		Do:    []string{"unset " + some(names)},
		Never: noVariable,
	}
}
