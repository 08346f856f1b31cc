package kinds

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

func declareEnds() {
	// An early red spec.
	cases["red-first"] = func() {
		Describe("in order", func() {
			It("is red", func() { Expect(1).To(Equal(2)) })
			for i := range 4 {
				Task(fmt.Sprint("t", i), Val, func(*Trial) { trace("t%d", i); time.Sleep(20 * time.Millisecond) })
			}
		})
		AfterSplit(Val, func(r Result) { trace("after split %d of %d missing", r.NMissing, r.NCells) })
	}

	// Ordinary specs beside tasks.
	cases["beside"] = func() {
		Describe("tasks", func() {
			Task("passes", Val, func(*Trial) {})
			Task("fails", Val, func(*Trial) { Expect(1).To(Equal(2)) })
			Describe("with a hook", func() {
				BeforeEach(func() { Expect(1).To(Equal(2)) })
				Task("setup", Val, func(*Trial) {})
			})
			tracing("train", Train)
			tracing("test", Test)
		})
		Describe("beside them", func() { // PreviewSpecs loses specs of the top level
			It("is red", func() { Expect(1).To(Equal(2), "ordinary failure") })
			It("is green", func() { Expect(1).To(Equal(1)) })
		})
	}

	// A goroutine that no trial started fails while a trial runs.
	stranger := func(leak bool) func() {
		return func() {
			ask, answered := make(chan bool), make(chan bool)
			BeforeSuite(func() {
				go func() { defer close(answered); <-ask; Expect(1).To(Equal(2)) }()
			})
			Describe("tasks", Ordered, func() {
				if leak {
					Task("leaks", Val, Trials(1), TimeLimit(20*time.Millisecond), GracePeriod(20*time.Millisecond),
						func(*Trial) { time.Sleep(600 * time.Millisecond) })
				}
				Task("it", Val, Trials(1), func(*Trial) { close(ask); <-answered; time.Sleep(10 * time.Millisecond) })
				Task("next", Val, Trials(1), func(t *Trial) { t.Score(0.5) })
			})
		}
	}
	cases["stranger"] = stranger(false)
	cases["stranger-while-leaked"] = stranger(true)
}
