package workflow

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

// job is a job and how it calls capeval-ci.
type job struct {
	*actionlint.Job
	id       string
	at       *actionlint.Pos
	commands []call
	reuses   string // the workflow of this repository that it runs, "" when it is none
}

// call is one call of capeval-ci.
type call struct {
	sub string // such as gate; "" when it is not known
	at  *actionlint.Pos
}

func (p *policy) jobOf(f *file, id string, j *actionlint.Job) *job {
	out := &job{Job: j, id: id, at: j.Pos}
	if out.at == nil {
		out.at = &actionlint.Pos{Line: 1, Col: 1}
	}
	if c := j.WorkflowCall; c != nil && c.Uses != nil && strings.HasPrefix(c.Uses.Value, "./") {
		out.reuses = path.Clean(c.Uses.Value)
	}
	for _, s := range j.Steps {
		switch e := s.Exec.(type) {
		case *actionlint.ExecRun:
			if e.Run != nil {
				for _, sub := range commands(e.Run.Value) {
					out.commands = append(out.commands, call{sub, f.within(e.Run.Pos, command, sub)})
				}
			}
		case *actionlint.ExecAction:
			if e.Uses != nil {
				out.commands = append(out.commands, p.actionCalls(e)...)
			}
		}
	}
	return out
}

// actionCalls returns the calls of capeval-ci that an action makes: the project's
// own action, or an action of this repository whose file calls it.
func (p *policy) actionCalls(e *actionlint.ExecAction) []call {
	uses := e.Uses.Value
	name, _, _ := strings.Cut(strings.ToLower(uses), "@")
	ours := name == "capeval/capeval" || strings.HasPrefix(name, "capeval/capeval/")
	var subs []string
	if strings.HasPrefix(uses, "./") {
		for _, file := range []string{"action.yml", "action.yaml"} {
			data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(path.Clean(uses)), file))
			if err == nil && len(data) <= maxFile {
				subs = append(subs, commands(string(data))...)
			}
		}
	}
	if !ours && len(subs) == 0 {
		return nil
	}
	var out []call
	for _, sub := range subs {
		if isSub(sub) {
			out = append(out, call{sub, e.Uses.Pos})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, key := range slices.Sorted(maps.Keys(e.Inputs)) { // the action runs what its inputs say
		if in := e.Inputs[key]; in != nil && in.Value != nil {
			fields := strings.Fields(in.Value.Value)
			if len(fields) > 0 && isSub(fields[0]) {
				return []call{{fields[0], e.Uses.Pos}}
			}
		}
	}
	if sub := path.Base(name); ours && isSub(sub) {
		return []call{{sub, e.Uses.Pos}}
	}
	return []call{{"", e.Uses.Pos}}
}

// isSub reports whether s is a sub-command that the rules speak of.
func isSub(s string) bool {
	return slices.Contains([]string{"run", "gate", "finalize", "report", "merge", "check", "comment", "seal", "result", "import"}, s)
}

// has returns the calls of one sub-command.
func (j *job) has(sub string) []call {
	var out []call
	for _, c := range j.commands {
		if c.sub == sub {
			out = append(out, c)
		}
	}
	return out
}

func (j *job) finalizes() bool { return len(j.has("finalize")) > 0 }

// measures reports whether the job runs agents on splits that may be seen.
func (j *job) measures() bool { return len(j.has("run"))+len(j.has("gate")) > 0 }

// runsAgents reports whether the agent under test runs in the job.
func (j *job) runsAgents() bool { return j.finalizes() || j.measures() }
