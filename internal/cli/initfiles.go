package cli

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates/*.tmpl
var templates embed.FS

// starterFile is a file that init writes.
type starterFile struct {
	path  string // absolute
	data  []byte
	state fileState
}

// files fills in the templates, in the order in which they are told.
func (s *starter) files() ([]starterFile, error) {
	type entry struct{ base, path, template string }
	list := []entry{
		{s.root, "capeval.yaml", "capeval.yaml"},
		{s.root, path.Join(s.Dir, "suite_test.go"), "suite_test.go"},
		{s.root, path.Join(s.Dir, "testdata", "tasks.jsonl"), "tasks.jsonl"},
		{s.root, path.Join(s.stubDir(), "stubagent.go"), "stubagent.go"},
	}
	switch s.flags.forge {
	case "github":
		for _, name := range []string{"gate", "comment", "finalize"} {
			list = append(list, entry{s.repo, ".github/workflows/capeval-" + name + ".yml", "capeval-" + name + ".yml"})
		}
	case "gitlab":
		list = append(list, entry{s.repo, ".gitlab/capeval.yml", "gitlab.yml"})
		if _, err := os.Lstat(filepath.Join(s.repo, ".gitlab-ci.yml")); err != nil {
			list = append(list, entry{s.repo, ".gitlab-ci.yml", "gitlab-include.yml"})
		}
	}
	var out []starterFile
	for _, e := range list {
		data, err := s.render(e.template)
		if err != nil {
			return nil, err
		}
		out = append(out, starterFile{path: filepath.Join(e.base, filepath.FromSlash(e.path)), data: data})
	}
	return out, nil
}

// render fills in one template. Workflows have braces of their own.
func (s *starter) render(name string) ([]byte, error) {
	text, err := templates.ReadFile("templates/" + name + ".tmpl")
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Delims("<%", "%>").Option("missingkey=error").Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, s); err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".go") {
		return format.Source(b.Bytes())
	}
	return b.Bytes(), nil
}

// next says what to type after the files are there.
func (s *starter) next(files []starterFile) []string {
	var lines []string
	if rel := here(s.root); rel != "." {
		lines = append(lines, "cd "+rel)
	}
	if !s.required {
		lines = append(lines, fmt.Sprintf("go get %s@%s", libraryModule, s.Version))
	}
	lines = append(lines,
		"go mod tidy",
		fmt.Sprintf("capeval-ci run ./%s", s.Dir),
		fmt.Sprintf("put your agent in place of %s, then commit the files", s.stubDir()),
	)
	switch s.flags.forge {
	case "github":
		lines = append(lines,
			`require the check "gate / gate" in the rules of the default branch`,
			"before the first score of the test split: capeval-ci seal init, and an environment capeval-finalize with reviewers",
		)
	case "gitlab":
		if !writes(files, ".gitlab-ci.yml") {
			lines = append(lines, "add to .gitlab-ci.yml: include: [{local: /.gitlab/capeval.yml}]")
		}
		lines = append(lines, "before the first score of the test split: capeval-ci seal init")
	}
	return lines
}

// writes reports whether a file of that name was written or is as it would be.
func writes(files []starterFile, name string) bool {
	for _, f := range files {
		if filepath.Base(f.path) == name && f.state != fileKept {
			return true
		}
	}
	return false
}

// tellJSON prints what was done as one object.
func (s *starter) tellJSON(std IO, files []starterFile) error {
	doc := struct {
		Schema  string   `json:"schema"`
		Root    string   `json:"root"`
		Suite   string   `json:"suite"`
		Written []string `json:"written"`
		Same    []string `json:"same"`
		Kept    []string `json:"kept"`
		Next    []string `json:"next"`
	}{"capeval.init/v1", s.root, s.Suite, []string{}, []string{}, []string{}, s.next(files)}
	for _, f := range files {
		list := map[fileState]*[]string{fileWrote: &doc.Written, fileSame: &doc.Same, fileKept: &doc.Kept}[f.state]
		*list = append(*list, f.path)
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err == nil {
		_, err = std.Out.Write(append(data, '\n'))
	}
	return err
}
