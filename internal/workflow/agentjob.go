package workflow

import (
	"strings"

	"github.com/rhysd/actionlint"
)

// agentJob holds a job in which the agent under test runs to the rules: the agent
// is code that nobody has reviewed yet.
func (p *policy) agentJob(f *file, j *job) {
	p.checkouts(f, j)
	if j.finalizes() {
		return // its token has rules of its own
	}
	allowed, at := j.Permissions, j.at
	if allowed == nil {
		allowed = f.flow.Permissions
	}
	const need = "a token that only reads: the agent runs beside it"
	hint := patch("  "+j.id+":", "+     permissions:", "+       contents: read")
	switch {
	case allowed == nil:
		p.say(f, at, Problem, "agent_permissions", "the job "+j.id+" without permissions, its own or the workflow's; the repository's default may be to write", need, hint)
	case allowed.All != nil && allowed.All.Value != "read-all":
		p.say(f, allowed.All.Pos, Problem, "agent_permissions", "permissions: "+allowed.All.Value+" for the job "+j.id, need, hint)
	default:
		for _, s := range writeScopes(allowed) {
			p.say(f, s.Name.Pos, Problem, "agent_permissions", s.Name.Value+": "+s.Value.Value+" for the job "+j.id, need, patch("-       "+s.Name.Value+": "+s.Value.Value))
		}
	}
}

// agentTriggers refuses what runs a stranger's code with the rights of the
// repository.
func (p *policy) agentTriggers(f *file) {
	for _, e := range f.flow.On {
		if e != nil && (e.EventName() == "pull_request_target" || e.EventName() == "workflow_run") {
			level := Problem
			if e.EventName() == "workflow_run" {
				level = Warning
			}
			p.say(f, eventPos(e), level, "agent_trigger", "the trigger "+e.EventName()+" in a workflow that runs agents",
				"pull_request: the other runs a stranger's code beside the repository's secrets", patch("  on:", "-   "+e.EventName()+":", "+   pull_request:"))
		}
	}
}

// checkouts asks that no checkout leaves its token where the agent finds it.
func (p *policy) checkouts(f *file, j *job) {
	for _, s := range j.Steps {
		e, ok := s.Exec.(*actionlint.ExecAction)
		if !ok || e.Uses == nil || !strings.HasPrefix(strings.ToLower(e.Uses.Value), "actions/checkout@") {
			continue
		}
		in := e.Inputs["persist-credentials"]
		if in != nil && in.Value != nil && strings.EqualFold(in.Value.Value, "false") {
			continue
		}
		found, at := "a checkout that leaves its token in .git/config, in the job "+j.id, e.Uses.Pos
		if in != nil && in.Value != nil {
			found, at = "persist-credentials: "+in.Value.Value+" in the job "+j.id, in.Value.Pos
		}
		p.say(f, at, Problem, "persist_credentials", found, "persist-credentials: false where agents run",
			patch("        - uses: "+e.Uses.Value, "+         with:", "+           persist-credentials: false"))
	}
}
