package config

import "errors"

// environment lists the variables, in the order in which their errors are
// reported, and the settings that they give.
func environment() []struct{ name, key string } {
	return []struct{ name, key string }{
		{"CAPEVAL_SPLIT", "split"},
		{"CAPEVAL_TRIALS", "trials"},
		{"CAPEVAL_BASE_SEED", "base_seed"},
		{"CAPEVAL_RUN_DIR", "run_dir"},
		{"CAPEVAL_WORKERS", "workers"},
		{"CAPEVAL_SHARD", "shard"},
		{"CAPEVAL_ARM", "arm"},
	}
}

// applyEnv lays the environment over r. An empty variable is one that is not
// set, since that is what an unset input of a CI job becomes.
func (r *Run) applyEnv(env func(string) (string, bool)) error {
	var errs []error
	for _, e := range environment() {
		text, ok := env(e.name)
		switch {
		case !ok || text == "":
		case e.key == "shard" && text == AutoShard:
			errs = append(errs, r.ApplyAutoShard(env, LayerEnv, e.name))
		default:
			errs = append(errs, r.Apply(e.key, text, LayerEnv, e.name))
		}
	}
	return errors.Join(errs...)
}
