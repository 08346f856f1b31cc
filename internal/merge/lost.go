package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/capeval/capeval/record"
)

// cells returns the cells that a run is to measure itself, in the order of its
// plan.
func cells(run record.Run) []record.Cell {
	var out []record.Cell
	for _, p := range run.Plan {
		for k := range p.Trials {
			if !has(p.Elsewhere, k) && !has(p.Deselected, k) {
				out = append(out, record.Cell{Task: p.Task, Trial: k})
			}
		}
	}
	return out
}

// lost tells which cells of the merged plan no shard measured to its end.
func (s *Suite) lost(owner map[record.Cell]*Shard, done map[record.Cell]bool, problems *Problems) bool {
	count := s.Shards[0].number().Count
	here := map[int]*Shard{}
	for _, sh := range s.Shards {
		here[sh.number().Index] = sh
	}
	absent := map[int][]record.Cell{} // by the index of a shard that is not there
	open := map[int][]record.Cell{}   // by the index of a shard that is
	any := false
	for _, c := range cells(s.Run) {
		switch sh := owner[c]; {
		case sh == nil && here[record.ShardOf(c, count)] != nil:
			problems.add(Integrity, "suite %s: trial %d of task %q belongs to no shard: the plans contradict each other", s.Run.Suite, c.Trial, c.Task)
			any = true
		case sh == nil:
			absent[record.ShardOf(c, count)] = append(absent[record.ShardOf(c, count)], c)
		case !done[c]:
			open[sh.number().Index] = append(open[sh.number().Index], c)
		}
	}
	for _, index := range slices.Sorted(maps.Keys(absent)) {
		problems.add(Missing, "suite %s: shard %d/%d is lost, and with it %s; run that shard again", s.Run.Suite, index, count, list(absent[index]))
	}
	for _, index := range slices.Sorted(maps.Keys(open)) {
		sh := here[index]
		problems.add(Missing, "suite %s: %s never ended %s; continue it with `capeval-ci run --resume %s`, or run that shard again", s.Run.Suite, sh, list(open[index]), sh.Root)
	}
	return any || len(absent)+len(open) > 0
}

// mostNamed bounds how many cells of one shard a message names.
const mostNamed = 20

// list names cells.
func list(cells []record.Cell) string {
	var names []string
	for i, c := range cells {
		if i == mostNamed {
			names = append(names, fmt.Sprintf("and %d more", len(cells)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s[%d]", c.Task, c.Trial))
	}
	noun := "cells"
	if len(cells) == 1 {
		noun = "cell"
	}
	return fmt.Sprintf("%d %s: %s", len(cells), noun, strings.Join(names, ", "))
}
