package reporter

import (
	"fmt"
	"strconv"
)

// What a file may cost. A text is what one element holds.
const (
	maxJUnitText    = 64 << 10 // bytes of a text before escaping
	minJUnitText    = 256      // no text is cut to less
	maxJUnitTexts   = 16 << 20 // bytes of all that came from outside, so that a file stays below GitLab's 30 MB
	maxJUnitMessage = 1500     // bytes of a message, which is an attribute
	maxProperties   = 20       // of one kind on one suite
)

// limitOf is what a reader of JUnit files takes.
type limitOf struct {
	reader string
	of     func(JUnitReport) int
	most   int
	unit   string
	then   string // what happens beyond it
}

// junitLimits are the limits of readers that a file can break. That a text stays
// below 100 kB, of which Jenkins keeps the head and the tail
// (jenkinsci/junit-plugin issues 219 and 385), and far below 10 MB, where
// libxml2 stops (publish-unit-test-result-action issue 399), is kept by
// maxJUnitText; the limits here depend on how many cases there are.
func junitLimits() []limitOf {
	return []limitOf{
		// docs.gitlab.com/ci/testing/unit_test_reports: 30 MB a file.
		{"GitLab", func(r JUnitReport) int { return r.Bytes }, 30_000_000, "bytes a file", "it shows nothing of a larger one"},
		// gitlab-org/gitlab issue 507482: a file of more XML objects is not parsed.
		// Elements, attributes and texts are counted, which is the strictest reading.
		{"GitLab", func(r JUnitReport) int { return r.Objects }, 250_000, "XML objects a file", "it shows nothing of a larger one"},
		// buildkite/docs pull request 1648: 5,000 results an upload.
		{"Buildkite", func(r JUnitReport) int { return r.Cases }, 5_000, "results a file", "it leaves out the others"},
		// dorny/test-reporter issue 57: the summary of a check run has at most 65,535
		// bytes, and actions that list every case by name need more.
		{"A GitHub check run", func(r JUnitReport) int { return r.names }, 65_535, "bytes of case names", "actions that list every case cut their page; let them list failed ones"},
	}
}

// limitNotes says which readers take less than r has.
func limitNotes(r JUnitReport) []string {
	var notes []string
	for _, l := range junitLimits() {
		if n := l.of(r); n > l.most {
			notes = append(notes, fmt.Sprintf("%s takes %s %s and this file has %s: %s",
				l.reader, thousands(strconv.Itoa(l.most)), l.unit, thousands(strconv.Itoa(n)), l.then))
		}
	}
	return notes
}

// cutNote says that texts are not whole.
func cutNote(cut, limit int) string {
	return fmt.Sprintf("%s texts are cut, to at most %s bytes each, head and tail kept: the result holds them whole",
		thousands(strconv.Itoa(cut)), thousands(strconv.Itoa(limit)))
}

// fitTexts returns the most bytes a text may have so that all of them together
// stay within what a file may cost: 64 KiB, or that halved as often as needed.
func fitTexts(d Document) int {
	var sizes []int
	small := 0
	for _, s := range d.Suites {
		for _, t := range s.Result.PerTask {
			for _, f := range t.Feedback {
				if len(f) > minJUnitText {
					sizes = append(sizes, len(f))
				} else {
					small += len(f)
				}
			}
		}
	}
	limit := maxJUnitText
	for ; limit > minJUnitText; limit /= 2 {
		sum := small
		for _, n := range sizes {
			sum += min(n, limit)
		}
		if sum <= maxJUnitTexts {
			break
		}
	}
	return limit
}
