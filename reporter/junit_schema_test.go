package reporter_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/capeval/capeval/reporter"
)

// schema is as much of testdata/junit.xsd as decides about a file: for every
// element its children in order, its text and its attributes.
type schema struct {
	types    map[string]*regexp.Regexp
	elements map[string]element
}

type element struct {
	children   *regexp.Regexp // over the names of the children, each followed by ;
	text       *regexp.Regexp // nil: only white space
	attributes map[string]*regexp.Regexp
	required   []string
}

// node is an element of the schema itself.
type node struct {
	XMLName xml.Name
	Name    string `xml:"name,attr"`
	Ref     string `xml:"ref,attr"`
	Type    string `xml:"type,attr"`
	Base    string `xml:"base,attr"`
	Use     string `xml:"use,attr"`
	Value   string `xml:"value,attr"`
	Min     string `xml:"minOccurs,attr"`
	Max     string `xml:"maxOccurs,attr"`
	Nodes   []node `xml:",any"`
}

var readSchema = sync.OnceValues(func() (schema, error) {
	b, err := os.ReadFile("testdata/junit.xsd")
	if err != nil {
		return schema{}, err
	}
	var root node
	if err := xml.Unmarshal(b, &root); err != nil {
		return schema{}, err
	}
	s := schema{types: map[string]*regexp.Regexp{}, elements: map[string]element{}}
	complexTypes := map[string]node{}
	for _, n := range root.Nodes {
		switch n.XMLName.Local {
		case "simpleType":
			s.types[n.Name] = regexp.MustCompile(`^(?:` + n.Nodes[0].Nodes[0].Value + `)$`)
		case "complexType":
			complexTypes[n.Name] = n
		}
	}
	for _, n := range root.Nodes {
		if n.XMLName.Local != "element" {
			continue
		}
		e := element{children: regexp.MustCompile(`^$`), text: s.types[n.Type], attributes: map[string]*regexp.Regexp{}}
		nodes := n.Nodes
		if t, ok := complexTypes[n.Type]; ok {
			nodes = []node{t}
		}
		for len(nodes) > 0 {
			at := nodes[0]
			nodes = nodes[1:]
			switch at.XMLName.Local {
			case "complexType", "simpleContent":
				nodes = append(nodes, at.Nodes...)
			case "extension":
				e.text = s.types[at.Base]
				nodes = append(nodes, at.Nodes...)
			case "sequence":
				e.children = regexp.MustCompile(`^` + model(at) + `$`)
			case "attribute":
				e.attributes[at.Name] = s.types[at.Type]
				if at.Use == "required" {
					e.required = append(e.required, at.Name)
				}
			}
		}
		s.elements[n.Name] = e
	}
	return s, nil
})

// model turns a content model into an expression over names.
func model(n node) string {
	var parts []string
	for _, c := range n.Nodes {
		parts = append(parts, model(c))
	}
	s := ""
	switch n.XMLName.Local {
	case "element":
		s = "(?:" + n.Ref + ";)"
	case "sequence":
		s = "(?:" + strings.Join(parts, "") + ")"
	case "choice":
		s = "(?:" + strings.Join(parts, "|") + ")"
	}
	least, most := n.Min, n.Max
	if least == "" {
		least = "1"
	}
	switch {
	case most == "":
		most = "1"
	case most == "unbounded":
		most = ""
	}
	return s + "{" + least + "," + most + "}"
}

// validate holds a file to the schema, and its counters to its cases.
func validate(file []byte) error {
	s, err := readSchema()
	if err != nil {
		return err
	}
	type open struct {
		name     string
		children strings.Builder
		text     strings.Builder
		said     map[string]string
		found    map[string]int
	}
	var stack []*open
	names := map[string]bool{}
	for d := xml.NewDecoder(bytes.NewReader(file)); ; {
		t, err := d.Token()
		if err == io.EOF {
			if len(names) == 0 {
				return errors.New("a file without a case")
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.StartElement:
			name := t.Name.Local
			e, ok := s.elements[name]
			if !ok || len(stack) == 0 && name != "testsuites" {
				return fmt.Errorf("element %s is not allowed here", name)
			}
			o := &open{name: name, said: map[string]string{}, found: map[string]int{}}
			for _, a := range t.Attr {
				re := e.attributes[a.Name.Local]
				if re == nil || !re.MatchString(a.Value) {
					return fmt.Errorf("%s has the attribute %s=%q", name, a.Name.Local, a.Value)
				}
				o.said[a.Name.Local] = a.Value
			}
			for _, a := range e.required {
				if _, ok := o.said[a]; !ok {
					return fmt.Errorf("%s has no attribute %s", name, a)
				}
			}
			if len(stack) > 0 {
				stack[len(stack)-1].children.WriteString(name + ";")
			}
			if name == "testcase" {
				key := o.said["classname"] + "\x00" + o.said["name"]
				if names[key] {
					return fmt.Errorf("two cases %q", key)
				}
				names[key] = true
			}
			stack = append(stack, o)
		case xml.CharData:
			if len(stack) > 0 {
				stack[len(stack)-1].text.Write(t)
			}
		case xml.EndElement:
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			e := s.elements[o.name]
			if !e.children.MatchString(o.children.String()) {
				return fmt.Errorf("%s has the children %.200s, need %s", o.name, o.children.String(), e.children)
			}
			if text := o.text.String(); e.text != nil && !e.text.MatchString(text) || e.text == nil && strings.TrimSpace(text) != "" {
				return fmt.Errorf("%s has the text %.100q", o.name, text)
			}
			if counter := map[string]string{"testcase": "tests", "failure": "failures", "error": "errors", "skipped": "skipped"}[o.name]; counter != "" {
				for _, above := range stack {
					above.found[counter]++
				}
			}
			if o.name == "testsuite" || o.name == "testsuites" {
				for _, counter := range []string{"tests", "failures", "errors", "skipped"} {
					said, _ := strconv.Atoi(o.said[counter]) // absent is none
					if said != o.found[counter] {
						return fmt.Errorf("%s says %s=%d and has %d", o.name, counter, said, o.found[counter])
					}
				}
			}
		}
	}
}

// The validator is worth what it refuses: each spoiled copy breaks one rule.
func TestJUnitSchemaRefusesSpoiledFiles(t *testing.T) {
	good := junitFile(t, sample(t), reporter.JUnitOptions{})
	if err := validate(good); err != nil {
		t.Fatalf("the file itself: %v", err)
	}
	first := func(re string) string {
		s := regexp.MustCompile(re).FindString(string(good))
		if s == "" {
			t.Fatalf("nothing in the file matches %s", re)
		}
		return s
	}
	testcase := first(`(?s)<testcase .*?</testcase>`)
	failure := first(`(?s)<failure .*?</failure>`)
	for name, swap := range map[string][2]string{
		"an exponent":             {`time="0.000"`, `time="9.025e-06"`},
		"grouped digits":          {`time="0.000"`, `time="14,029.255"`},
		"no time":                 {` time="0.000"`, ``},
		"an empty time":           {`time="0.000"`, `time=""`},
		"a counter too high":      {`tests="4"`, `tests="5"`},
		"a case less":             {testcase, ``},
		"a case twice":            {testcase, testcase + testcase},
		"no class name":           {` classname="billing.val.verdict"`, ``},
		"an empty name":           {`<testcase name="verdict on billing (val)"`, `<testcase name=" "`},
		"two ends":                {failure, failure + strings.ReplaceAll(failure, "failure", "error")},
		"a failure without text":  {failure, regexp.MustCompile(`(?s)>.*<`).ReplaceAllString(failure, "><")},
		"a failure without type":  {failure, regexp.MustCompile(` type="[^"]*"`).ReplaceAllString(failure, "")},
		"an attribute of a case":  {`<testcase `, `<testcase file="x" `},
		"a suite within a suite":  {testcase, `<testsuite name="x" tests="0" failures="0" errors="0" id="9" time="0.000">` + testcase + `</testsuite>`},
		"properties after a case": {first(`(?s)<properties>.*?</properties>`), testcase + first(`(?s)<properties>.*?</properties>`)},
		"an escape":               {`<![CDATA[`, "<![CDATA[\x1b[31m"},
		"half a character":        {`<![CDATA[`, "<![CDATA[\xff"},
		"a noncharacter":          {`<![CDATA[`, "<![CDATA[\ufffe"},
		"cut off":                 {`</testsuites>`, ``},
	} {
		bad := strings.Replace(string(good), swap[0], swap[1], 1)
		if bad == string(good) {
			t.Errorf("%s: nothing was spoiled", name)
		}
		if validate([]byte(bad)) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// Where xmllint is at hand it says the same about every golden file.
func TestJUnitGoldensByXmllint(t *testing.T) {
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("no xmllint (libxml2-utils) here: the validator of this package stands alone")
	}
	files, _ := filepath.Glob("testdata/junit*.xml")
	if len(files) < 4 {
		t.Fatalf("found %d golden files", len(files))
	}
	if out, err := exec.Command(lint, append([]string{"--noout", "--schema", "testdata/junit.xsd"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
