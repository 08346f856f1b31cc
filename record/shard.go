package record

import (
	"hash/fnv"
)

// ShardOf returns which of count shards runs the cell, counting from 1. It
// depends on nothing but the cell, and spreads the trials of one task over
// consecutive shards.
func ShardOf(c Cell, count int) int {
	if count < 1 {
		return 1
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.Task))
	return int((h.Sum64()%uint64(count)+uint64(c.Trial))%uint64(count)) + 1
}
