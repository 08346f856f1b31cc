package reporter

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/jstemmer/go-junit-report/v2/junit"
)

// JUnitSchema names the form of the JUnit files: which cases there are, and what
// the first lines of their texts say.
const JUnitSchema = "capeval.junit/v1"

// JUnitOptions say how results become cases.
type JUnitOptions struct {
	// PerTrial writes one case a trial, named after task, trial and seed, instead
	// of one case a task.
	PerTrial bool
}

// JUnitReport is what was written.
type JUnitReport struct {
	Bytes    int
	Objects  int // elements, attributes and texts, as GitLab counts
	Suites   int
	Cases    int
	Failures int
	Errors   int
	Skipped  int
	Cut      int // texts that are not whole
	// Notes say what a reader of the file will not see: cut texts, and which
	// programs take less than the file has. They stand in the file, too.
	Notes []string

	names int // bytes of all case names
}

// WriteJUnit writes d as JUnit XML: one suite for every result, and before them
// one for every suite and split that was judged.
//
// A case is an error when its task (or, with PerTrial, its trial) has no
// measurement, and a failure when it is a verdict or a check that is not passed,
// the data's inability to tell included. A task that merely scored low passes: a
// reward is a measurement. It fails where a verdict that rejects shows that this
// task alone got worse. A trial that skipped itself, or that nobody selected, is
// skipped.
//
// All of the file is read back before its first byte is written: when it is not
// well-formed, or its counters do not agree with its cases, there is an error and
// nothing is written. Programs differ in what they show: some pass over errors,
// so the exit code of the command decides and never the reader of a file.
func WriteJUnit(w io.Writer, d Document, opts JUnitOptions) (JUnitReport, error) {
	for _, s := range d.Suites {
		if err := checkTasks(s); err != nil {
			return JUnitReport{}, err
		}
	}
	j := &junitWriter{doc: d, opts: opts, textLimit: fitTexts(d), out: newPieces()}
	j.report.Objects = 1 + 6 // the root, and its name, four counters and time
	j.enc = xml.NewEncoder(j.out)
	j.enc.Indent("\t", "\t")
	check := startCheck(j.out.full)
	err := j.suites()
	j.out.end()
	if e := check.wait(); err == nil {
		err = e
	}
	if err != nil {
		return JUnitReport{}, err
	}
	head, tail := j.frame()
	if err := check.frame(head, tail, j.report); err != nil {
		return JUnitReport{}, err
	}
	for _, b := range slices.Concat([][]byte{head}, j.out.list, [][]byte{tail}) {
		if _, err := w.Write(b); err != nil {
			return j.report, err
		}
	}
	return j.report, nil
}

// junitWriter writes one document, suite by suite, so that no more than one suite
// exists both as cases and as bytes.
type junitWriter struct {
	doc       Document
	opts      JUnitOptions
	textLimit int

	enc    *xml.Encoder
	out    *pieces
	total  junit.Testsuites
	spent  float64
	report JUnitReport
}

// suites encodes every suite of the document.
func (j *junitWriter) suites() error {
	judged := j.judged()
	results := j.classes()
	var wanted []string
	for _, g := range judged {
		wanted = append(wanted, g.class())
	}
	names := uniqueNames(append(wanted, results...))
	for i, g := range judged {
		ts, err := j.judgedSuite(g, names[i])
		if err != nil {
			return err
		}
		if err := j.encode(ts); err != nil {
			return err
		}
	}
	for i, s := range j.doc.Suites {
		if err := j.encode(j.resultSuite(s, names[len(judged)+i])); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		if err := j.encode(j.emptySuite()); err != nil {
			return err
		}
	}
	head, tail := j.frame()
	j.report.Bytes = len(head) + j.out.size + len(tail)
	if j.report.Notes = j.notes(); len(j.report.Notes) > 0 {
		if err := j.encode(j.aboutFile(j.report.Notes)); err != nil {
			return err
		}
		head, tail = j.frame()
		j.report.Bytes = len(head) + j.out.size + len(tail)
	}
	return nil
}

// encode writes a suite and counts its cases.
func (j *junitWriter) encode(ts junit.Testsuite) error {
	ts.ID = j.report.Suites
	if j.report.Suites == 0 {
		j.addNotes(&ts)
	}
	j.report.Suites++
	j.count(ts)
	j.total.AddSuite(junit.Testsuite{Tests: ts.Tests, Failures: ts.Failures, Errors: ts.Errors, Skipped: ts.Skipped})
	j.total.Suites = nil
	t := &j.total
	j.report.Cases, j.report.Failures, j.report.Errors, j.report.Skipped = t.Tests, t.Failures, t.Errors, t.Skipped
	if err := j.enc.EncodeElement(ts, xml.StartElement{Name: xml.Name{Local: "testsuite"}}); err != nil {
		return fmt.Errorf("junit: suite %q: %w", ts.Name, err)
	}
	return nil
}

// count counts what a suite adds to the file.
func (j *junitWriter) count(ts junit.Testsuite) {
	n := 1 + 6 // the element, and its name, three counters, id and time
	if ts.Timestamp != "" {
		n++
	}
	if ts.Skipped > 0 {
		n++
	}
	if ts.Properties != nil {
		n += 1 + 3*len(*ts.Properties)
	}
	for i := range ts.Testcases {
		c := &ts.Testcases[i]
		n += 3
		for _, r := range []*junit.Result{c.Skipped, c.Error, c.Failure} {
			if r != nil {
				n += 4
			}
		}
		if c.SystemOut != nil {
			n += 2
		}
		j.report.names += len(c.Name)
	}
	j.report.Objects += n
}

// frame is what stands before and after the suites.
func (j *junitWriter) frame() (head, tail []byte) {
	t := j.total
	head = fmt.Appendf(nil, "%s<testsuites name=\"capeval\" tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\" time=\"%s\">\n",
		xml.Header, t.Tests, t.Failures, t.Errors, t.Skipped, seconds(j.spent))
	return head, []byte("\n</testsuites>\n")
}

// notes says what the file lacks.
func (j *junitWriter) notes() []string {
	var notes []string
	if j.report.Cut > 0 {
		notes = append(notes, cutNote(j.report.Cut, j.textLimit))
	}
	return append(notes, limitNotes(j.report)...)
}

// aboutFile is a suite with one case, which passes and says what the file lacks.
func (j *junitWriter) aboutFile(notes []string) junit.Testsuite {
	ts := junit.Testsuite{Name: "capeval.report", Time: seconds(0)}
	ts.AddProperty("schema", JUnitSchema)
	addList(&ts, "note", notes)
	ts.AddTestcase(junit.Testcase{Name: "about this file", Classname: "capeval.report", SystemOut: &junit.Output{Data: list("about this file", notes)}})
	return ts
}

// emptySuite stands where nothing was handed in: a file without a case would look
// like one in which nothing went wrong.
func (j *junitWriter) emptySuite() junit.Testsuite {
	ts := junit.Testsuite{Name: "capeval", Time: seconds(0)}
	ts.AddProperty("schema", JUnitSchema)
	ts.AddTestcase(nothingMeasured("capeval", "no suite was measured"))
	return ts
}

// addNotes says in the first suite, and in its first case, what is said about the
// report.
func (j *junitWriter) addNotes(ts *junit.Testsuite) {
	notes := j.doc.Notes
	if len(notes) == 0 {
		return
	}
	addList(ts, "note", notes)
	if len(ts.Testcases) > 0 {
		ts.Testcases[0].SystemOut = j.appended(ts.Testcases[0].SystemOut, list("notes on this report", notes))
	}
}

// appended is an output with further text below it.
func (j *junitWriter) appended(out *junit.Output, text string) *junit.Output {
	before := ""
	if out != nil {
		before = out.Data + "\n"
	}
	return &junit.Output{Data: j.text(before + text)}
}

// text cleans and cuts what an element holds.
func (j *junitWriter) text(s string) string {
	s, cut := block(s, maxJUnitText)
	if cut {
		j.report.Cut++
	}
	return s
}

// addProperty adds what is known by a name, a dash where nothing is.
func addProperty(ts *junit.Testsuite, name, value string) {
	ts.AddProperty(name, orDash(line(value, maxJUnitMessage)))
}

// addList adds the first of many sentences as properties.
func addList(ts *junit.Testsuite, name string, texts []string) {
	for i, t := range texts[:min(len(texts), maxProperties)] {
		addProperty(ts, name+"."+strconv.Itoa(i+1), t)
	}
	if more := len(texts) - maxProperties; more > 0 {
		ts.AddProperty(name+".more", strconv.Itoa(more))
	}
}

// list is the first of many sentences below a title.
func list(title string, texts []string) string {
	b := []byte(title + ":")
	for _, t := range texts[:min(len(texts), maxProperties)] {
		b = append(append(b, "\n- "...), line(t, maxJUnitMessage)...)
	}
	if more := len(texts) - maxProperties; more > 0 {
		b = fmt.Appendf(b, "\n- and %d more", more)
	}
	return string(b)
}

// seconds prints a length of time as every reader takes it: three decimals, a
// point, no exponent, no grouping. What is no length of time is 0.
func seconds(s float64) string {
	if !(s > 0) || math.IsInf(s, 1) {
		s = 0
	}
	return strconv.FormatFloat(s, 'f', 3, 64)
}

// recorded sets the time at which a run began, where it was recorded.
func recorded(ts *junit.Testsuite, started string) {
	if t, err := time.Parse(time.RFC3339Nano, started); err == nil && t.Year() > 0 && t.Year() < 10000 {
		ts.SetTimestamp(t.UTC())
	}
}
