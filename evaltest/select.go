package evaltest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// selection foresees which cells the filters of the command line leave, by
// Ginkgo's own rules, so that no rollout runs ahead for a spec that never comes.
// Programmatic focus is not part of it.
func (s *suite) selection() (func(*cell) bool, error) {
	c, _ := ginkgo.GinkgoConfiguration()
	if c.SemVerFilter != "" {
		return nil, fmt.Errorf("what --sem-ver-filter selects is not known in advance")
	}
	labels := func([]string) bool { return true }
	if s.userFilter != "" {
		filter, err := types.ParseLabelFilter(s.userFilter)
		if err != nil {
			return nil, err
		}
		labels = filter
	}
	focus, err := anyOf(c.FocusStrings)
	if err != nil {
		return nil, err
	}
	skip, err := anyOf(c.SkipStrings)
	if err != nil {
		return nil, err
	}
	focusFiles, err := types.ParseFileFilters(c.FocusFiles)
	if err != nil {
		return nil, err
	}
	skipFiles, err := types.ParseFileFilters(c.SkipFiles)
	if err != nil {
		return nil, err
	}
	return func(c *cell) bool {
		t := c.task
		texts := []string{s.settings.name}
		for _, text := range append(slices.Clip(t.texts), leafText(c.index)) {
			if text != "" { // the root of the tree has none
				texts = append(texts, text)
			}
		}
		text := strings.Join(texts, " ")
		return !t.pending &&
			labels(append(append([]string{}, s.labels...), t.labels...)) &&
			(focus == nil || focus.MatchString(text)) &&
			(skip == nil || !skip.MatchString(text)) &&
			(len(focusFiles) == 0 || focusFiles.Matches(t.locations)) &&
			(len(skipFiles) == 0 || !skipFiles.Matches(t.locations))
	}, nil
}

// anyOf returns the expression that matches where any of the given ones does,
// nil where there is none.
func anyOf(expressions []string) (*regexp.Regexp, error) {
	if len(expressions) == 0 {
		return nil, nil
	}
	return regexp.Compile(strings.Join(expressions, "|"))
}

// leafText is the text of a trial's spec.
func leafText(k int) string { return fmt.Sprintf("[trial %d]", k) }
