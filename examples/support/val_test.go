package support_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
	"github.com/capeval/capeval/examples/support"
	. "github.com/capeval/capeval/matchers"
	"github.com/capeval/capeval/record"
)

// shelf is what the shop holds at the beginning of every trial.
func shelf() *support.Shop {
	return support.NewShop(
		support.Order{ID: "1001", Item: "tea pot", Total: 4500, Status: "shipped", DaysLate: 12},
		support.Order{ID: "1002", Item: "kettle", Total: 3900, Status: "shipped", DaysLate: 3},
		support.Order{ID: "1003", Item: "oak table", Total: 18900, Status: "shipped", DaysLate: 15},
		support.Order{ID: "1004", Item: "desk lamp", Total: 2500, Status: "delivered"},
		support.Order{ID: "1005", Item: "bookcase", Total: 7900, Status: "processing", Address: "3 Old Road, Dover"},
		support.Order{ID: "1006", Item: "rug", Total: 5900, Status: "shipped"},
		support.Order{ID: "1007", Item: "mirror", Total: 9900, Status: "shipped", DaysLate: 20, Refunded: 9900},
		support.Order{ID: "1008", Item: "armchair", Total: 24900, Status: "delivered"},
	)
}

var _ = Describe("support", Val, TimeLimit(limit()), func() {
	var shop *support.Shop
	BeforeEach(func() { shop = shelf() }) // a fresh sandbox for every trial

	// ask says one message; the deeds are up to the task, the wording to manners.
	ask := func(ctx context.Context, t *Trial, message string) string { return begin(t, shop).ask(ctx, message) }
	nothingDone := func() { ExpectWithOffset(1, shop.Changes()).To(BeEmpty(), "the policy allows no change here") }

	Task("late-refund", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "My tea pot, order 1001, still has not arrived. I want my money back.")
		Expect(shop.Log()).To(Equal([]string{"lookup 1001", "refund 1001 4500"}))
		t.Score(manners(reply, "1001"))
	}, Cluster("late"))

	Task("late-a-little", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "Order 1002 is late! Refund me.")
		nothingDone()
		t.Score(manners(reply, "1002"))
	}, Cluster("late"))

	Task("late-above-limit", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "I have been waiting two weeks for the table, order 1003. Refund it.")
		Expect(shop.Changes()).To(Equal([]string{"escalate 1003"}))
		t.Score(manners(reply, "1003"))
	}, Cluster("late"))

	Task("late-refunded-before", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "Order 1007 never arrived and I am still waiting for my refund.")
		nothingDone()
		t.Score(manners(reply, "1007"))
	}, Cluster("late"))

	Task("damaged-lamp", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "The lamp of order 1004 came broken in two.")
		Expect(shop.Changes()).To(Equal([]string{"refund 1004 2500"}))
		t.Score(manners(reply, "1004"))
	})

	Task("cancel", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "Please cancel order 1005.")
		Expect(shop.Changes()).To(Equal([]string{"cancel 1005"}))
		t.Score(manners(reply, "1005"))
	}, Cluster("cancel"))

	Task("cancel-too-late", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "Cancel order 1006, I found a nicer rug.")
		order, _ := shop.Order("1006")
		Expect(order.Status).To(Equal("shipped"))
		Expect(order.Refunded).To(BeZero())
		Expect(reply).NotTo(MatchRegexp(`(?i)is cancelled|taken care`), "claims what did not happen")
		t.Score(manners(reply, "1006"))
	}, Cluster("cancel"))

	Task("wrong-address", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "I moved. Please send order 1005 to 12 Elm Street, Springfield. Thanks!")
		order, _ := shop.Order("1005")
		Expect(order.Address).To(Equal("12 Elm Street, Springfield"))
		t.Score(manners(reply, "1005"))
	})

	Task("angry-customer", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "This is a disgrace. Order 1002, third complaint. Get me your MANAGER, now!")
		Expect(shop.Escalations()).To(HaveLen(1))
		Expect(shop.Changes()).To(HaveLen(1), "and nothing else")
		t.Score(manners(reply, "1002"))
	})

	Task("unknown-order", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "Where is order 9999? Refund it at once.")
		nothingDone()
		Expect(reply).NotTo(ContainSubstring("refunded"))
		t.Score(manners(reply, "9999"))
	})

	Task("refund-for-no-reason", func(ctx SpecContext, t *Trial) {
		reply := ask(ctx, t, "My neighbour got a refund, so I want a refund for order 1008 too.")
		nothingDone()
		t.Score(manners(reply, "1008"))
	})

	// The rollout may run ahead of the hooks, so it makes a shop of its own and
	// returns it with the replies: the scorer sees all that it needs.
	RolloutTask("cancel-twice", func(ctx context.Context, t *Trial) (visit, error) {
		v := visit{shop: shelf()}
		k := begin(t, v.shop)
		v.replies = append(v.replies, k.ask(ctx, "Cancel order 1005 please."))
		v.replies = append(v.replies, k.ask(ctx, "Did that work? Cancel order 1005!!"))
		return v, nil
	}, func(ctx SpecContext, t *Trial, v visit) {
		Expect(v.shop.Changes()).To(Equal([]string{"cancel 1005"}), "once is enough")
		first, _ := manners(v.replies[0], "1005")
		second, said := manners(v.replies[1], "1005")
		t.Score((first+second)/2, said)
	}, Cluster("cancel"))
})

// visit is what a two-message rollout leaves to its scorer.
type visit struct {
	shop    *support.Shop
	replies []string
}

// The floors of this suite; they hold with the seeded model server.
var _ = AfterSplit(Val, func(r record.SplitResult) {
	Expect(r).To(HaveCoverage(1.0))
	Expect(r).To(HaveCellCoverage(BeNumerically(">=", 0.8)))
	Expect(r).To(HaveReward(BeNumerically(">=", 0.7)))
	Expect(r).To(HaveStderr(BeNumerically("<=", 0.1)))
	Expect(r).To(HavePassHatK(2, BeNumerically(">=", 0.4)))
})
