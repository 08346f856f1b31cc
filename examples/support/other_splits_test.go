package support_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/examples/support"
)

// To work on the agent: capeval-ci run --split train .
var _ = Describe("support, train", Train, TimeLimit(limit()), func() {
	var shop *support.Shop
	BeforeEach(func() {
		shop = support.NewShop(
			support.Order{ID: "2001", Item: "vase", Total: 3100, Status: "shipped", DaysLate: 9},
			support.Order{ID: "2002", Item: "stool", Total: 4800, Status: "processing"})
	})

	Task("train-late-vase", func(ctx SpecContext, t *Trial) {
		reply := begin(t, shop).ask(ctx, "Where is my vase? It is order 2001.")
		Expect(shop.Changes()).To(Equal([]string{"refund 2001 3100"}))
		t.Score(manners(reply, "2001"))
	})

	Task("train-cancel-stool", func(ctx SpecContext, t *Trial) {
		reply := begin(t, shop).ask(ctx, "Cancel the stool (2002).")
		Expect(shop.Changes()).To(Equal([]string{"cancel 2002"}))
		t.Score(manners(reply, "2002"))
	})
})

// Held out: these are not even built outside the sealed job, capeval-ci finalize.
var _ = Describe("support, test", Test, TimeLimit(limit()), func() {
	var shop *support.Shop
	BeforeEach(func() {
		shop = support.NewShop(
			support.Order{ID: "3001", Item: "clock", Total: 12900, Status: "delivered"},
			support.Order{ID: "3002", Item: "shelf", Total: 6400, Status: "shipped"})
	})

	Task("test-cracked-clock", func(ctx SpecContext, t *Trial) {
		reply := begin(t, shop).ask(ctx, "The glass of my clock is cracked, order 3001.")
		Expect(shop.Changes()).To(Equal([]string{"escalate 3001"}))
		t.Score(manners(reply, "3001"))
	})

	Task("test-address-too-late", func(ctx SpecContext, t *Trial) {
		reply := begin(t, shop).ask(ctx, "Send order 3002 to 7 Mill Lane, Bath instead, we moved.")
		Expect(shop.Changes()).NotTo(ContainElement(HavePrefix("refund")))
		t.Score(manners(reply, "3002"))
	})
})
