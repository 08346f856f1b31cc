package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// environ is the environment of a suite's processes. What the command says of
// the pass replaces whatever was there; a setting is passed on when a flag gave
// it, since the library reads the rest itself.
func (s *call) environ(r *suiteRun, further bool, left int) []string {
	set := map[string]string{
		"CAPEVAL_RUN_DIR":      s.root,
		"CAPEVAL_RUN_ID":       s.command.ID,
		"CAPEVAL_PACKAGE":      r.owner(),
		"CAPEVAL_QUIET":        "1",
		"CAPEVAL_RETRIES_LEFT": strconv.Itoa(left),
	}
	if further {
		set["CAPEVAL_TODO"] = r.dir.Path
	}
	if r.round != "" && !further {
		set["CAPEVAL_ROUND"] = r.round
	}
	if sum := s.cfg.Run.BudgetUSD.V; sum > 0 {
		set["CAPEVAL_BUDGET_USD"] = usd(sum)
	}
	for _, v := range s.settings() {
		if v.name != "" && v.layer == config.LayerFlag {
			set[v.name] = v.text
		}
	}
	ours := []string{"CAPEVAL_TODO", "CAPEVAL_BUDGET_USD", "CAPEVAL_ROUND"}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		_, given := set[name]
		return given || slices.Contains(ours, name)
	})
	for name, text := range set {
		env = append(env, name+"="+text)
	}
	if r.grant != "" {
		env = seal.ChildEnv(env, r.grant)
	}
	slices.Sort(env)
	return env
}

// owner is the name under which the package owns its folder.
func (r *suiteRun) owner() string {
	if r.found {
		return packageOf(r.dir)
	}
	return r.pkg()
}

// setting is a setting as text, and who gave it.
type setting struct {
	name  string // the variable by which the library reads it, "" when it does not
	text  string
	layer config.Layer
}

// settings lists, by key, the settings that shape a plan or bound a run.
func (s *call) settings() map[string]setting {
	run := s.cfg.Run
	return map[string]setting{
		"split":      {"CAPEVAL_SPLIT", run.Split.V, run.Split.Layer()},
		"trials":     {"CAPEVAL_TRIALS", strconv.Itoa(run.Trials.V), run.Trials.Layer()},
		"base_seed":  {"CAPEVAL_BASE_SEED", strconv.FormatInt(run.BaseSeed.V, 10), run.BaseSeed.Layer()},
		"workers":    {"CAPEVAL_WORKERS", strconv.Itoa(run.Workers.V), run.Workers.Layer()},
		"shard":      {"CAPEVAL_SHARD", run.Shard.V.String(), run.Shard.Layer()},
		"arm":        {"CAPEVAL_ARM", run.Arm.V, run.Arm.Layer()},
		"procs":      {"", strconv.Itoa(run.Procs.V), run.Procs.Layer()},
		"budget_usd": {"", usd(run.BudgetUSD.V), run.BudgetUSD.Layer()},
	}
}

func usd(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// samePlan refuses flags that ask for another plan than the run that is resumed
// was made by. The library refuses the rest, as soon as a process runs.
func (s *call) samePlan(run record.Run) error {
	set := s.cfg.Run
	shard := config.Shard{}
	if run.Shard != nil {
		shard = config.Shard{Index: run.Shard.Index, Count: run.Shard.Count}
	}
	trials := run.Trials
	for _, p := range run.Plan {
		if set.Trials.Layer() == config.LayerFlag && p.Trials != set.Trials.V {
			trials = p.Trials // a flag is stronger than what a task says
		}
	}
	return errors.Join(
		sameValue(set.Split, string(run.Split)), sameValue(set.BaseSeed, run.BaseSeed), sameValue(set.Trials, trials),
		sameValue(set.Arm, run.Arm), sameValue(set.Shard, shard))
}

func sameValue[T comparable](v config.Value[T], was T) error {
	if v.Layer() < config.LayerFlag || v.V == was {
		return nil
	}
	return fmt.Errorf("%s: found %v, need %v: another plan cannot continue this run", v.Origin, v.V, was)
}
