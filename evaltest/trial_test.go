package evaltest

import (
	"slices"
	"testing"
)

// The streams are part of what a run is reproduced by: they stay as they are.
func TestRand(t *testing.T) {
	draw := func(suite, id string, seed int64) (out []uint64) {
		r := newTrial(suite, &cell{task: &task{id: id}}, seed).Rand()
		for range 3 {
			out = append(out, r.Uint64())
		}
		return out
	}
	for _, c := range []struct {
		suite, id string
		seed      int64
		want      []uint64
	}{
		{"refund-agent", "late-delivery", 9, []uint64{0x4020d3773655ae9a, 0x16ee017442699a7a, 0xf3e583a5cecff59f}},
		{"kinds", "it", 0, []uint64{0x89c5e0ef3a9840a0, 0xfc6f1e228f272442, 0x29ed493e1edea0d4}},
		{"kinds", "it", -1, []uint64{0x28106b02ff0e5290, 0x4d37e577ca21c83b, 0x1544e9d3ce014046}},
	} {
		if got := draw(c.suite, c.id, c.seed); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s, seed %d: got %#v, want %#v", c.suite, c.id, c.seed, got, c.want)
		}
	}
	base := draw("s", "t", 1)
	for name, other := range map[string][]uint64{"suite": draw("S", "t", 1), "task": draw("s", "u", 1), "seed": draw("s", "t", 2), "border": draw("s\"t", "", 1)} {
		if slices.Equal(base, other) {
			t.Errorf("another %s has the same stream", name)
		}
	}
	trial := newTrial("s", &cell{task: &task{id: "t"}}, 1)
	if trial.Rand().Uint64() != trial.Rand().Uint64() {
		t.Error("Rand does not begin at the beginning")
	}
}
