package evaltest

import (
	"context"
	"os"
	"strings"
	"testing"
)

// in runs f in a goroutine of its own, n deep below this one.
func in(n int, f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		if n > 1 {
			in(n-1, f)
			return
		}
		f()
	}()
	<-done
}

func TestWhose(t *testing.T) {
	a := newTrial("s", &cell{task: &task{id: "a"}}, 0)
	b := newTrial("s", &cell{task: &task{id: "b"}}, 0)
	check := func(what string, want *Trial, wantDirect bool) {
		t.Helper()
		o, direct, ok := whose()
		if o.trial != want || direct != wantDirect || ok != (want != nil) {
			t.Errorf("%s: got %p, direct = %v, %v; want %p, direct = %v", what, o.trial, direct, ok, want, wantDirect)
		}
	}
	check("nobody's", nil, false)
	in(1, func() {
		defer own(owner{trial: a})()
		check("owned", a, true)
		in(1, func() { check("child", a, false) })
		in(2, func() { check("grandchild without a label", nil, false) })

		label(context.Background(), a)
		in(2, func() { check("grandchild", a, false) })
		in(5, func() { check("far descendant", a, false) })

		restore := own(owner{trial: b})
		check("owned by another for a while", b, true)
		restore()
		check("owned again", a, true)
	})
	in(1, func() { check("another goroutine", nil, false) })
}

// A deep stack does not hide who created the goroutine.
func TestWhoseOnADeepStack(t *testing.T) {
	a := newTrial("s", &cell{task: &task{id: "a"}}, 0)
	in(1, func() {
		defer own(owner{trial: a})()
		in(1, func() {
			var deep func(int)
			deep = func(n int) {
				if n > 0 {
					deep(n - 1)
					return
				}
				if o, _, ok := whose(); !ok || o.trial != a {
					t.Errorf("got %p, %v", o.trial, ok)
				}
			}
			deep(2000)
		})
	})
}

func TestLabelled(t *testing.T) {
	a := newTrial("s", &cell{task: &task{id: "a"}}, 0)
	b := newTrial("s", &cell{task: &task{id: "b"}}, 0)
	if labelled() != nil {
		t.Error("a goroutine without a label has a trial")
	}
	ready, over := make(chan bool), make(chan bool)
	go in(1, func() { // beside the one that asks
		label(context.Background(), b)
		close(ready)
		<-over
	})
	<-ready
	in(1, func() {
		label(context.Background(), a)
		in(3, func() {
			if got := labelled(); got != a {
				t.Errorf("got %p, want %p", got, a)
			}
		})
	})
	close(over)
}

func TestGoroutine(t *testing.T) {
	mine := goroutine()
	if mine <= 0 || mine != goroutine() {
		t.Errorf("id %d", mine)
	}
	in(1, func() {
		if goroutine() == mine {
			t.Error("two goroutines have one id")
		}
	})
	for text, want := range map[string]int64{"": 0, "x": 0, "12 [": 12, "7": 7} {
		if got := leadingInt([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

func TestPanicPlace(t *testing.T) {
	defer func() {
		recover()
		if at := panicPlace(); !strings.HasPrefix(at, "goroutine_test.go:") {
			t.Errorf("at %q", at)
		}
	}()
	var s []int
	s[len(os.Args)] = 1
}
