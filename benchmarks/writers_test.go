package benchmarks

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// reportForm is a form of report and what it is measured against.
type reportForm struct {
	name string
	// peer makes the same report of another tool's records, and says its name.
	peer func(b *bench, cases int) (name string, run func() measured)
	aim  float64
	// cases counts what stands in a finished report.
	cases func(file string) (int, error)
}

func reportForms() []reportForm {
	return []reportForm{{name: "junit", peer: gotestsum, aim: 3, cases: countCases}}
}

// TestReportWriters prints what it takes to turn the records of 100,000 trials on
// disk into a report, as a ratio against a peer that turns as many results of
// `go test -json` into one. It fails when a report lacks a case, never for being
// slow.
func TestReportWriters(t *testing.T) {
	b := &bench{t: t, dir: t.TempDir(), runs: 1}
	cases := 2000
	if *full {
		b.runs, cases = 5, 100_000
	}
	program := filepath.Join(b.dir, "report")
	b.command("go", "build", "-o", program, "./testdata/report")
	records := filepath.Join(b.dir, "trials.jsonl")
	b.write(records, func(w io.Writer) {
		for i := range cases {
			what := fmt.Sprintf(`"reward":%d,"feedback":"polite and complete"`, i%3%2)
			fmt.Fprintf(w, `{"suite":"support","split":"val","arm":"candidate","task":"task-%05d","trial":%d,"seed":%d,%s,"seconds":0.01}`+"\n", i/5, i%5, i%5, what)
		}
	})
	for _, f := range reportForms() {
		out := filepath.Join(b.dir, f.name)
		name, peer := f.peer(b, cases)
		var ours, theirs []measured
		for i := range b.runs + 1 {
			mine, other := b.process(exec.Command(program, f.name, records, out)), measured{}
			if peer != nil {
				other = peer()
			}
			if i > 0 || b.runs == 1 {
				ours, theirs = append(ours, mine), append(theirs, other)
			}
		}
		if n, err := f.cases(out); err != nil || n != cases {
			t.Fatalf("%s holds %d of %d cases: %v", f.name, n, cases, err)
		}
		size, _ := os.Stat(out)
		mine := median(ours)
		b.say("%s, %d trial cases from records on disk", f.name, cases)
		b.say("  capeval    %7.3f s  %7.1f MB  (file of %.1f MB)", mine.wall.Seconds(), mb(mine.peak), float64(size.Size())/1e6)
		if peer == nil {
			b.say("  %s cannot be built here: no ratio", name)
			continue
		}
		other := median(theirs)
		b.say("  %-10s %7.3f s  %7.1f MB", name, other.wall.Seconds(), mb(other.peak))
		b.say("  ratio      x%.2f in time (aim: at least %g), x%.2f in memory", ratio(other.wall, mine.wall), f.aim, float64(other.peak)/float64(mine.peak))
	}
}

// gotestsum turns the output of as many tests of `go test -json`, on disk, into a
// JUnit file. It is built on the side, so that no module requires it.
func gotestsum(b *bench, cases int) (string, func() measured) {
	const name = "gotestsum"
	install := exec.Command("go", "install", "gotest.tools/gotestsum@v1.13.0")
	install.Dir = b.dir
	install.Env = append(os.Environ(), "GOBIN="+b.dir, "GOFLAGS=-mod=mod")
	if out, err := install.CombinedOutput(); err != nil {
		b.say("%s: %v\n%s", install, err, out)
		return name, nil
	}
	events := filepath.Join(b.dir, "events.jsonl")
	b.write(events, func(w io.Writer) {
		const at = `{"Time":"2026-11-30T21:17:00Z","Package":"example.com/support"`
		fmt.Fprintln(w, at+`,"Action":"start"}`)
		for i := range cases {
			test := fmt.Sprintf(`TestTask%05d_trial_%d`, i/5, i%5)
			head := at + `,"Test":"` + test + `"`
			fmt.Fprintln(w, head+`,"Action":"run"}`)
			fmt.Fprintln(w, head+`,"Action":"output","Output":"=== RUN   `+test+`\n"}`)
			fmt.Fprintln(w, head+`,"Action":"output","Output":"    support_test.go:7: polite and complete\n"}`)
			fmt.Fprintln(w, head+`,"Action":"output","Output":"--- PASS: `+test+` (0.01s)\n"}`)
			fmt.Fprintln(w, head+`,"Action":"pass","Elapsed":0.01}`)
		}
		fmt.Fprintln(w, at+`,"Action":"pass","Elapsed":1000}`)
	})
	out := filepath.Join(b.dir, "gotestsum.xml")
	return name, func() measured {
		m := b.process(exec.Command(filepath.Join(b.dir, name), "--format", "standard-quiet", "--junitfile", out, "--raw-command", "--", "cat", events))
		if n, err := countCases(out); err != nil || n != cases {
			b.t.Fatalf("%s wrote %d of %d cases: %v", name, n, cases, err)
		}
		return m
	}
}

func (b *bench) write(path string, all func(io.Writer)) {
	b.t.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	all(w)
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		b.t.Fatal(err)
	}
}

// process measures a command to its end.
func (b *bench) process(cmd *exec.Cmd) measured {
	b.t.Helper()
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", cmd, err, text.String())
	}
	return measured{wall, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}
}

// countCases counts the cases of a JUnit file, but for the one that speaks of the
// file itself.
func countCases(file string) (int, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	n := 0
	for d := xml.NewDecoder(bufio.NewReader(f)); ; {
		t, err := d.Token()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if e, ok := t.(xml.StartElement); ok && e.Name.Local == "testcase" && !slices.Contains(e.Attr, xml.Attr{Name: xml.Name{Local: "classname"}, Value: "capeval.report"}) {
			n++
		}
	}
}
