package gitstore

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
)

// thing is a git object about to be written.
type thing struct {
	kind string // commit, tree or blob
	data []byte
}

// id returns the object's name in the format of n hexadecimal digits.
func (o thing) id(n int) string { return hex.EncodeToString(object(n, o.kind, o.data)) }

// pack returns objects as a pack, the one form in which git takes any number of
// objects of any kind in one process.
func pack(n int, objects ...thing) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("PACK")
	_ = binary.Write(&b, binary.BigEndian, [2]uint32{2, uint32(len(objects))}) // a buffer does not fail
	for _, o := range objects {
		kind := map[string]byte{"commit": 1, "tree": 2, "blob": 3}[o.kind]
		size := uint64(len(o.data))
		c := kind<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			b.WriteByte(c | 0x80)
			c = byte(size & 0x7f)
		}
		b.WriteByte(c)
		z := zlib.NewWriter(&b)
		if _, err := z.Write(o.data); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	h := newHash(n)
	h.Write(b.Bytes())
	return h.Sum(b.Bytes()), nil
}
