package rundir

import (
	"encoding/binary"
	"math/big"
	"time"
)

// NewID returns the id of a run that starts at now: 26 characters of
// Crockford's base 32, the layout of a ULID. Ids sort by their time, to the
// millisecond; entropy tells apart those of one millisecond. Times before 1970
// or after the year 10889 wrap.
func NewID(now time.Time, entropy [10]byte) string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:8], uint64(now.UnixMilli())<<16)
	copy(raw[6:], entropy[:])
	id := make([]byte, 26)
	n, low := new(big.Int).SetBytes(raw[:]), new(big.Int)
	for i := len(id) - 1; i >= 0; i-- {
		id[i] = alphabet[low.And(n, big.NewInt(31)).Int64()]
		n.Rsh(n, 5)
	}
	return string(id)
}
