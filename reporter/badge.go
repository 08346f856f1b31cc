package reporter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/record"
)

// badge is what a badge says. Its texts are clean and short.
type badge struct {
	label, message string
	state          badgeState
	says           string // the whole of it in a sentence, with the interval and its method
}

// badgeState is how far a number can be relied on. It says nothing about how high
// the number is. A later state is a worse one.
type badgeState int

const (
	badgeSound badgeState = iota
	badgeAccepted
	badgeDoubt // something speaks against it: a later look, an override, missing data, ...
	badgeIndecisive
	badgeRejected
	badgeNothing // nothing was measured
)

// colors are dark enough for white letters.
var colors = [...]string{badgeSound: "#0969a8", badgeAccepted: "#1a7f37", badgeDoubt: "#b45309", badgeIndecisive: "#6b6f76", badgeRejected: "#b42318", badgeNothing: "#6b6f76"}

// The most runes of a badge's two texts.
const (
	maxBadgeLabel   = 50
	maxBadgeMessage = 80
)

// BadgeJSON returns d as the JSON that shields.io's endpoint badge reads: the
// published score with its combined standard error and its look, else the verdict,
// else the result. The colour says how far the number can be relied on, never how
// high it is. Of several suites the worst case is shown and the others counted.
func BadgeJSON(d Document) ([]byte, error) {
	b := badgeOf(d)
	out, err := json.MarshalIndent(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
		IsError       bool   `json:"isError,omitempty"`
	}{1, b.label, b.message, colors[b.state], b.state == badgeNothing}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("badge: %w", err)
	}
	return append(out, '\n'), nil
}

// badgeOf chooses what the badge of d says.
func badgeOf(d Document) badge {
	var bs []badge
	var rewards []number
	switch {
	case len(d.Finals) > 0:
		for _, h := range d.Finals {
			bs, rewards = append(bs, heldBadge(h)), append(rewards, h.Final.Test.Reward)
		}
	case len(d.Decisions) > 0:
		for _, s := range d.Decisions {
			bs, rewards = append(bs, verdictBadge(s)), append(rewards, s.Decision.Delta)
		}
	case len(d.Suites) > 0:
		for _, s := range d.Suites {
			bs, rewards = append(bs, resultBadge(s)), append(rewards, s.Result.Reward)
		}
	default:
		return badge{"capeval", "nothing measured", badgeNothing, "nothing was measured"}
	}
	order := make([]int, len(bs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, _ := rewards[i].Value()
		y, _ := rewards[j].Value()
		return cmp.Or(cmp.Compare(bs[j].state, bs[i].state), cmp.Compare(x, y))
	})
	b := bs[order[0]]
	if n := len(bs); n > 1 {
		count := fmt.Sprintf("worst of %d", n)
		b.message = clipEnd(b.message, maxBadgeMessage-len(count)-2) + ", " + count
		b.says = fmt.Sprintf("%s: %s", count, b.says)
	}
	b.label, b.message = clipMiddle(b.label, maxBadgeLabel), clipEnd(b.message, maxBadgeMessage)
	return b
}

// plusMinus is a reward and its combined standard error.
func plusMinus(r record.SplitResult) string {
	return share(r.Reward, 2) + " ± " + spread(r, share(r.Stderr, 2))
}

func heldBadge(h Held) badge {
	f := h.Final
	b := badge{"held-out", fmt.Sprintf("%s (look %d)", plusMinus(f.Test), f.Seal.Number), badgeSound, clean(heldLine(f))}
	for _, n := range append(slices.Clone(h.Notices), arrange(f.Test).Notices...) {
		if n.Code != NoticeNoCompare && n.Code != NoticeEqual {
			b.state = badgeDoubt
		}
	}
	if f.Test.NCells == f.Test.NMissing {
		b.state, b.message = badgeNothing, fmt.Sprintf("nothing measured (look %d)", f.Seal.Number)
	}
	return b
}

func verdictBadge(s SuiteDecision) badge {
	d := s.Decision
	b := badge{place(d.Suite, string(d.Split)), named(string(d.Verdict)), badgeDoubt, clean(headline(s))}
	switch d.Verdict {
	case gate.Accepted:
		b.state = badgeAccepted
		if len(d.Warnings) > 0 || s.Claimed > 0 {
			b.state = badgeDoubt
		}
	case gate.Indecisive:
		b.state = badgeIndecisive
	case gate.Rejected:
		b.state = badgeRejected
	case "":
		b.message = "compared, " + difference(d.Delta)
	}
	if _, ok := d.CI.Low.Value(); ok {
		b.says += fmt.Sprintf("; change %s, %s interval %s..%s (%s)", difference(d.Delta), percent(d.CI.Level), difference(d.CI.Low), difference(d.CI.High), named(d.CI.Method))
	} else {
		b.says += "; no interval"
	}
	return b
}

func resultBadge(s Suite) badge {
	b := badge{place(s.Result.Suite, string(s.Result.Split)), plusMinus(s.Result), badgeSound, clean(measuredLine(s))}
	if len(s.Notices) > 0 {
		b.state = badgeDoubt
	}
	if s.NValid == 0 {
		b.state, b.message = badgeNothing, "nothing measured"
	}
	return b
}
