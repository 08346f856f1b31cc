package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

// apply holds every workflow to the rules.
func (p *policy) apply() {
	p.lint()
	p.oneFinalize()
	for _, f := range p.files {
		for _, j := range f.jobs {
			if j.finalizes() {
				p.finalizeWorkflow(f, j)
				p.finalizeJob(f, j)
			} else if p.reaches(j, (*job).finalizes, nil) {
				p.finalizeWorkflow(f, j) // what starts the one that it runs
			}
			if j.runsAgents() {
				p.agentJob(f, j)
			}
			if p.reaches(j, (*job).measures, nil) {
				p.agentTriggers(f)
			}
			if f.calls {
				p.steps(f, j)
			}
		}
	}
}

// lint reports what actionlint found. In workflows that have nothing to do with
// capeval it is advice.
func (p *policy) lint() {
	for _, f := range p.files {
		for _, e := range f.lint {
			at := &actionlint.Pos{Line: e.Line, Col: e.Column}
			level, code, need, hint := Problem, "actionlint_"+e.Kind, "a workflow that its forge reads as it is meant", ""
			switch {
			case strings.Contains(e.Message, "potentially untrusted"):
				code, need = "script_injection", "texts that strangers choose in the environment of the step, not in its script"
				hint = injectionHint
				if quoted := strings.Split(e.Message, `"`); len(quoted) > 2 {
					at = f.within(at, quoted[1])
				}
			case e.Kind == "runner-label" || e.Kind == "action" || e.Kind == "deprecated-commands" || e.Kind == "if-cond":
				level = Warning
			}
			if !f.calls {
				level = Warning
			}
			p.say(f, at, level, code, e.Message, need, hint)
		}
	}
}

// oneFinalize counts the places from which finalize is started.
func (p *policy) oneFinalize() {
	var first *file
	var where string
	calling := false
	for _, f := range p.files {
		calling = calling || f.calls
		for _, j := range f.jobs {
			for _, c := range j.has("finalize") {
				if first == nil {
					first, where = f, fmt.Sprintf("%s:%d", f.name, c.at.Line)
					continue
				}
				p.say(f, c.at, Problem, "finalize_twice", "a second call of finalize, the first at "+where,
					"one job that finalizes: two of them race for the one look at the test split", patch("-       - run: capeval-ci finalize ..."))
			}
		}
	}
	reused := map[string]string{}
	for _, f := range p.files {
		for _, j := range f.jobs {
			if j.reuses == "" || !p.reaches(j, (*job).finalizes, nil) {
				continue
			}
			at := fmt.Sprintf("%s:%d", f.name, j.at.Line)
			if was, twice := reused[j.reuses]; twice {
				p.say(f, j.at, Problem, "finalize_twice", "a second job that runs "+j.reuses+", which finalizes; the first at "+was,
					"one job that finalizes: two of them race for the one look at the test split", "")
			}
			reused[j.reuses] = at
		}
	}
	if first == nil && calling {
		p.findings = append(p.findings, Finding{File: folder, Level: Warning, Code: "no_finalize", Found: "no job that calls `capeval-ci finalize`",
			Need: "one, to publish a score of the test split", Hint: finalizeHint})
	}
}

// reaches reports whether ok holds for a job, or for one of a workflow of this
// repository that it runs.
func (p *policy) reaches(j *job, ok func(*job) bool, seen map[string]bool) bool {
	if ok(j) {
		return true
	}
	if j.reuses == "" || seen[j.reuses] {
		return false
	}
	further := maps.Clone(seen)
	if further == nil {
		further = map[string]bool{}
	}
	further[j.reuses] = true
	for _, f := range p.files {
		if f.name == j.reuses && slices.ContainsFunc(f.jobs, func(inner *job) bool { return p.reaches(inner, ok, further) }) {
			return true
		}
	}
	return false
}

// patch is a hint: lines as a patch shows them.
func patch(lines ...string) string { return strings.Join(lines, "\n") }

const injectionHint = `-       - run: echo "${{ github.event.pull_request.title }}"
+       - env:
+           TITLE: ${{ github.event.pull_request.title }}
+         run: echo "$TITLE"`

const finalizeHint = `+ on:
+   workflow_dispatch:
+     inputs:
+       release: {required: true}
+ permissions: {}
+ concurrency: {group: capeval-finalize, cancel-in-progress: false}
+ jobs:
+   finalize:
+     runs-on: ubuntu-latest
+     environment: capeval-finalize
+     permissions: {contents: write}
+     steps:
+       - uses: actions/checkout@<commit>
+         with: {persist-credentials: false}
+       - env: {RELEASE: "${{ inputs.release }}"}
+         run: capeval-ci finalize --release "$RELEASE"`
