package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/importer"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/record"
)

// source is one result that a path holds, not computed yet.
type source struct {
	key  record.Key
	path string
	load func() (measured, error)
}

// sourcesOf lists what a path holds. The list is not empty.
func sourcesOf(std IO, path string) ([]source, error) {
	if path == "-" {
		data, err := io.ReadAll(std.In)
		if err != nil {
			return nil, withCode(exitInfra, err)
		}
		return sourcesIn(std, data, "standard input")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, withCode(exitUsage, err)
	}
	if info.IsDir() {
		return sourcesBelow(std, path)
	}
	if dir := filepath.Dir(path); filepath.Base(path) == "trials.jsonl" && isFile(filepath.Join(dir, "run.json")) {
		return sourcesBelow(std, dir) // the plan lies beside it, and the plan is the denominator
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	return sourcesIn(std, data, path)
}

// sourcesBelow lists the suites of a folder.
func sourcesBelow(std IO, path string) ([]source, error) {
	dirs := []rundir.Dir{{Path: path}}
	if !isFile(filepath.Join(path, "run.json")) {
		var err error
		if dirs, err = rundir.Suites(path); err != nil {
			return nil, withCode(exitIntegrity, err)
		}
		if len(dirs) == 0 {
			return savedBaselines(path)
		}
	}
	var sources []source
	for _, d := range dirs {
		run, err := d.ReadRun()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(std.Err, "%s: the suite never came to its first trial, so it has no result\n", d.Path)
			continue
		case err != nil:
			return nil, withCode(exitIntegrity, err)
		}
		sources = append(sources, source{run.Key(), d.Path, func() (measured, error) { return fromFolder(d) }})
	}
	if len(sources) == 0 {
		return nil, fail(exitUsage, "%s holds no suite that came to its first trial", path)
	}
	return sources, nil
}

// fromFolder is the plan of a suite's folder less its journal.
func fromFolder(d rundir.Dir) (measured, error) {
	trials, _, err := d.ReadJournal()
	if err != nil {
		return measured{}, withCode(exitUsage, err) // a bad line
	}
	r, err := d.Result(record.Options{})
	if err != nil {
		return measured{}, withCode(exitIntegrity, err) // rows that contradict each other or the plan
	}
	m, err := metricsOf(trials)
	return measured{r, m}, withCode(exitIntegrity, err)
}

// savedBaselines lists what `run --save-baseline` wrote into a folder: a
// result.json for each suite.
func savedBaselines(path string) ([]source, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	var found []string
	for _, e := range entries {
		if file := filepath.Join(path, e.Name(), "result.json"); isFile(file) {
			found = append(found, file)
		}
	}
	if one := filepath.Join(path, "result.json"); isFile(one) {
		found = []string{one}
	}
	if len(found) == 0 {
		return nil, fail(exitUsage, "%s holds no run, need a run directory, a suite's folder, a result.json or a file of trials", path)
	}
	var sources []source
	for _, file := range found {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, withCode(exitInfra, err)
		}
		s, err := fromResult(data, file)
		if err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}

// sourcesIn lists the results of one file: a result.json, a report of Ginkgo, or
// trials that any harness wrote.
func sourcesIn(std IO, data []byte, name string) ([]source, error) {
	if importer.IsGinkgo(data) {
		return fromGinkgo(data, name)
	}
	switch schema := schemaOf(data); schema {
	case record.ResultSchema:
		s, err := fromResult(data, name)
		return []source{s}, err
	case "", record.TrialSchema, record.StartSchema:
	default:
		return nil, fail(exitUsage, "%s: found schema %q, need %s or %s", name, schema, record.ResultSchema, record.TrialSchema)
	}
	trials, err := record.ReadTrials(bytes.NewReader(data), name)
	var torn *record.Torn
	if errors.As(err, &torn) {
		fmt.Fprintf(std.Err, "%v\n", torn)
	} else if err != nil {
		return nil, withCode(exitUsage, err)
	}
	if len(trials) == 0 {
		return nil, fail(exitUsage, "%s: found no trial, need one object a line with task and reward", name)
	}
	var sources []source
	for _, key := range record.Keys(trials) {
		sources = append(sources, source{key, name, func() (measured, error) { return fromRows(record.Select(trials, key)) }})
	}
	return sources, nil
}

// fromGinkgo lists the suites of a report of Ginkgo. One of a dry run says that
// everything passed and is no measurement; one that is not whole lost a process.
func fromGinkgo(data []byte, name string) ([]source, error) {
	suites, err := importer.Ginkgo(bytes.NewReader(data), name)
	switch {
	case errors.Is(err, importer.ErrDryRun):
		return nil, withCode(exitIntegrity, err)
	case errors.Is(err, importer.ErrPartial):
		return nil, withCode(exitInfra, err)
	case err != nil:
		return nil, withCode(exitUsage, err)
	}
	var sources []source
	for _, s := range suites {
		sources = append(sources, source{s.Run.Key(), name, func() (measured, error) {
			r, err := record.Summarize(s.Run, s.Trials, record.Options{AnyRun: true})
			if err != nil {
				return measured{}, withCode(exitIntegrity, fmt.Errorf("%s: %w", name, err))
			}
			m, err := metricsOf(s.Trials)
			return measured{r, m}, withCode(exitIntegrity, err)
		}})
	}
	return sources, nil
}

// schemaOf returns the schema of the first object in data, "" where it has none.
func schemaOf(data []byte) string {
	var first struct {
		Schema string `json:"schema"`
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	_ = json.NewDecoder(bytes.NewReader(data)).Decode(&first) // what is no object is for the reader of trials to tell
	return first.Schema
}

func fromResult(data []byte, name string) (source, error) {
	r, err := record.ReadResult(bytes.NewReader(data), name)
	key := record.Key{Suite: r.Suite, Split: r.Split, Arm: r.Arm}
	return source{key, name, func() (measured, error) { return measured{result: r}, nil }}, withCode(exitIntegrity, err)
}

// fromRows is the summary of trials that have no plan: the rows are the plan.
func fromRows(trials []record.Trial) (measured, error) {
	r, err := record.Summarize(record.PlanOf(trials), trials, record.Options{AnyRun: true})
	if err != nil {
		return measured{}, withCode(exitIntegrity, err)
	}
	m, err := metricsOf(trials)
	return measured{r, m}, withCode(exitIntegrity, err)
}
