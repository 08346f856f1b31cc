package config

import (
	"errors"
	"fmt"
	"strings"
)

// AutoShard is the value of a shard that asks for i/n from the variables of the
// CI engine.
const AutoShard = "auto"

// maxShards is more jobs than any engine starts for one pipeline.
const maxShards = 10000

// engine is a pair of variables by which a CI engine tells each of its parallel
// jobs which one it is.
type engine struct {
	name         string
	index, total string
	first        int // what the engine counts from
}

// engines lists the pairs in the order in which they are told. A GitHub matrix
// sets no variable by itself: the workflow hands its context over under our
// names. An Indexed Job of Kubernetes tells the index and not the count.
func engines() []engine {
	return []engine{
		{"GitHub Actions, set from strategy.job-index and strategy.job-total", "CAPEVAL_SHARD_INDEX", "CAPEVAL_SHARD_TOTAL", 0},
		{"GitLab CI with parallel", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
		{"CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
		{"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
		{"an Indexed Job of Kubernetes, with the count set beside it", "JOB_COMPLETION_INDEX", "CAPEVAL_SHARD_TOTAL", 0},
	}
}

// ShardFromEnv returns the shard that the variables of the CI engine give, and
// these variables with their values as the origin. It refuses half a pair, a
// value that is no number or out of range, and two pairs that disagree, each
// with the variables named; where there is none it lists what it looked for.
// An empty variable counts as one that is not set.
func ShardFromEnv(env func(string) (string, bool)) (Shard, string, error) {
	value := func(name string) string {
		v, _ := env(name)
		return v
	}
	var found []Shard
	var origins []string
	used := map[string]bool{}
	for _, e := range engines() {
		if value(e.index) != "" && value(e.total) != "" {
			used[e.index], used[e.total] = true, true
		}
	}
	for _, e := range engines() {
		index, total := value(e.index), value(e.total)
		switch {
		case index == "" && (total == "" || used[e.total] || e.alone(total)):
			continue
		case index == "":
			return Shard{}, "", fmt.Errorf("found %s=%s without %s, need both", e.total, shown(total), indexOf(e.total))
		case total == "":
			return Shard{}, "", fmt.Errorf("found %s=%s without %s, need both", e.index, shown(index), e.total)
		}
		s, err := e.shard(index, total)
		if err != nil {
			return Shard{}, "", err
		}
		found, origins = append(found, s), append(origins, fmt.Sprintf("%s=%s, %s=%s", e.index, index, e.total, total))
		if found[0] != s {
			return Shard{}, "", fmt.Errorf("found shard %s by %s, and shard %s by %s, need one: unset a pair, or give i/n", found[0], origins[0], s, origins[len(origins)-1])
		}
	}
	if len(found) == 0 {
		return Shard{}, "", noEngine(value)
	}
	return found[0], strings.Join(origins, "; "), nil
}

// alone reports whether a total without an index is that of a job which is not
// parallel: GitLab sets it to 1 in every job.
func (e engine) alone(total string) bool { return e.total == "CI_NODE_TOTAL" && total == "1" }

// indexOf names what may stand beside a total.
func indexOf(total string) string {
	var names []string
	for _, e := range engines() {
		if e.total == total {
			names = append(names, e.index)
		}
	}
	return strings.Join(names, " or ")
}

// shard reads one pair, and counts from 1.
func (e engine) shard(index, total string) (Shard, error) {
	n, err := count(1, maxShards).read(total)
	if err != nil {
		return Shard{}, fmt.Errorf("%s: %w", e.total, err)
	}
	i, err := count(e.first, e.first+n-1).read(index)
	if err != nil {
		return Shard{}, fmt.Errorf("%s: %w, since %s is %d", e.index, err, e.total, n)
	}
	return Shard{i - e.first + 1, n}, nil
}

// noEngine lists what was looked for.
func noEngine(value func(string) string) error {
	var b strings.Builder
	b.WriteString("found no variable that tells the shard, need i/n such as 2/8, or one of these pairs:")
	for _, e := range engines() {
		fmt.Fprintf(&b, "\n  %s and %s, counting from %d (%s)", e.index, e.total, e.first, e.name)
	}
	if value("CI_NODE_TOTAL") == "1" {
		b.WriteString("\n  (CI_NODE_TOTAL is 1: this job of GitLab has no parallel)")
	}
	return errors.New(b.String())
}

// ApplyAutoShard lays the shard that the CI engine's variables give over that of
// r, unless a stronger layer already gave one. Origin is the name of the flag or
// variable that said auto; the origin of the value names the engine's variables
// as well.
func (r *Run) ApplyAutoShard(env func(string) (string, bool), l Layer, origin string) error {
	s, from, err := ShardFromEnv(env)
	if err != nil {
		return fmt.Errorf("%s=%s: %w", origin, AutoShard, err)
	}
	r.Shard = r.Shard.Over(s, l, fmt.Sprintf("%s=%s (%s)", origin, AutoShard, from))
	return nil
}
