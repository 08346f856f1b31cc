package reporter

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/capeval/capeval/record"
)

// summary writes the table over all suites: one row for each.
func (t *text) summary(suites []Suite) error {
	cols := summaryColumns(suites)
	fit(cols, t.width)
	var shown []column
	for _, c := range cols {
		if !c.dropped {
			shown = append(shown, c.column)
		}
	}
	if err := t.table("", shown); err != nil {
		return err
	}
	if slices.ContainsFunc(suites, func(s Suite) bool { return identical(s.Result) }) {
		for _, l := range wrap(identicalMark+" different seeds gave byte-identical outputs: the marked figures cannot be trusted", t.width) {
			t.line(t.style(yellow, l))
		}
	}
	return nil
}

// identicalMark stands behind every figure about spread that rests on trials
// whose outputs are all the same.
const identicalMark = "!"

func identical(r record.SplitResult) bool {
	return slices.ContainsFunc(r.Warnings, func(w record.Warning) bool { return w.Code == record.WarnIdenticalTrials })
}

// spread returns s, a figure about the spread of r, with its mark if it needs
// one.
func spread(r record.SplitResult, s string) string {
	if s == "-" || !identical(r) {
		return s
	}
	return s + identicalMark
}

// summaryColumn is a column of the summary that may have to give way. Whatever
// it says is also said in the block of its suite.
type summaryColumn struct {
	column
	giveWay int // the highest goes first; 0 stays
	dropped bool
}

func summaryColumns(suites []Suite) []*summaryColumn {
	col := func(name string, left bool, giveWay int, cell func(Suite) string) *summaryColumn {
		c := &summaryColumn{column: column{name: name, left: left}, giveWay: giveWay}
		for _, s := range suites {
			c.cells = append(c.cells, cell(s))
		}
		return c
	}
	cols := []*summaryColumn{
		col("suite", true, 0, func(s Suite) string { return shortenMiddle(named(s.Result.Suite), maxSuite) }),
		col("split", true, 0, func(s Suite) string { return shortenMiddle(named(string(s.Result.Split)), maxSplit) }),
	}
	if arms := armsOf(suites); len(arms) > 1 || arms[0] != "candidate" {
		cols = append(cols, col("arm", true, 0, func(s Suite) string { return shortenMiddle(named(s.Result.Arm), maxArm) }))
	}
	cols = append(cols,
		col("reward", false, 0, func(s Suite) string { return share(s.Result.Reward, 3) }),
		col(intervalName(suites), false, 0, func(s Suite) string {
			return spread(s.Result, between(s.Result.CI.Low, s.Result.CI.High))
		}),
		col("stderr", false, 0, func(s Suite) string { return spread(s.Result, share(s.Result.Stderr, 3)) }),
		col("tasks", false, 0, func(s Suite) string { return ratio(s.Result.NScored, s.Result.NTasks) }),
		col("cells", false, 0, func(s Suite) string { return ratio(s.NValid, s.Result.NCells) }),
	)
	ks := ksOf(suites)
	for i, k := range ks {
		// The first and the last k say most; of the rest the larger go first.
		giveWay := 100 + i
		if i == 0 || i == len(ks)-1 {
			giveWay = 1 + i
		}
		cols = append(cols, col("pass^"+strconv.Itoa(k), false, giveWay, func(s Suite) string {
			e, ok := s.Result.PassHatK[k]
			if !ok {
				return "-"
			}
			return share(e, 3)
		}))
	}
	return append(cols, col("missing", false, 50, func(s Suite) string { return strconv.Itoa(s.Result.NMissing) }))
}

// The widest a cell of text may be.
const (
	maxSuite = 32
	minSuite = 12
	maxSplit = 8
	maxArm   = 16
)

// fit drops the columns that give way and shortens the suites until the table
// is at most w wide, or nothing is left to give.
func fit(cols []*summaryColumn, w int) {
	for {
		var shown []column
		var next *summaryColumn
		for _, c := range cols {
			if c.dropped {
				continue
			}
			shown = append(shown, c.column)
			if c.giveWay > 0 && (next == nil || c.giveWay > next.giveWay) {
				next = c
			}
		}
		over := tableWidth(shown) - w
		if over <= 0 {
			return
		}
		suite := cols[0]
		if room := suite.width() - over; room >= minSuite && (next == nil || next.giveWay < 50 || room >= maxSuite*2/3) {
			for i := range suite.cells {
				suite.cells[i] = shortenMiddle(suite.cells[i], room)
			}
			return
		}
		if next == nil {
			return
		}
		next.dropped = true
	}
}

func armsOf(suites []Suite) []string {
	var arms []string
	for _, s := range suites {
		arms = append(arms, s.Result.Arm)
	}
	slices.Sort(arms)
	return slices.Compact(arms)
}

// ksOf returns every k for which a suite has pass^k, ascending.
func ksOf(suites []Suite) []int {
	var ks []int
	for _, s := range suites {
		ks = append(ks, s.HatKs...)
	}
	slices.Sort(ks)
	return slices.Compact(ks)
}

// intervalName names the column of the intervals, with their level where it is
// one for all.
func intervalName(suites []Suite) string {
	name := ""
	for _, s := range suites {
		if _, ok := s.Result.CI.Low.Value(); !ok {
			continue
		}
		switch level := percent(s.Result.CI.Level) + " interval"; {
		case name == "":
			name = level
		case name != level:
			return "interval"
		}
	}
	if name == "" {
		return "interval"
	}
	return name
}

// between prints an interval, a dash when it has no ends.
func between(low, high number) string {
	if _, ok := low.Value(); !ok {
		return "-"
	}
	return share(low, 3) + ".." + share(high, 3)
}

func ratio(n, of int) string { return fmt.Sprintf("%d/%d", n, of) }
