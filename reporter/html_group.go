package reporter

import (
	"fmt"
	"html/template"
	"slices"

	"github.com/capeval/capeval/record"
)

// htmlGroup is all that a report says about one split of a suite: the published
// score, the verdict, then each result.
type htmlGroup struct {
	ID    string
	Title any
	Word  string // the verdict, "" where nobody judged
	Tone  string

	Held      []*htmlHeld
	Decisions []*htmlDecision
	Arms      []*htmlArm

	suite string
	split record.Split
}

// htmlFact is a figure with its name and what must not be read apart from it.
type htmlFact struct {
	Name  string
	Value any
	Note  any
}

// htmlFigure is a picture.
type htmlFigure struct {
	Label   string // of the box that it can be scrolled in
	SVG     template.HTML
	Caption any
}

// htmlGroups groups what a document says by suite and split, in its order.
func htmlGroups(d Document) ([]*htmlGroup, error) {
	var groups []*htmlGroup
	of := func(suite string, split record.Split) *htmlGroup {
		for _, g := range groups {
			if g.suite == suite && g.split == split {
				return g
			}
		}
		g := &htmlGroup{suite: suite, split: split, Title: htmlIsolate(htmlName(suite) + ", " + htmlName(string(split)))}
		groups = append(groups, g)
		return g
	}
	for _, s := range d.Suites { // every published score has its result among them
		of(s.Result.Suite, s.Result.Split)
	}
	for _, s := range d.Decisions {
		of(s.Decision.Suite, s.Decision.Split)
	}
	for _, h := range d.Finals {
		of(h.Final.Suite, h.Final.Test.Split)
	}
	htmlSortGroups(groups)
	for i, g := range groups {
		g.ID = fmt.Sprintf("suite-%d", i+1)
	}
	for _, h := range d.Finals {
		g := of(h.Final.Suite, h.Final.Test.Split)
		g.Held = append(g.Held, htmlHold(h, fmt.Sprintf("%s-look-%d", g.ID, len(g.Held)+1)))
	}
	for _, s := range d.Decisions {
		g := of(s.Decision.Suite, s.Decision.Split)
		v, err := htmlDecide(s, fmt.Sprintf("%s-verdict-%d", g.ID, len(g.Decisions)+1))
		if err != nil {
			return nil, err
		}
		g.Decisions = append(g.Decisions, v)
		g.Word, g.Tone = v.Word, v.Tone
	}
	for _, s := range d.Suites {
		g := of(s.Result.Suite, s.Result.Split)
		a, err := htmlMeasure(s, fmt.Sprintf("%s-result-%d", g.ID, len(g.Arms)+1))
		if err != nil {
			return nil, err
		}
		g.Arms = append(g.Arms, a)
	}
	return groups, nil
}

func htmlSortGroups(groups []*htmlGroup) {
	slices.SortStableFunc(groups, func(a, b *htmlGroup) int { return inOrder(a.suite, b.suite, a.split, b.split) })
}
