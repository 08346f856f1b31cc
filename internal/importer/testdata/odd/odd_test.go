// Package odd is a suite of ordinary specs that end in every way.
package odd

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestOdd(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "odd")
}

var _ = Describe("odd", func() {
	It("passes", Label("quick"), func() {})
	It("fails", Label("quick"), func() { Expect(1).To(Equal(2)) })
	It("panics", func() { panic("infrastructure") })
	It("skips", func() { Skip("no key") })
	It("times out", SpecTimeout(20*time.Millisecond), func(ctx context.Context) { <-ctx.Done() })
	tries := 0
	It("passes at last", FlakeAttempts(3), func() { tries++; Expect(tries).To(Equal(3)) })
	reps := 0
	It("passes again and again", MustPassRepeatedly(3), func() { reps++ })
	PIt("pends", func() {})
	It("twin", func() {})
	It("twin", func() { Fail("the second fails") })
	Context("with a broken set-up", func() {
		BeforeEach(func() { Fail("no database") })
		It("never comes to its body", func() {})
	})
	Context("with a broken clean-up", func() {
		AfterEach(func() { Fail("no disk") })
		It("had passed", func() {})
	})
	Context("in order", Ordered, func() {
		It("first", func() { Fail("stops") })
		It("second", func() {})
	})
})

var _ = Describe("train", Label("split:train"), func() {
	It("is of another split", func() {})
})
