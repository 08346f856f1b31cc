package reporter

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// junitCheck reads a finished file as strictly as any of its readers would: the
// suites while they are written, then what stands around them. It refuses a file
// that is not well-formed, whose cases have no name or share one, in which a case
// has two ends, whose counters contradict the cases, or that has something else in
// it than is reported.
type junitCheck struct {
	done chan error

	seen  map[string]bool // class name and name of every case
	cases counters        // of the suite
	said  counters        // by the suite
	all   counters
	ends  int  // of the case
	text  bool // of the element was seen

	root            counters // said by the root
	suites, objects int
}

// startCheck begins to read the suites that come in pieces.
func startCheck(full <-chan []byte) *junitCheck {
	c := &junitCheck{done: make(chan error, 1), seen: map[string]bool{}}
	go func() {
		// The root is not known before the last suite is; a bare one stands for it.
		err := c.read(io.MultiReader(strings.NewReader("<testsuites>"), &pieceReader{full: full}, strings.NewReader("</testsuites>")))
		for range full {
			// What is left after an error must not hold up the writer.
		}
		c.done <- err
	}()
	return c
}

// wait returns what became of the suites.
func (c *junitCheck) wait() error { return <-c.done }

// frame reads what stands before and after the suites, and compares what was
// found with what is reported.
func (c *junitCheck) frame(head, tail []byte, r JUnitReport) error {
	c.objects-- // the bare root
	if err := c.read(io.MultiReader(bytes.NewReader(head), bytes.NewReader(tail))); err != nil {
		return err
	}
	said := counters{r.Cases, r.Failures, r.Errors, r.Skipped}
	if c.all != said || c.root != said || c.suites != r.Suites || c.objects != r.Objects {
		return unfit(fmt.Errorf("it has %d suites, %+v and %d objects and says %+v; its writer counted %d, %+v and %d",
			c.suites, c.all, c.objects, c.root, r.Suites, said, r.Objects))
	}
	return nil
}

func (c *junitCheck) read(r io.Reader) error {
	dec := xml.NewDecoder(r)
	for {
		t, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.token(t)
		}
		if err != nil {
			return unfit(err)
		}
	}
}

func unfit(err error) error {
	return fmt.Errorf("junit: the finished file would not be taken by its readers, so nothing was written: %w", err)
}

type counters struct{ tests, failures, errors, skipped int }

func (c *junitCheck) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.CharData:
		// "]]>" within a text comes as two of them.
		if !c.text && bytes.IndexFunc(t, func(r rune) bool { return r != '\n' && r != '\t' }) >= 0 {
			c.objects++
			c.text = true
		}
	case xml.StartElement:
		c.text = false
		c.objects += 1 + len(t.Attr)
		switch t.Name.Local {
		case "testsuites":
			c.root = countersOf(t.Attr)
		case "testsuite":
			c.suites++
			c.cases, c.said = counters{}, countersOf(t.Attr)
		case "testcase":
			c.cases.tests++
			c.ends = 0
			return c.testcase(t.Attr)
		case "failure":
			c.cases.failures++
			c.ends++
		case "error":
			c.cases.errors++
			c.ends++
		case "skipped":
			c.cases.skipped++
			c.ends++
		}
	case xml.EndElement:
		c.text = false
		return c.end(t.Name.Local)
	}
	return nil
}

func (c *junitCheck) testcase(attrs []xml.Attr) error {
	var class, name string
	for _, a := range attrs {
		switch a.Name.Local {
		case "classname":
			class = a.Value
		case "name":
			name = a.Value
		}
	}
	key := class + "\x00" + name
	switch {
	case strings.TrimSpace(class) == "" || strings.TrimSpace(name) == "":
		return fmt.Errorf("a case has the class name %q and the name %q, need both", class, name)
	case c.seen[key]:
		return fmt.Errorf("two cases have the class name %q and the name %q", class, name)
	}
	c.seen[key] = true
	return nil
}

func (c *junitCheck) end(element string) error {
	switch element {
	case "testcase":
		if c.ends > 1 {
			return errors.New("a case has more than one of failure, error and skipped")
		}
	case "testsuite":
		if c.cases != c.said {
			return fmt.Errorf("a suite says %+v and has %+v", c.said, c.cases)
		}
		c.all.tests += c.cases.tests
		c.all.failures += c.cases.failures
		c.all.errors += c.cases.errors
		c.all.skipped += c.cases.skipped
	}
	return nil
}

func countersOf(attrs []xml.Attr) (c counters) {
	for _, a := range attrs {
		n, _ := strconv.Atoi(a.Value)
		switch a.Name.Local {
		case "tests":
			c.tests = n
		case "failures":
			c.failures = n
		case "errors":
			c.errors = n
		case "skipped":
			c.skipped = n
		}
	}
	return c
}
