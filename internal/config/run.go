package config

import (
	"fmt"
	"slices"
	"strings"
)

// Apply lays text over the run setting key, as flags and the environment do,
// unless a stronger layer already gave it. The keys are those of the file below
// run, and run_dir and shard. The error begins with origin, which is the name
// of the flag or variable, and says what was found and what is needed.
func (r *Run) Apply(key, text string, l Layer, origin string) error {
	set, ok := r.setters()[key]
	if !ok {
		return fmt.Errorf("%s: found the setting %q, need one of %s", origin, key, strings.Join(RunKeys(), ", "))
	}
	if err := set(text, l, origin); err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	return nil
}

// RunKeys returns the keys that [Run.Apply] knows, sorted.
func RunKeys() []string {
	var keys []string
	for k := range new(Run).setters() {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

type setter func(text string, l Layer, origin string) error

func (r *Run) setters() map[string]setter {
	return map[string]setter{
		"split":          setterOf(&r.Split, envSplitKind()),
		"trials":         setterOf(&r.Trials, trialsKind()),
		"base_seed":      setterOf(&r.BaseSeed, seedKind()),
		"arm":            setterOf(&r.Arm, armKind()),
		"procs":          setterOf(&r.Procs, procsKind()),
		"workers":        setterOf(&r.Workers, workersKind()),
		"timeout":        setterOf(&r.Timeout, duration()),
		"retry_missing":  setterOf(&r.RetryMissing, retryKind()),
		"budget_usd":     setterOf(&r.BudgetUSD, budgetKind()),
		"min_coverage":   setterOf(&r.MinCoverage, coverageKind()),
		"pass_threshold": setterOf(&r.PassThreshold, thresholdKind()),
		"out":            setterOf(&r.Out, pathKind()),
		"run_dir":        setterOf(&r.RunDir, pathKind()),
		"shard":          setterOf(&r.Shard, shard()),
	}
}

func setterOf[T any](into *Value[T], k kind[T]) setter {
	return func(text string, l Layer, origin string) error {
		v, err := k.read(text)
		if err != nil {
			return err
		}
		*into = into.Over(v, l, origin)
		return nil
	}
}

// ParseShard reads i/n, counting from 1.
func ParseShard(text string) (Shard, error) { return shard().read(text) }

// Whole reports whether s is not a part of a run.
func (s Shard) Whole() bool { return s == Shard{} }

// String returns i/n, and "" for the whole run.
func (s Shard) String() string {
	if s.Whole() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}
