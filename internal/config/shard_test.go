package config

import (
	"strings"
	"testing"
)

func TestShardFromEnv(t *testing.T) {
	check := func(want, origin string, pairs ...string) {
		t.Helper()
		got, from, err := ShardFromEnv(env(pairs...))
		if err != nil || got.String() != want || from != origin {
			t.Errorf("%v: got %s by %q, %v, want %s by %q", pairs, got, from, err, want, origin)
		}
	}
	check("1/3", "CAPEVAL_SHARD_INDEX=0, CAPEVAL_SHARD_TOTAL=3", "CAPEVAL_SHARD_INDEX", "0", "CAPEVAL_SHARD_TOTAL", "3") // strategy.job-index counts from 0
	check("2/3", "CI_NODE_INDEX=2, CI_NODE_TOTAL=3", "CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "3")                         // GitLab from 1
	check("3/3", "CIRCLE_NODE_INDEX=2, CIRCLE_NODE_TOTAL=3", "CIRCLE_NODE_INDEX", "2", "CIRCLE_NODE_TOTAL", "3")         // CircleCI from 0
	check("5/5", "BUILDKITE_PARALLEL_JOB=4, BUILDKITE_PARALLEL_JOB_COUNT=5", "BUILDKITE_PARALLEL_JOB", "4", "BUILDKITE_PARALLEL_JOB_COUNT", "5")
	check("8/8", "JOB_COMPLETION_INDEX=7, CAPEVAL_SHARD_TOTAL=8", "JOB_COMPLETION_INDEX", "7", "CAPEVAL_SHARD_TOTAL", "8")
	check("1/1", "CIRCLE_NODE_INDEX=0, CIRCLE_NODE_TOTAL=1", "CIRCLE_NODE_INDEX", "0", "CIRCLE_NODE_TOTAL", "1") // a job that is not parallel
	// Two engines may speak as long as they agree; an empty variable is silent.
	check("2/4", "CAPEVAL_SHARD_INDEX=1, CAPEVAL_SHARD_TOTAL=4; CI_NODE_INDEX=2, CI_NODE_TOTAL=4",
		"CAPEVAL_SHARD_INDEX", "1", "CAPEVAL_SHARD_TOTAL", "4", "CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "4", "CIRCLE_NODE_INDEX", "")
	check("2/4", "JOB_COMPLETION_INDEX=1, CAPEVAL_SHARD_TOTAL=4", "JOB_COMPLETION_INDEX", "1", "CAPEVAL_SHARD_TOTAL", "4", "CAPEVAL_SHARD_INDEX", "", "CI_NODE_TOTAL", "1")
}

func TestShardFromEnvRefuses(t *testing.T) {
	check := func(want string, pairs ...string) {
		t.Helper()
		got, _, err := ShardFromEnv(env(pairs...))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %s, %v, want an error with %q", pairs, got, err, want)
		}
	}
	// Half a pair, either half, of every engine.
	for _, e := range engines() {
		check("found "+e.index+`="2" without `+e.total+", need both", e.index, "2")
		check("found "+e.total+`="2" without `+indexOf(e.total)+", need both", e.total, "2")
	}
	check(`found JOB_COMPLETION_INDEX="2" without CAPEVAL_SHARD_TOTAL`, "JOB_COMPLETION_INDEX", "2", "CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "3")
	// Out of range, on the side that the engine counts from.
	for _, e := range engines() {
		last, before, after := "2", "-1", "3"
		if e.first == 1 {
			last, before, after = "3", "0", "4"
		}
		if _, _, err := ShardFromEnv(env(e.index, last, e.total, "3")); err != nil {
			t.Errorf("%s=%s of 3: %v", e.index, last, err)
		}
		for _, index := range []string{before, after, "one", "1.0", "01", " 1", "0x1", "99999999999999999999"} {
			check(e.index+`: found "`+index+`", need`, e.index, index, e.total, "3")
		}
		for _, total := range []string{"0", "-3", "three", "10001", "3 "} {
			check(e.total+`: found "`+total+`", need`, e.index, "1", e.total, total)
		}
	}
	check("found shard 1/2 by CI_NODE_INDEX=1, CI_NODE_TOTAL=2, and shard 2/2 by CIRCLE_NODE_INDEX=1, CIRCLE_NODE_TOTAL=2",
		"CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "2", "CIRCLE_NODE_INDEX", "1", "CIRCLE_NODE_TOTAL", "2")
	check("found shard 1/2 by CAPEVAL_SHARD_INDEX=0, CAPEVAL_SHARD_TOTAL=2, and shard 2/2 by JOB_COMPLETION_INDEX=1, CAPEVAL_SHARD_TOTAL=2",
		"CAPEVAL_SHARD_INDEX", "0", "CAPEVAL_SHARD_TOTAL", "2", "JOB_COMPLETION_INDEX", "1")
	// Nothing: every pair is listed.
	for _, e := range engines() {
		check(e.index + " and " + e.total)
	}
	check("this job of GitLab has no parallel", "CI_NODE_TOTAL", "1")
}

func TestAutoShard(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": "module m"})
	c, err := Load(dir, env("CAPEVAL_SHARD", "auto", "CI_NODE_INDEX", "2", "CI_NODE_TOTAL", "8"))
	if err != nil || c.Run.Shard.V != (Shard{2, 8}) || c.Run.Shard.Layer() != LayerEnv {
		t.Errorf("got %v, %v, want 2/8 by the environment", c.Run.Shard, err)
	}
	const origin = "CAPEVAL_SHARD=auto (CI_NODE_INDEX=2, CI_NODE_TOTAL=8)"
	if got := c.Run.Shard.Origin; got != origin {
		t.Errorf("origin %q, want %q", got, origin)
	}
	if _, err := Load(dir, env("CAPEVAL_SHARD", "auto")); err == nil || !strings.HasPrefix(err.Error(), "CAPEVAL_SHARD=auto: found no variable") {
		t.Errorf("without an engine: %v", err)
	}
	// A flag is stronger, whether it says i/n or auto.
	if err := c.Run.Apply("shard", "1/2", LayerFlag, "--shard"); err != nil || c.Run.Shard.V != (Shard{1, 2}) {
		t.Errorf("got %v, %v, want 1/2 by the flag", c.Run.Shard, err)
	}
	if err := c.Run.ApplyAutoShard(env("CIRCLE_NODE_INDEX", "0", "CIRCLE_NODE_TOTAL", "2"), LayerEnv, "CAPEVAL_SHARD"); err != nil || c.Run.Shard.Origin != "--shard" {
		t.Errorf("the environment replaced the flag: %v, %v", c.Run.Shard, err)
	}
}
