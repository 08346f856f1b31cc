package stats

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// vector is one golden case. Its inputs and results keep their JSON form until
// a kind reads them.
type vector struct {
	Name     string                     `json:"name"`
	Kind     string                     `json:"kind"`
	Inputs   map[string]json.RawMessage `json:"inputs"`
	Expected map[string]json.RawMessage `json:"expected"`
}

// golden returns the cases by kind, or skips.
func golden(t *testing.T) map[string][]vector {
	t.Helper()
	dir := os.Getenv("CAPEVAL_VECTORS")
	if dir == "" {
		t.Skip("CAPEVAL_VECTORS names no folder, so the golden vectors are not compared")
	}
	b, err := os.ReadFile(filepath.Join(dir, "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	byKind := map[string][]vector{}
	for _, v := range file.Cases {
		byKind[v.Kind] = append(byKind[v.Kind], v)
	}
	for _, kind := range []string{"task_mean", "split", "clustered_se", "pass_k", "pass_k_split", "wilson_t_neff",
		"t_quantile", "t_sf", "normal_quantile", "missing_bounds"} {
		if len(byKind[kind]) == 0 {
			t.Fatalf("no case of kind %s, so nothing of it would be compared", kind)
		}
	}
	return byKind
}

// read decodes an input or result.
func read[T any](t *testing.T, raw json.RawMessage) (v T) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// decimal is a number written as JSON number or string; nil is null.
type decimal struct{ value *float64 }

func (d *decimal) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if s, err := strconv.Unquote(string(b)); err == nil {
		b = []byte(s)
	}
	v, err := strconv.ParseFloat(string(b), 64)
	d.value = &v
	return err
}

func number(t *testing.T, raw json.RawMessage) float64 { return *read[decimal](t, raw).value }

// valid returns the values that are not null.
func valid(ds []decimal) []float64 {
	var out []float64
	for _, d := range ds {
		if d.value != nil {
			out = append(out, *d.value)
		}
	}
	return out
}

func validTasks(t *testing.T, raw json.RawMessage) [][]float64 {
	tasks := [][]float64{}
	for _, trials := range read[[][]decimal](t, raw) {
		tasks = append(tasks, valid(trials))
	}
	return tasks
}

// want is a golden number.
type want struct {
	Dec  string `json:"dec"`
	Frac string `json:"frac"`
}

// meets compares an estimate with a golden number: undefined with null, the
// nearest float64 with a fraction, and otherwise within a relative tolerance,
// or 1e-15 near zero.
func meets(t *testing.T, name string, got Estimate, raw json.RawMessage, tolerance float64) {
	t.Helper()
	w := read[*want](t, raw)
	v, ok := got.Value()
	if w == nil || !ok {
		if ok || w != nil {
			t.Errorf("%s: got %v, want %s", name, got, raw)
		}
		return
	}
	if w.Frac != "" {
		r, ok := new(big.Rat).SetString(w.Frac)
		if f, _ := r.Float64(); !ok || f != v {
			t.Errorf("%s: got %v, want %v, the float64 nearest to %s", name, got, f, w.Frac)
		}
		return
	}
	f, err := strconv.ParseFloat(w.Dec, 64)
	if err != nil || math.Abs(v-f) > max(tolerance*math.Abs(f), 1e-15) {
		t.Errorf("%s: got %v, want %s", name, got, w.Dec)
	}
}

// tolerances of the vectors: a square root of a rational, and a quantile.
const (
	rooted         = 1e-12
	transcendental = 1e-10
)

func TestGoldenMeans(t *testing.T) {
	all := golden(t)
	for _, v := range all["task_mean"] {
		rewards := valid(read[[]decimal](t, v.Inputs["trials"]))
		meets(t, v.Name+" mean", Mean(rewards), v.Expected["mean"], 0)
		meets(t, v.Name+" variance", Variance(rewards), v.Expected["sample_variance"], 0)
		meets(t, v.Name+" stderr", Stderr(rewards), v.Expected["se"], rooted)
	}
	for _, v := range all["split"] {
		s := Summarize(validTasks(t, v.Inputs["tasks"]))
		meets(t, v.Name+" coverage", s.Coverage, v.Expected["coverage"], 0)
		meets(t, v.Name+" reward", s.Reward, v.Expected["reward"], 0)
		meets(t, v.Name+" between", s.Between, v.Expected["se_tasks"], rooted)
		meets(t, v.Name+" within", s.Within, v.Expected["se_within"], rooted)
		meets(t, v.Name+" combined", s.Combined, v.Expected["se_combined"], rooted)
		if n := read[int](t, v.Expected["n_scored"]); s.NScored != n {
			t.Errorf("%s: %d scored, want %d", v.Name, s.NScored, n)
		}
	}
	for _, v := range all["clustered_se"] {
		means := valid(read[[]decimal](t, v.Inputs["task_means"]))
		clusters := read[[]string](t, v.Inputs["clusters"])
		meets(t, v.Name+" mean", Mean(means), v.Expected["mean"], 0)
		meets(t, v.Name+" independent", Stderr(means), v.Expected["se_clt"], rooted)
		meets(t, v.Name, ClusteredStderr(means, clusters), v.Expected["se_clustered"], rooted)
	}
}

func TestGoldenPasses(t *testing.T) {
	all := golden(t)
	for _, v := range all["pass_k"] {
		n, c, k := read[int](t, v.Inputs["n"]), read[int](t, v.Inputs["c"]), read[int](t, v.Inputs["k"])
		meets(t, v.Name+" all", PassHat(outcomes(n, c), k, 1), v.Expected["pass_hat_k"], 0)
		meets(t, v.Name+" any", PassAt(outcomes(n, c), k, 1), v.Expected["pass_at_k"], 0)
	}
	for _, v := range all["pass_k_split"] {
		tasks, threshold := validTasks(t, v.Inputs["tasks"]), number(t, v.Inputs["threshold"])
		most := read[int](t, v.Expected["max_k"])
		hat := read[map[int]json.RawMessage](t, v.Expected["pass_hat_k"])
		at := read[map[int]json.RawMessage](t, v.Expected["pass_at_k"])
		for k := 1; k <= most; k++ {
			meets(t, v.Name+" all", SplitPassHat(tasks, k, threshold), hat[k], 0)
			meets(t, v.Name+" any", SplitPassAt(tasks, k, threshold), at[k], 0)
		}
		if got := SplitPassHat(tasks, most+1, threshold); got.Defined() {
			t.Errorf("%s: k above %d gives %v", v.Name, most, got)
		}
	}
}

func TestGoldenIntervals(t *testing.T) {
	all := golden(t)
	for _, v := range all["wilson_t_neff"] {
		means := valid(read[[]decimal](t, v.Inputs["task_means"]))
		got := WilsonT(means, read[int](t, v.Inputs["total_valid_trials"]), number(t, v.Inputs["confidence"]))
		meets(t, v.Name+" p", Mean(means), v.Expected["p"], 0)
		meets(t, v.Name+" n_eff", got.NEff, v.Expected["n_eff"], rooted)
		ci := read[[]json.RawMessage](t, v.Expected["ci"])
		if ci == nil {
			if got != (Interval{}) {
				t.Errorf("%s: got %v, want undefined", v.Name, got)
			}
			continue
		}
		meets(t, v.Name+" t", got.T, v.Expected["t"], transcendental)
		meets(t, v.Name+" low", got.Low, ci[0], transcendental)
		meets(t, v.Name+" high", got.High, ci[1], transcendental)
	}
	for _, v := range all["t_quantile"] {
		q := TQuantile(number(t, v.Inputs["p"]), number(t, v.Inputs["df"]))
		meets(t, v.Name, Defined(q), v.Expected["q"], 1e-13)
	}
	for _, v := range all["t_sf"] {
		sf := TSurvival(number(t, v.Inputs["t"]), number(t, v.Inputs["df"]))
		meets(t, v.Name, Defined(sf), v.Expected["sf"], 1e-13)
	}
	for _, v := range all["normal_quantile"] {
		meets(t, v.Name, Defined(NormalQuantile(number(t, v.Inputs["p"]))), v.Expected["z"], 1e-13)
	}
}

// The vectors bound a difference of two arms: the least is the candidate's low
// less the baseline's high. The bounds of one arm are checked through it.
func TestGoldenBounds(t *testing.T) {
	type pair struct{ Baseline, Candidate []decimal }
	for _, v := range golden(t)["missing_bounds"] {
		planned := read[int](t, v.Inputs["planned_trials"])
		var base, cand [][]float64
		var declared []int
		for _, p := range read[[]pair](t, v.Inputs["tasks"]) {
			base, cand = append(base, valid(p.Baseline)), append(cand, valid(p.Candidate))
			declared = append(declared, planned)
		}
		baseLow, baseHigh := MissingBounds(base, declared)
		candLow, candHigh := MissingBounds(cand, declared)
		for _, c := range []struct {
			name      string
			less, off Estimate
		}{{"delta_low", candLow, baseHigh}, {"delta_high", candHigh, baseLow}} {
			less, _ := c.less.Value()
			off, _ := c.off.Value()
			w := read[want](t, v.Expected[c.name])
			if f, err := strconv.ParseFloat(w.Dec, 64); err != nil || math.Abs(less-off-f) > 1e-12 {
				t.Errorf("%s %s: got %v, want %s", v.Name, c.name, less-off, w.Dec)
			}
		}
	}
}

// outcomes returns n rewards of which c are 1 and the others 0.
func outcomes(n, c int) []float64 {
	out := make([]float64, n)
	for i := range c {
		out[i] = 1
	}
	return out
}
