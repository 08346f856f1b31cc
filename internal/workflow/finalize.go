package workflow

import (
	"fmt"
	"strings"

	"github.com/rhysd/actionlint"
)

// finalizeWorkflow holds the workflow around the finalize job j to the rules:
// what starts it, what stops it, and what its tokens may do.
func (p *policy) finalizeWorkflow(f *file, j *job) {
	for _, e := range f.flow.On {
		if e == nil {
			continue
		}
		switch name := e.EventName(); {
		case outside(name):
			p.say(f, eventPos(e), Problem, "finalize_trigger", "the trigger "+name+" in a workflow that finalizes",
				"workflow_dispatch or a tag: whoever opens a pull request must not start the one look at the test split", patch("  on:", "-   "+name+":", "+   workflow_dispatch:"))
		case name == "push" && !filtered(e):
			p.say(f, eventPos(e), Warning, "finalize_trigger", "finalize at every push, to any branch",
				"workflow_dispatch, or tags", patch("  on:", "    push:", "+     tags: ['v*']"))
		}
	}
	if j.Strategy != nil && j.Strategy.Matrix != nil {
		p.say(f, j.Strategy.Pos, Problem, "finalize_matrix", "a matrix in the finalize job "+j.id,
			"one job: the legs of a matrix race for the one look at the test split", patch("-     strategy:", "-       matrix: ..."))
	}
	p.topPermissions(f)
	for _, other := range f.jobs {
		if other.id != j.id && other.Permissions != nil && grants(other.Permissions, "contents") == "write" {
			p.say(f, other.Permissions.Pos, Problem, "finalize_other_write", fmt.Sprintf("the job %s with contents: write beside finalize", other.id),
				"finalize alone to write contents, where the ledger lies", patch("-       contents: write", "+       contents: read"))
		}
	}
}

// finalizeJob holds the job itself to the rules.
func (p *policy) finalizeJob(f *file, j *job) {
	p.concurrency(f, j)
	if j.Environment == nil || j.Environment.Name == nil || strings.TrimSpace(j.Environment.Name.Value) == "" {
		p.say(f, j.at, Problem, "finalize_environment", "the finalize job "+j.id+" without an environment",
			"one with required reviewers, so that a person lets the look happen", patch("  "+j.id+":", "+     environment: capeval-finalize"))
	}
	hint := patch("  "+j.id+":", "+     permissions:", "+       contents: write")
	if j.Permissions == nil {
		p.say(f, j.at, Problem, "finalize_permissions", "the finalize job "+j.id+" without permissions of its own",
			"permissions: {contents: write}, which the ledger needs, and nothing more", hint)
		return
	}
	if j.Permissions.All != nil {
		p.say(f, j.Permissions.All.Pos, Problem, "finalize_permissions", "permissions: "+j.Permissions.All.Value+" in the finalize job "+j.id,
			"permissions: {contents: write} and nothing more", hint)
		return
	}
	if grants(j.Permissions, "contents") != "write" {
		p.say(f, j.Permissions.Pos, Problem, "finalize_permissions", "a finalize job "+j.id+" that may not write contents",
			"contents: write, for the ledger", hint)
	}
	for _, s := range writeScopes(j.Permissions) {
		if s.Name.Value != "contents" {
			p.say(f, s.Name.Pos, Problem, "finalize_permissions", s.Name.Value+": write in the finalize job "+j.id,
				"contents: write and nothing more: the agent runs here; sign and publish in another job", patch("-       "+s.Name.Value+": write"))
		}
	}
}

// topPermissions asks that a workflow's default is a token that writes nothing.
func (p *policy) topPermissions(f *file) {
	top := f.flow.Permissions
	hint := patch("+ permissions: {}")
	switch {
	case top == nil:
		p.say(f, nil, Problem, "top_permissions", "no permissions at the top of a workflow that finalizes", "permissions: {}, else the repository's default counts, which may be to write", hint)
	case top.All != nil && top.All.Value != "read-all":
		p.say(f, top.All.Pos, Problem, "top_permissions", "permissions: "+top.All.Value+" at the top", "permissions: {}", hint)
	default:
		for _, s := range writeScopes(top) {
			p.say(f, s.Name.Pos, Problem, "top_permissions", s.Name.Value+": write at the top, for every job", "permissions: {} at the top, and what a job needs in the job", patch("-   "+s.Name.Value+": write"))
		}
	}
}

// concurrency asks for one finalize at a time that nothing cancels.
func (p *policy) concurrency(f *file, j *job) {
	const need = "a group for the whole repository with cancel-in-progress: false: a look that is cancelled has happened"
	hint := patch("+ concurrency:", "+   group: capeval-finalize", "+   cancel-in-progress: false")
	found := false
	for _, c := range []*actionlint.Concurrency{f.flow.Concurrency, j.Concurrency} {
		if c == nil {
			continue
		}
		found = true
		if b := c.CancelInProgress; b != nil && (b.Value || b.Expression != nil) {
			p.say(f, b.Pos, Problem, "finalize_concurrency", "cancel-in-progress: "+b.String(), need, patch("-   cancel-in-progress: "+b.String(), "+   cancel-in-progress: false"))
		}
		if c.Group != nil && c.Group.ContainsExpression() {
			p.say(f, c.Group.Pos, Warning, "finalize_concurrency", "the group "+c.Group.Value+", which is not one for the whole repository", need, hint)
		}
	}
	if !found {
		p.say(f, j.at, Problem, "finalize_concurrency", "the finalize job "+j.id+" without concurrency", need, hint)
	}
}

// outside reports whether people without write access can cause the event.
func outside(event string) bool {
	for _, prefix := range []string{"pull_request", "issue", "discussion", "workflow_run", "merge_group", "fork", "watch", "check_", "status", "gollum"} {
		if strings.HasPrefix(event, prefix) {
			return true
		}
	}
	return false
}

// filtered reports whether a push counts only on some branches or tags.
func filtered(e actionlint.Event) bool {
	w, ok := e.(*actionlint.WebhookEvent)
	return ok && (!w.Branches.IsEmpty() || !w.Tags.IsEmpty())
}

func eventPos(e actionlint.Event) *actionlint.Pos {
	if w, ok := e.(*actionlint.WebhookEvent); ok {
		return w.Pos
	}
	return nil
}
