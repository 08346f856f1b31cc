package evaltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"

	"github.com/capeval/capeval/internal/durable"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/record"
)

// envDeclare names the file into which a dry run writes what the suite declares,
// so that a finalize can reserve it before anything runs.
const envDeclare = "CAPEVAL_SEAL_DECLARE"

// sealedPlan is the plan of the test split, as it was declared here.
func (s *suite) sealedPlan() seal.Plan {
	p := seal.Plan{Suite: s.settings.name, BaseSeed: s.settings.run.BaseSeed.V}
	p.Scorer, _ = scorerDigest() // "" where the files are away, and then for all
	for _, t := range s.reg.of(record.Test) {
		p.Tasks = append(p.Tasks, t.sealedTask())
	}
	return p
}

func (t *task) sealedTask() seal.Task {
	return seal.Task{ID: t.id, Digest: t.digest, Trials: t.trials}
}

// declareAll writes the declaration, where a dry run was asked for one.
func (s *suite) declareAll(report ginkgo.Report) {
	path := os.Getenv(envDeclare)
	if path == "" {
		return
	}
	if s.settings.name == "" {
		s.settings.name = report.SuiteDescription
	}
	if err := s.writeDeclaration(path, report); err != nil {
		ginkgo.Fail(fmt.Sprintf("capeval: %s: %v", envDeclare, err))
	}
}

func (s *suite) writeDeclaration(path string, report ginkgo.Report) error {
	plan := s.sealedPlan()
	d := seal.Declaration{
		Schema: seal.DeclarationSchema, Suite: s.settings.name, Package: packageName(),
		BaseSeed: plan.BaseSeed, Scorer: plan.Scorer,
		Tasks: []seal.DeclaredTask{}, Problems: []seal.DeclaredProblem{},
	}
	for _, split := range []record.Split{record.Train, record.Val, record.Test} {
		for _, t := range s.reg.of(split) {
			d.Tasks = append(d.Tasks, seal.DeclaredTask{Task: t.sealedTask(), Split: split})
		}
	}
	for _, p := range s.declarationProblems(report) {
		d.Problems = append(d.Problems, seal.DeclaredProblem{Exit: p.exit, Code: p.code, Text: p.text})
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return err
	}
	return durable.WriteFile(path, buf.Bytes(), durable.Options{})
}
