package workflow

import (
	"regexp"
	"strings"

	"github.com/rhysd/actionlint"
)

// steps holds the steps of a workflow that calls capeval-ci to the rules.
func (p *policy) steps(f *file, j *job) {
	if c := j.WorkflowCall; c != nil && c.Uses != nil {
		p.pinned(f, c.Uses)
	}
	for _, s := range j.Steps {
		switch e := s.Exec.(type) {
		case *actionlint.ExecRun:
			if e.Run != nil {
				p.inputs(f, e.Run)
			}
		case *actionlint.ExecAction:
			if e.Uses != nil {
				p.pinned(f, e.Uses)
				p.artifact(f, e)
			}
		}
	}
}

var commit = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// pinned asks for actions by commit: a tag is what its owner makes of it.
func (p *policy) pinned(f *file, uses *actionlint.String) {
	name, ref, _ := strings.Cut(uses.Value, "@")
	if strings.HasPrefix(name, "./") || commit.MatchString(ref) || strings.HasPrefix(name, "docker://") && strings.HasPrefix(ref, "sha256:") {
		return
	}
	p.say(f, uses.Pos, Warning, "unpinned_action", uses.Value, "the action at a commit: a tag can be moved to other code",
		patch("-       - uses: "+uses.Value, "+       - uses: "+name+"@<commit> # "+ref))
}

// artifact warns of a download that makes up the name of an artifact again: when
// only this job runs again, run_attempt has grown and the upload's has not.
func (p *policy) artifact(f *file, e *actionlint.ExecAction) {
	if !strings.HasPrefix(strings.ToLower(e.Uses.Value), "actions/download-artifact@") {
		return
	}
	name := e.Inputs["name"]
	if name == nil || name.Value == nil || !strings.Contains(name.Value.Value, "run_attempt") {
		return
	}
	p.say(f, name.Value.Pos, Warning, "artifact_name", "the artifact name "+name.Value.Value+", made up again where it is needed",
		"the name as an output of the job that uploads it: run_attempt grows when only this job runs again",
		patch("-           name: "+name.Value.Value, "+           name: ${{ needs.<job>.outputs.artifact }}"))
}

// chosen finds what whoever starts a workflow types, beyond what actionlint
// knows.
var chosen = regexp.MustCompile(`\$\{\{[^}]*\b(inputs\.|github\.event\.(inputs|client_payload)\b)[^}]*\}\}`)

func (p *policy) inputs(f *file, run *actionlint.String) {
	if text := chosen.FindString(run.Value); text != "" {
		p.say(f, f.within(run.Pos, text), Warning, "script_input", text+" in a script", "what somebody types in the environment of the step, not in its script",
			patch("+         env:", "+           VALUE: "+text, "          run: ... \"$VALUE\""))
	}
}
