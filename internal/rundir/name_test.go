package rundir

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestFileName(t *testing.T) {
	check := func(id, want string) {
		t.Helper()
		got := fileName(id, 20)
		if readable, _, hashed := strings.Cut(got, "~"); hashed {
			got = readable + "~"
		}
		if got != want {
			t.Errorf("fileName(%q) = %q, want %q", id, got, want)
		}
	}
	check("late-delivery", "late-delivery")
	check("v1.2_x", "v1.2_x")
	check("Late", "Late~")                                      // case is ignored on some file systems
	check("a/b", "a-b~")                                        // no folder
	check("..", "~")                                            // not the folder above
	check(".x", "x~")                                           // not hidden
	check("x.", "x~")                                           // Windows drops a last dot
	check("a__b", "a_b~")                                       // the separator
	check("_a", "a~")                                           // would lengthen a separator
	check("con", "con~")                                        // a device
	check("lpt1.txt", "lpt1.txt~")                              // with an extension too
	check("café", "caf-~")                                      // normal forms differ by file system
	check("", "~")                                              // nothing
	check(strings.Repeat("x", 21), strings.Repeat("x", 20)+"~") // too long
	check("a~b", "a-b~")                                        // the mark of a hash
}

// Different cells never share a path, also where case is ignored.
func TestRolloutPathsDiffer(t *testing.T) {
	d := Suite("root", "suite")
	id := rapid.OneOf(rapid.StringMatching(`[aAbB._~/ -]{0,6}`), rapid.String(), rapid.StringMatching(`[a-c]{200}`))
	type cell struct {
		task, arm string
		trial     int
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) cell {
			return cell{id.Draw(t, name+" task"), id.Draw(t, name+" arm"), rapid.IntRange(0, 2).Draw(t, name+" trial")}
		}
		a, b := draw("a"), draw("b")
		pa, pb := d.RolloutPath("val", a.task, a.arm, a.trial), d.RolloutPath("val", b.task, b.arm, b.trial)
		if a != b && strings.EqualFold(pa, pb) {
			t.Fatalf("%v and %v share %s", a, b, pa)
		}
		if name := filepath.Base(pa); len(name) > 255 || filepath.Dir(pa) != filepath.Join("root", "suite", "rollouts", "val") {
			t.Fatalf("%v lies at %s, %d bytes", a, pa, len(name))
		}
	})
}

func TestNewID(t *testing.T) {
	at := time.UnixMilli(1469918176385)
	// The time part of the example in the ULID specification.
	if got := NewID(at, [10]byte{}); got != "01ARYZ6S410000000000000000" {
		t.Errorf("id %s", got)
	}
	var all [10]byte
	copy(all[:], bytes.Repeat([]byte{0xff}, 10))
	if got := NewID(at, all); got != "01ARYZ6S41ZZZZZZZZZZZZZZZZ" { // 80 bits fill 16 digits
		t.Errorf("id %s", got)
	}
	var ids []string
	for i := range 1000 {
		ids = append(ids, NewID(at.Add(time.Duration(i)*time.Millisecond), [10]byte{byte(255 - i%256)}))
	}
	if !slices.IsSorted(ids) {
		t.Error("ids do not sort by time")
	}
}

func ExampleNewID() {
	fmt.Println(NewID(time.Date(2026, 11, 30, 21, 17, 0, 0, time.UTC), [10]byte{9: 1}))
	// Output: 01M8Q52X700000000000000001
}
