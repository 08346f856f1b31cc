package evaltest

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
)

// owner is whose work a goroutine does.
type owner struct {
	trial *Trial
	hook  bool // a hook of the trial's spec, on Ginkgo's goroutine
}

// owners maps the ids of the goroutines that we started or guard to their
// owners. Only failures look it up.
var owners sync.Map // int64 -> owner

// own marks the calling goroutine until the returned function is called.
func own(o owner) func() {
	id := goroutine()
	before, was := owners.Load(id)
	owners.Store(id, o)
	return func() {
		if was {
			owners.Store(id, before)
		} else {
			owners.Delete(id)
		}
	}
}

var goroutinePrefix = []byte("goroutine ")

// goroutine returns the id of the calling goroutine.
func goroutine() int64 {
	var buf [64]byte
	return leadingInt(bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], goroutinePrefix))
}

func leadingInt(b []byte) int64 {
	end := 0
	for end < len(b) && b[end] >= '0' && b[end] <= '9' {
		end++
	}
	n, _ := strconv.ParseInt(string(b[:end]), 10, 64)
	return n
}

var createdIn = []byte(" in goroutine ")

// whose returns the owner of the calling goroutine, or of the one that created
// it.
func whose() (o owner, direct, ok bool) {
	if v, found := owners.Load(goroutine()); found {
		return v.(owner), true, true
	}
	buf := make([]byte, 64<<10)
	for {
		n := runtime.Stack(buf, false)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	if created := bytes.LastIndex(buf, []byte("\ncreated by ")); created >= 0 {
		line := buf[created+1:]
		if at := bytes.Index(line, createdIn); at >= 0 {
			if v, found := owners.Load(leadingInt(line[at+len(createdIn):])); found {
				return v.(owner), false, true
			}
		}
	}
	if t := labelled(); t != nil {
		return owner{trial: t}, false, true
	}
	return owner{}, false, false
}
