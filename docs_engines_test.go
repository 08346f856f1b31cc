package capeval_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The types below are the parts of each engine's format that our examples use,
// written from its reference. A key that is not in them is a mistake here or in
// an example: decoding is strict, so a typo and a key of another level fail.

type step struct {
	Uses, Run, If string
	With          map[string]string
}

type githubWorkflow struct {
	Jobs map[string]struct {
		RunsOn   string `yaml:"runs-on"`
		Needs    string
		If       string
		Strategy struct {
			FailFast *bool `yaml:"fail-fast"`
			Matrix   map[string][]int
		}
		Env   map[string]string
		Steps []step
	}
}

type circleConfig struct {
	Version string
	Jobs    map[string]struct {
		Docker      []struct{ Image string }
		Parallelism int
		Environment map[string]string
		Steps       []any
	}
	Workflows map[string]struct{ Jobs []any }
}

type buildkitePipeline struct {
	Steps []struct {
		Label             string
		Parallelism       int
		Env               map[string]string
		Command           string
		Commands          []string
		ArtifactPaths     string  `yaml:"artifact_paths"`
		Wait              *string `yaml:"wait"`
		ContinueOnFailure bool    `yaml:"continue_on_failure"`
	}
}

type gitlabJob struct {
	Stage     string
	Parallel  int
	Variables map[string]string
	Script    []string
	Needs     []string
	When      string
	Artifacts struct {
		When  string
		Paths []string
	}
}

type gitlabPipeline struct {
	Stages  []string
	Default struct {
		Image        string
		BeforeScript []string `yaml:"before_script"`
	}
	Shards, Merge gitlabJob // any other key at the top is a job: ours has two
}

// indexedJob is batch/v1 Job as far as the manifest goes.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Completions, Parallelism int
		CompletionMode           string `yaml:"completionMode"`
		BackoffLimitPerIndex     *int   `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy         struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					ContainerName string `yaml:"containerName"`
					Operator      string
					Values        []int
				} `yaml:"onExitCodes"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Name, Image string
					WorkingDir  string `yaml:"workingDir"`
					Command     []string
					Env         []struct {
						Name, Value string
						ValueFrom   struct {
							FieldRef struct {
								FieldPath string `yaml:"fieldPath"`
							} `yaml:"fieldRef"`
						} `yaml:"valueFrom"`
					}
					Resources    struct{ Requests map[string]string }
					VolumeMounts []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name                  string
					PersistentVolumeClaim struct {
						ClaimName string `yaml:"claimName"`
					} `yaml:"persistentVolumeClaim"`
				}
			}
		}
	}
}

// strict decodes YAML into a type and refuses keys that it has not.
func strict[T any](t *testing.T, data []byte) T {
	t.Helper()
	v, err := decode[T](data)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func decode[T any](data []byte) (v T, err error) {
	err = yaml.UnmarshalWithOptions(data, &v, yaml.Strict())
	return v, err
}

// TestStrict spoils the examples as a typing hand would.
func TestStrict(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("a spoiled example is taken")
		}
	}
	job := string(exampleFile(t, "k8s-indexed-job.yaml"))
	for _, spoil := range []*strings.Replacer{
		strings.NewReplacer("completionMode:", "completionmode:"), strings.NewReplacer("completions: 8", "completions: eight"),
		strings.NewReplacer("      restartPolicy", "    restartPolicy"), strings.NewReplacer("volumeMounts", "mounts"),
	} {
		_, err := decode[indexedJob]([]byte(spoil.Replace(job)))
		check(err)
	}
	lab := string(exampleFile(t, "gitlab-ci.yml"))
	for _, spoil := range []*strings.Replacer{
		strings.NewReplacer("parallel:", "parallelism:"), strings.NewReplacer("needs:", "need:"), strings.NewReplacer("\nmerge:", "\nmerges:"),
	} {
		_, err := decode[gitlabPipeline]([]byte(spoil.Replace(lab)))
		check(err)
	}
}

func TestEngineExamples(t *testing.T) {
	yamls := blocks(t, "docs/guide/sharding.md", "yaml")
	if len(yamls) != 3 {
		t.Fatalf("the guide has %d blocks of YAML, want those of GitHub, CircleCI and Buildkite", len(yamls))
	}
	gh := strict[githubWorkflow](t, []byte(yamls[0]))
	shard, merge := gh.Jobs["shard"], gh.Jobs["merge"]
	if len(gh.Jobs) != 2 || merge.Needs != "shard" || merge.If != "${{ !cancelled() }}" || shard.Strategy.FailFast == nil || *shard.Strategy.FailFast {
		t.Errorf("GitHub: a shard that fails takes the others or the merge along: %+v", gh)
	}
	if e := shard.Env; e["CAPEVAL_SHARD"] != "auto" || e["CAPEVAL_SHARD_INDEX"] != "${{ strategy.job-index }}" || e["CAPEVAL_SHARD_TOTAL"] != "${{ strategy.job-total }}" {
		t.Errorf("GitHub: got %v", e)
	}
	if merge.Env["CAPEVAL_SHARD"] != "" {
		t.Error("GitHub: the merge calls itself a shard")
	}
	circle := strict[circleConfig](t, []byte(yamls[1]))
	if c := circle.Jobs["shard"]; len(circle.Jobs) != 2 || c.Parallelism < 2 || c.Environment["CAPEVAL_SHARD"] != "auto" || len(circle.Workflows["evals"].Jobs) != 2 {
		t.Errorf("CircleCI: got %+v", circle)
	}
	kite := strict[buildkitePipeline](t, []byte(yamls[2]))
	if s := kite.Steps; len(s) != 3 || s[0].Parallelism < 2 || s[0].Env["CAPEVAL_SHARD"] != "auto" || !s[1].ContinueOnFailure {
		t.Errorf("Buildkite: got %+v", kite)
	}
	lab := strict[gitlabPipeline](t, exampleFile(t, "gitlab-ci.yml"))
	if s := lab.Shards; s.Parallel < 2 || s.Variables["CAPEVAL_SHARD"] != "auto" || s.Artifacts.When != "always" || !slices.Contains(lab.Stages, s.Stage) {
		t.Errorf("GitLab: got %+v", s)
	}
	if m := lab.Merge; m.When != "always" || !slices.Equal(m.Needs, []string{"shards"}) || slices.Index(lab.Stages, m.Stage) <= slices.Index(lab.Stages, lab.Shards.Stage) {
		t.Errorf("GitLab: got %+v", m)
	}
}

func TestIndexedJob(t *testing.T) {
	job := strict[indexedJob](t, exampleFile(t, "k8s-indexed-job.yaml"))
	spec, pod := job.Spec, job.Spec.Template.Spec
	if job.APIVersion != "batch/v1" || job.Kind != "Job" || spec.CompletionMode != "Indexed" || spec.Completions < 2 || spec.Parallelism > spec.Completions || len(pod.Containers) != 1 {
		t.Fatalf("no Indexed Job: %+v", job)
	}
	if pod.RestartPolicy != "Never" || spec.BackoffLimitPerIndex == nil { // FailIndex and the limit need both
		t.Errorf("the failure policy needs restartPolicy Never and backoffLimitPerIndex: %+v", spec)
	}
	c := pod.Containers[0]
	env := map[string]string{}
	for _, e := range c.Env {
		env[e.Name] = e.Value + e.ValueFrom.FieldRef.FieldPath
	}
	if env["CAPEVAL_SHARD_TOTAL"] != strconv.Itoa(spec.Completions) {
		t.Errorf("%s shards of %d completions", env["CAPEVAL_SHARD_TOTAL"], spec.Completions)
	}
	if env["POD_NAME"] != "metadata.name" || !strings.HasSuffix(strings.Join(c.Command, " "), "--shard auto --out /results/$(POD_NAME)") {
		t.Errorf("two tries of one index would write into one directory: %v", c.Command)
	}
	rule := spec.PodFailurePolicy.Rules[0]
	if rule.Action != "FailIndex" || rule.OnExitCodes.ContainerName != c.Name || rule.OnExitCodes.Operator != "In" || !slices.Equal(rule.OnExitCodes.Values, []int{1, 2, 3, 4, 5}) {
		t.Errorf("got rule %+v: infrastructure (6) is tried again, and nothing else", rule)
	}
	if len(pod.Volumes) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name || c.VolumeMounts[0].MountPath != "/results" {
		t.Errorf("the results lie on no volume: %+v", pod.Volumes)
	}
}
