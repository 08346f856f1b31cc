package record

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

// agree checks that the quick way and the sure way read a line alike, and that
// a line which is taken survives being written.
func agree(t *testing.T, s string) {
	t.Helper()
	if strings.ContainsAny(s, "\n\x00") {
		return // no line holds a line end
	}
	var quick, sure line
	quick.reset(1)
	sure.reset(1)
	fast := scan([]byte(s), isPlain([]byte(s)), &quick, &memo{}) && quick.finish() == nil
	err := decode(s, &sure)
	if err == nil {
		err = sure.finish()
	}
	if fast && err != nil {
		t.Fatalf("%q: taken at once, but %v", s, err)
	}
	if !fast {
		quick = sure
	}
	if err != nil {
		return
	}
	quick.digest()
	sure.digest()
	same := func(s string) string { return strings.Clone(s) }
	if sure.start {
		if a, b := quick.toStart(same), sure.toStart(same); a != b {
			t.Fatalf("%q:\n quick %+v\n  sure %+v", s, a, b)
		}
		return
	}
	a, b := quick.toTrial(same), sure.toTrial(same)
	if !reflect.DeepEqual(a, b) || quick.hash != sure.hash || quick.seen != sure.seen || quick.set != sure.set {
		t.Fatalf("%q:\n quick %+v\n  sure %+v", s, a, b)
	}
	out, err := AppendTrial(nil, b)
	if err != nil {
		t.Fatalf("%q: cannot write it again: %v", s, err)
	}
	again, err := ReadTrials(strings.NewReader(string(out)), "again")
	if err != nil || len(again) != 1 {
		t.Fatalf("%q: written as %s: %v", s, out, err)
	}
	if !reflect.DeepEqual(again[0], b) {
		t.Fatalf("%q: written as %s\n got %+v\nwant %+v", s, out, again[0], b)
	}
}

func seeds() []string {
	return []string{
		`{"schema":"capeval.trial/v1","run":"01J","suite":"s","split":"val","arm":"candidate","task":"a","trial":2,"attempt":1,"seed":9,"reward":0.75,"status":"scored","cause":"","message":"","feedback":"ok","cluster":"","content_digest":"sha256:00","output_digest":"sha256:11","cached":false,"metrics":{"cost_usd":0.012,"tokens":512},"started":"2026-11-30T21:17:00Z","seconds":1.204}`,
		`{"task":"a","reward":1}`, `{"task":7,"reward":0}`, `{"task":01,"reward":0}`, `{"task":"a","reward":-0}`,
		`{"task":"a\n\"\\\/\b\f\r\t","reward":1e-3}`, `{"task":"\u00e9\ud83d\ude00","reward":1}`, `{"task":"é","reward":1}`,
		`{"task":"\ud800","reward":1}`, "{\"task\":\"\xff\",\"reward\":1}", "{\"task\":\"a\tb\",\"reward\":1}", "{\"task\":\"\x7f\",\"reward\":1}",
		`{"task":"a","status":"missing","cause":"panic","notes":["x","y"],"units":{"m":"s"}}`,
		`{"task":"a","reward":1,"x":{"y":[1,2,{"z":"}\"]"}]},"w": null , "v":-1.5e+10}`,
		`{"task":"a","reward":1,"x":[}]}`, `{"task":"a","reward":1,"x":}`, `{"task":"a","reward":1,"x":"\ud800"}`, `{"task":"a","reward":1,"x":nul}`,
		` { "task" : "a" , "reward" : 1 } `, `{}`, `{"task":"a","reward":1}}`, `{"task":"a","reward":1},`, `{"task":"a" "reward":1}`,
		`{"task":"a","reward":1,}`, `{"task":"a","reward":01}`, `{"task":"a","reward":1.}`, `{"task":"a","reward":.5}`, `{"task":"a","reward":1e}`,
		`{"task":"a","reward":+1}`, `{"task":"a","reward":1e400}`, `{"task":"a","reward":5e-324}`, `{"task":"a","reward":0.1000000000000000055511151231257827}`,
		`{"task":"a","reward":1,"seed":9223372036854775807}`, `{"task":"a","reward":1,"seed":9223372036854775808}`,
		`{"task":"a","reward":1,"metrics":{}}`, `{"task":"a","reward":1,"metrics":{"b":1,"a":-2.5e3}}`, `{"task":"a","reward":1,"metrics":null,"notes":[]}`,
		`{"task":"a","reward":1,"trial":0,"trial":0}`, `{"Task":"a","task":"b","reward":1}`, `{"task":"a","reward":1,"":0}`,
		`{"schema":"capeval.start/v1","task":"a","trial":3,"attempt":1,"seed":4,"started":"x"}`,
		`nul`, `"a"`, `[{"task":"a","reward":1}]`, ``, `{`, `{"task":"a","reward":NaN}`,
	}
}

func TestScanAgreesWithDecode(t *testing.T) {
	for _, s := range seeds() {
		agree(t, s)
		for i := range s { // every line cut short, and every line with a byte lost
			agree(t, s[:i])
			agree(t, s[:i]+s[i+1:])
		}
	}
}

// The quick way is worth having only if it takes the usual lines.
func TestScanTakesTheUsualLine(t *testing.T) {
	for _, s := range seeds()[:3] {
		var l line
		if !scan([]byte(s), isPlain([]byte(s)), &l, &memo{}) {
			t.Errorf("not taken at once: %s", s)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(agree)
}

func TestIsPlain(t *testing.T) {
	for c := range 256 {
		for at := range 9 { // in every place of a word, and behind it
			b := []byte("aaaaaaaaa")
			b[at] = byte(c)
			if got, want := isPlain(b), c >= 0x20 && c < 0x80 && c != '\\'; got != want {
				t.Fatalf("byte %#x at %d: got %v, want %v", c, at, got, want)
			}
		}
	}
}

func TestTotalIsExact(t *testing.T) {
	check := func(want float64, xs ...float64) {
		t.Helper()
		for range 2 {
			var sum total
			for _, x := range xs {
				sum.add(x)
			}
			if got := sum.value(); got != want {
				t.Errorf("%v: got %v, want %v", xs, got, want)
			}
			for i, j := 0, len(xs)-1; i < j; i, j = i+1, j-1 {
				xs[i], xs[j] = xs[j], xs[i]
			}
		}
	}
	check(0)
	check(1, 1e300, 1, -1e300) // a float64 sum loses the 1
	check(0.30000000000000004, 0.1, 0.2)
	check(1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1) // the exact sum rounds to 1; adding one by one gives 0.9999999999999999
	check(5e-324, 5e-324)
	check(1e-323, 5e-324, 5e-324)
	check(-2.5, -1.25, -1.25)
	check(math.MaxFloat64, math.MaxFloat64, math.MaxFloat64) // no infinity in a file
	check(math.MaxFloat64, math.MaxFloat64)
}

func TestTornIsNamed(t *testing.T) {
	var l line
	if err := decode(`{"task`, &l); !errors.Is(err, errCut) {
		t.Errorf("got %v, want errCut", err)
	}
}
