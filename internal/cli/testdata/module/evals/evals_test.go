// Package evals is the suite that the scripts run. SUITE chooses what it
// declares, so that one module serves all of them.
package evals

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/record"
)

var errDown = errors.New("the model is down")

func TestEvals(t *testing.T) {
	if is("unstarted-exit") {
		os.Exit(7)
	}
	RunEvals(t, "agent", Trials(2), BaseSeed(7))
}

func TestPlain(t *testing.T) {
	if is("red-test") {
		t.Error("a plain test function is red")
	}
}

// is reports whether SUITE lists name.
func is(name string) bool {
	for _, n := range strings.Fields(os.Getenv("SUITE")) {
		if n == name {
			return true
		}
	}
	return false
}

var _ = func() bool {
	if is("sealed") {
		Task("held-out", Test, func(*Trial) {})
	}
	if is("only-sealed") {
		return Task("held-out", Test, func(*Trial) {})
	}
	if is("trial-red") {
		Task("ginkgo-fail", Val, func(*Trial) { Fail("red for ever") })
	}
	if is("many") {
		for i := range 12 {
			Task(fmt.Sprintf("many-%02d", i), Val, Trials(3), many)
		}
		return true
	}
	return Describe("tasks", func() { // one container: its specs keep their order
		Task("easy", Val, func(_ SpecContext, t *Trial) {
			each(t)
			if is("all-missing") {
				t.Missing(errDown)
			}
			t.Score(1)
		})
		Task("hard", Val, func(ctx SpecContext, t *Trial) {
			each(t)
			switch {
			case is("all-missing"), is("missing"):
				t.Missing(errDown)
			case is("flaky") && first("flaky-"+fmt.Sprint(t.Index())):
				t.Missing(errDown)
			case is("dies") && t.Index() == 1:
				os.Exit(3)
			case is("dies-once") && first("died"):
				os.Exit(3)
			case is("hangs"):
				touch("hanging")
				<-ctx.Done()
				Expect(ctx.Err()).NotTo(HaveOccurred())
			case is("deaf"):
				touch("hanging")
				time.Sleep(time.Minute)
			}
			t.Score(0.5, "half of it")
		})
		Task("file", Val, func(_ SpecContext, t *Trial) {
			each(t)
			if is("all-missing") {
				t.Missing(errDown)
			}
			data, err := os.ReadFile("testdata/answer.txt") // relative to the package
			t.Missing(err)
			Expect(string(data)).To(Equal("42\n"))
		})
		if is("train") {
			Task("practice", Train, func(*Trial) {})
		}
	})
}()

var _ = Describe("ordinary specs", func() {
	if is("no-ordinary") {
		return
	}
	It("may be red", func() {
		fmt.Fprintln(GinkgoWriter, "the ordinary spec ran")
		Expect(is("red")).To(BeFalse(), "an ordinary spec is red")
	})
})

var _ = AfterSplit(Val, func(r record.SplitResult) {
	touch("asserted")
	switch {
	case is("assert-failed"):
		Expect(r.NTasks).To(Equal(99), "far too few tasks")
	case is("assert-undefined"):
		Baseline("testdata/none")
	case is("assert-panicked"):
		panic("the assertion is broken")
	case is("assert-exits"):
		code, _ := strconv.Atoi(os.Getenv("EXIT"))
		os.Exit(code)
	case is("assert-deaf"):
		touch("hanging")
		time.Sleep(time.Minute)
	case is("assert-whole"):
		Expect(r.NMissing).To(BeZero(), "assertions came before the retries")
	}
})

// A trial's record is written when its clean-up begins.
var _ = AfterEach(func() {
	if t := CurrentTrial(); t != nil && is("many") {
		append1("recorded", t)
	}
})

// each is what every trial does first.
func each(t *Trial) {
	if is("slow") {
		time.Sleep(30 * time.Millisecond)
	}
	if is("costly") {
		t.Cost(1)
	}
}

// many appends to MARKS/began, and to MARKS/ended when its body is over.
func many(_ context.Context, t *Trial) {
	append1("began", t)
	time.Sleep(time.Duration(5+t.Index()*5) * time.Millisecond)
	t.Output(fmt.Sprintf("%s %d", t.Task(), t.Seed()))
	t.Score(float64(t.Index()) / 2)
	append1("ended", t)
}

func append1(name string, t *Trial) {
	dir := os.Getenv("MARKS")
	if dir == "" {
		return
	}
	f, err := os.OpenFile(dir+"/"+name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	t.Missing(err)
	defer f.Close()
	fmt.Fprintf(f, "%s %d\n", t.Task(), t.Index())
}

// first reports whether the mark is new, and makes it.
func first(mark string) bool {
	path := os.Getenv("MARKS") + "/" + mark
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_ = f.Close()
	}
	return err == nil
}

func touch(mark string) {
	if dir := os.Getenv("MARKS"); dir != "" {
		_ = os.WriteFile(dir+"/"+mark, nil, 0o644)
	}
}
