package cli

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/record"
	"github.com/capeval/capeval/stats"
)

// The types of an in-toto statement about a test result.
const (
	statementType = "https://in-toto.io/Statement/v1"
	predicateType = "https://in-toto.io/attestation/test-result/v0.1"
)

// descriptor names a resource: it has a digest, a URI or both.
type descriptor struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest,omitempty"`
}

// statement is what a job attests: this final.json, about this candidate.
type statement struct {
	Type          string       `json:"_type"`
	Subject       []descriptor `json:"subject"`
	PredicateType string       `json:"predicateType"`
	Predicate     predicate    `json:"predicate"`
}

type predicate struct {
	Result        string       `json:"result"`
	Configuration []descriptor `json:"configuration"`
	URL           string       `json:"url,omitempty"`
	PassedTests   []string     `json:"passedTests,omitempty"`
	WarnedTests   []string     `json:"warnedTests,omitempty"`
	FailedTests   []string     `json:"failedTests,omitempty"`
	Capeval       extension    `json:"capeval"`
}

// extension is ours. A reader who knows none of it is still right, since Result
// never says more than it does.
type extension struct {
	Attempt   string         `json:"attempt"`
	Look      int            `json:"look"`
	Reward    stats.Estimate `json:"reward"`
	Stderr    stats.Estimate `json:"stderr"`
	TestDelta stats.Estimate `json:"test_delta"`
}

// intotoStatement is the statement about a published look, whose final.json has
// the bytes data. Its result is PASSED for a first look, WARNED for a later one, a
// forced one, a salvaged one, or one on a ledger that no other machine sees, and
// FAILED where a rule was set and rejected the candidate. A task passed when all
// its trials did, failed when none did, and is warned of otherwise.
func intotoStatement(f record.Final, data []byte, configuration ...descriptor) ([]byte, error) {
	s := statement{
		Type: statementType, PredicateType: predicateType,
		Subject: []descriptor{{Name: "final.json", Digest: digestSet(ledger.Digest(data))}},
		Predicate: predicate{
			Result: "PASSED", URL: f.Run.URL,
			Configuration: append(configuration,
				descriptor{Name: "test-split", Digest: digestSet(f.Seal.Fingerprint)},
				descriptor{Name: "ledger", URI: f.Ledger.Ref, Digest: digestSet(f.Ledger.Observed)},
				descriptor{Name: "scorer", Digest: digestSet(f.Scorer)},
			),
			Capeval: extension{f.Seal.Attempt, f.Seal.Number, f.Test.Reward, f.Test.Stderr, f.TestDelta},
		},
	}
	if d := digestSet(f.Candidate.Digest); d != nil {
		s.Subject = append(s.Subject, descriptor{Name: "candidate", Digest: d})
	}
	if f.Seal.Number > 1 || len(f.Seal.Overrides) > 0 || f.Status == record.FinalSalvaged || f.Ledger.Scope != ledger.ScopeRemote {
		s.Predicate.Result = "WARNED"
	}
	if f.Comparison != nil && f.Comparison.Verdict == string(gate.Rejected) {
		s.Predicate.Result = "FAILED"
	}
	named := s.Predicate.Configuration[:0]
	for _, d := range s.Predicate.Configuration {
		if d.URI != "" || len(d.Digest) > 0 { // one of them is required
			named = append(named, d)
		}
	}
	s.Predicate.Configuration = named
	for _, t := range f.Test.PerTask {
		switch v, ok := t.Reward.Value(); {
		case ok && v == 1 && t.NValid == t.NTrials:
			s.Predicate.PassedTests = append(s.Predicate.PassedTests, t.Task)
		case ok && v == 0:
			s.Predicate.FailedTests = append(s.Predicate.FailedTests, t.Task)
		default:
			s.Predicate.WarnedTests = append(s.Predicate.WarnedTests, t.Task)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(s)
	return b.Bytes(), err
}

// digestSet is a digest by its algorithm: "sha256:ab" and "gitTree:ab" name
// theirs, a bare hexadecimal number is a commit's. Anything else is none.
func digestSet(text string) map[string]string {
	algorithm, value, ok := strings.Cut(text, ":")
	if !ok {
		algorithm, value = "gitCommit", text
	}
	if value == "" || strings.Trim(value, "0123456789abcdef") != "" {
		return nil
	}
	return map[string]string{algorithm: value}
}
