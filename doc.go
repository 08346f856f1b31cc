// Package capeval makes go test measure what an AI agent can do, and makes CI
// act on the measurement honestly.
//
// There is nothing to import here. Tasks are declared with package evaltest and
// asserted on with package matchers; records and results are package record; the
// numbers come from package stats. The command is cmd/capeval-ci.
package capeval
