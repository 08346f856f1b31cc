package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// full is the example of the documentation: every key once.
const full = `version: 1
run: {trials: 5, base_seed: 100, split: val, arm: candidate, procs: 1, workers: 8, timeout: 2h, retry_missing: 1, budget_usd: 20, min_coverage: 0.6, pass_threshold: 1, out: .capeval/runs}
gate:
  rule: no-regression       # or preset: search | release
  scope: suite
  alpha: "0.05"             # decimal strings stay exact
  margin: "0"
  min_coverage: "0.6"
  min_cell_coverage: "0.5"
  trials_are: auto
  tasks: common
  max_detectable_drop: null
  indecisive: fail          # fail = exit 3 | pass = exit 0, the verdict stays indecisive
  primary: refund-agent
  guards: [{metric: cost_usd, max_increase: "10%"}]
  surface: ["evals/**", "capeval.yaml", ".github/workflows/capeval-*.yml"]
candidate: {dir: null}      # an agent that is a folder of files, taken from each ref
suites: {refund-agent: {trials: 10}}
seal:
  remote: origin
  ref: refs/heads/capeval-ledger
  genesis: null             # written by seal init
  checkpoint: .capeval/checkpoint.json
  looks: {max: 0}
  age_recipient: null
  finalize: {trials: 5, baseline_ref: null, rule: null}
prices: {my-model: {input: 1.25, output: 10}}   # USD per million tokens
report: {confidence: 0.95, comment_bytes: 65000, summary_bytes: 1000000}
`

func TestParseEveryKey(t *testing.T) {
	c, err := parse("sub/capeval.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	check := func(got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	file := func(origin string) (string, bool, Layer) { return origin, true, LayerFile }
	at := func(v any, pos string) any {
		origin, set, l := file("capeval.yaml:" + pos)
		switch v := v.(type) {
		case int:
			return Value[int]{v, origin, set, l}
		case int64:
			return Value[int64]{v, origin, set, l}
		case float64:
			return Value[float64]{v, origin, set, l}
		case time.Duration:
			return Value[time.Duration]{v, origin, set, l}
		case []Guard:
			return Value[[]Guard]{v, origin, set, l}
		case []string:
			return Value[[]string]{v, origin, set, l}
		}
		return Value[string]{v.(string), origin, set, l}
	}
	check(c.Run.Trials, at(5, "2:15"))
	check(c.Run.BaseSeed, at(int64(100), "2:29"))
	check(c.Run.Split, at("val", "2:41"))
	check(c.Run.Timeout, at(2*time.Hour, "2:93"))
	check(c.Run.BudgetUSD, at(20.0, "2:127"))
	check(c.Run.MinCoverage, at(0.6, "2:145"))
	check(c.Gate.Rule, at("no-regression", "4:9"))
	check(c.Gate.Alpha, at("0.05", "6:10"))
	check(c.Gate.MaxDetectableDrop, Default("")) // null is as if it were not there
	check(c.Gate.Guards, at([]Guard{{"cost_usd", "10%", "capeval.yaml:15:12"}}, "15:11"))
	check(c.Gate.Surface, at([]string{"evals/**", "capeval.yaml", ".github/workflows/capeval-*.yml"}, "16:12"))
	check(c.Suites, map[string]Suite{"refund-agent": {at(10, "18:33").(Value[int])}})
	check(c.Seal.MaxLooks, at(0, "24:16"))
	check(c.Seal.Finalize, Finalize{at(5, "26:22").(Value[int]), Default(""), Default("")})
	check(c.Prices, map[string]Price{"my-model": {at(1.25, "27:28").(Value[float64]), at(10.0, "27:42").(Value[float64])}})
	check(c.Report.SummaryBytes, at(1000000, "28:65"))

	// Every key of the example is listed by Settings, from the file or, for a
	// null, by default.
	nulls := 0
	for _, s := range c.Settings() {
		if s.Origin == "default" {
			nulls++
		} else if !strings.HasPrefix(s.Origin, "capeval.yaml:") {
			t.Errorf("%+v: the origin is not the file", s)
		}
	}
	// run_dir, shard, preset, k_se are not in it; five nulls are.
	if want := 4 + 6; nulls != want {
		t.Errorf("%d settings by default, want %d: %v", nulls, want, c.Settings())
	}
}

func TestDefaults(t *testing.T) {
	for _, text := range []string{"version: 1", "version: 1\nrun:\ngate: {}\nseal: {looks: null}\nsuites: {}\nprices: null\n", "\ufeffversion: 1\r\nrun: {}\r\n", "# a comment\n---\nversion: 1\n...\n"} {
		c, err := parse("capeval.yaml", []byte(text))
		if err != nil || !reflect.DeepEqual(c, Defaults()) {
			t.Errorf("%q: %v\n%+v\nwant the defaults", text, err, c)
		}
	}
	// Defaults are values that the file could have given.
	c := Defaults()
	for _, d := range []struct {
		kind  kind[string]
		value Value[string]
	}{
		{splitKind(), c.Run.Split}, {armKind(), c.Run.Arm}, {pathKind(), c.Run.Out}, {ruleKind(), c.Gate.Rule},
		{alphaKind(), c.Gate.Alpha}, {unitDecimal(), c.Gate.Margin}, {kseKind(), c.Gate.KSE},
		{unitDecimal(), c.Gate.MinCoverage}, {unitDecimal(), c.Gate.MinCellCoverage},
		{refKind(), c.Seal.Ref}, {pathKind(), c.Seal.Checkpoint},
	} {
		if _, err := d.kind.read(d.value.V); err != nil {
			t.Errorf("a default: %v", err)
		}
	}
	for _, g := range c.Gate.Surface.V {
		if _, err := glob().read(g); err != nil {
			t.Errorf("a default: %v", err)
		}
	}
}

// Both spellings of a decimal keep the digits as they were written.
func TestDecimalsStayExact(t *testing.T) {
	for text, want := range map[string]string{`"0.050"`: "0.050", `0.050`: "0.050", `'0.1'`: "0.1"} {
		c, err := parse("capeval.yaml", []byte("version: 1\ngate: {alpha: "+text+"}"))
		if err != nil || c.Gate.Alpha.V != want {
			t.Errorf("alpha: %s gives %q, %v, want %q", text, c.Gate.Alpha.V, err, want)
		}
	}
	c, err := parse("capeval.yaml", []byte("version: 1\ngate: {margin: 0, k_se: 1}"))
	if err != nil || c.Gate.Margin.V != "0" || c.Gate.KSE.V != "1" {
		t.Errorf("margin %q, k_se %q, %v, want 0 and 1", c.Gate.Margin.V, c.Gate.KSE.V, err)
	}
}

func TestParseErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		c, err := parse("capeval.yaml", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
		if err != nil && !reflect.DeepEqual(c, Defaults()) {
			t.Errorf("%q: a file with mistakes changed the defaults", text)
		}
	}
	run := func(pos, value, want string) {
		t.Helper()
		check("version: 1\nrun:\n  "+value, "capeval.yaml:"+pos+": "+want)
	}
	gate := func(pos, value, want string) {
		t.Helper()
		check("version: 1\ngate:\n  "+value, "capeval.yaml:"+pos+": "+want)
	}

	// the file
	check("", "capeval.yaml:1:1: found no key version, need version: 1")
	check("# nothing", "capeval.yaml:1:1: found no key version, need version: 1")
	check("run: {}", "capeval.yaml:1:1: found no key version, need version: 1")
	check("version: 2\nnew_key: 3", "capeval.yaml:1:10: found 2 for version, need 1: it is the only version that this capeval reads")
	check(`version: "1"`, `capeval.yaml:1:10: found the text "1" for version, need 1: it is the only version that this capeval reads`)
	check("version:", "capeval.yaml:1:10: found null for version, need 1: it is the only version that this capeval reads")
	check("- version: 1", "capeval.yaml:1:1: found a list for the file, need a mapping")
	check("version", `capeval.yaml:1:1: found the text "version" for the file, need a mapping`)
	check("version: 1\n---\nversion: 1\n", "capeval.yaml:3:1: found a second document, need one")
	check("version: 1\nrun: {trials: 3", "capeval.yaml:2:6: cannot be parsed as YAML: could not find flow mapping end token '}'")
	check("version: 1\n\trun: 3", "capeval.yaml:2:1: cannot be parsed as YAML: found character '\t' that cannot start any token")

	// keys
	check("version: 1\nrunn: {}", `capeval.yaml:2:1: found the unknown key "runn" in the file, need one of version, run, gate, candidate, suites, seal, prices or report`)
	check("version: 1\nreport:\n  Comment-Bytes: 3", `capeval.yaml:3:3: found the unknown key "Comment-Bytes" in report, need one of confidence, comment_bytes or summary_bytes; did you mean comment_bytes?`)
	check("version: 1\nseal: {finalize: {trials: 1, ref: x}}", `capeval.yaml:2:30: found the unknown key "ref" in seal.finalize, need one of trials, baseline_ref or rule`)
	check("version: 1\nsuites: {é: {trial: 3}}", `capeval.yaml:2:14: found the unknown key "trial" in suites.é, need one of trials`)
	run("4:3", "trials: 1\n  trials: 2", `found the key "trials" in run again, need it once: it stands at 3:3`)
	check("version: 1\nrun: {}\nrun: {}", `capeval.yaml:3:1: found the key "run" in the file again, need it once: it stands at 2:1`)
	check("version: 1\nversion: 1", `capeval.yaml:2:1: found the key "version" in the file again, need it once: it stands at 1:1`)
	check("version: 1\n<<: {run: {}}", "capeval.yaml:2:1: found a merge key as a key in the file, need a plain key")
	check("version: 1\nrun: &a {trials: 1}", "capeval.yaml:2:6: found an anchor (anchors are not supported) for run, need a mapping")
	check("version: 1\nrun: {trials: *a}", "capeval.yaml:2:15: found an alias (aliases are not supported) for run.trials, need a whole number from 1 to 100000")

	// types
	run("3:11", "trials: 3.5", "found 3.5 for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: 3.0", "found 3.0 for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: 1_0", "found 1_0 for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: 0x10", "found 0x10 for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: 010", "found 010 for run.trials, need a whole number from 1 to 100000")
	run("3:11", `trials: "3"`, `found the text "3" for run.trials, need a whole number from 1 to 100000`)
	run("3:11", "trials: true", "found true for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: [3]", "found a list for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: !!int 3", "found a tag (tags are not supported) for run.trials, need a whole number from 1 to 100000")
	run("4:5", "trials:\n    a: 1", "found a mapping for run.trials, need a whole number from 1 to 100000")
	run("3:8", "arm: 3", "found 3 for run.arm, need the name of an arm, such as candidate")
	run("3:12", "timeout: 90", "found 90 for run.timeout, need a time span above 0 such as 90s, 30m or 2h")
	run("3:17", "min_coverage: .nan", "found .nan for run.min_coverage, need a number from 0 to 1")
	run("3:17", "min_coverage: .inf", "found .inf for run.min_coverage, need a number from 0 to 1")
	run("3:17", `min_coverage: "0.6"`, `found the text "0.6" for run.min_coverage, need a number from 0 to 1`)
	check("version: 1\nrun: 3", "capeval.yaml:2:6: found 3 for run, need a mapping")
	gate("3:11", "guards: {}", "found a mapping for gate.guards, need a list")
	gate("3:12", "surface: evals", `found the text "evals" for gate.surface, need a list`)

	// ranges
	run("3:11", "trials: 0", "found 0 for run.trials, need a whole number from 1 to 100000")
	run("3:11", "trials: 99999999999999999999", "found 99999999999999999999 for run.trials, need a whole number from 1 to 100000")
	run("3:10", "split: test", `found the text "test" for run.split, need train or val (the test split runs only in the sealed finalize job)`)
	run("3:14", "base_seed: 9007199254740993", "found 9007199254740993 for run.base_seed, need a whole number from -9007199254640991 to 9007199254640991")
	run("3:12", "timeout: 0s", `found the text "0s" for run.timeout, need a time span above 0 such as 90s, 30m or 2h`)
	run("3:15", "budget_usd: 0", "found 0 for run.budget_usd, need an amount of USD above 0")
	run("3:19", "pass_threshold: 1.01", "found 1.01 for run.pass_threshold, need a number above 0 and up to 1")
	run("3:8", `arm: ""`, `found the text "" for run.arm, need the name of an arm, such as candidate`)
	run("3:8", `arm: "a\nb"`, `found the text "a\nb" for run.arm, need the name of an arm, such as candidate`)
	gate("3:9", "rule: improved", `found the text "improved" for gate.rule, need improve, no-regression, non-inferior, paired-se, significant, threshold, strict or simplicity-tiebreak`)
	gate("3:10", "alpha: nan", `found the text "nan" for gate.alpha, need a decimal between 0 and 1, both excluded, such as "0.05"`)
	gate("3:10", `alpha: "1"`, `found the text "1" for gate.alpha, need a decimal between 0 and 1, both excluded, such as "0.05"`)
	gate("3:10", "alpha: 1e-999999999", `found the text "1e-999999999" for gate.alpha, need a decimal between 0 and 1, both excluded, such as "0.05"`)
	gate("3:11", "margin: -0.1", "found -0.1 for gate.margin, need a decimal from 0 to 1")
	gate("3:24", "max_detectable_drop: 0", "found 0 for gate.max_detectable_drop, need a decimal above 0 and up to 1")
	gate("4:3", "rule: strict\n  preset: search", "found gate.preset beside gate.rule, need one of them")
	gate("3:12", "guards: [{metric: cost_usd}]", "found no key max_increase in gate.guards[], need \"10%\" or a decimal in the metric's unit, at least 0")
	gate("4:43", "guards:\n    - {metric: cost_usd, max_increase: 1, limit: 2}", `found the unknown key "limit" in gate.guards[], need one of metric or max_increase`)
	gate("3:38", `guards: [{metric: m, max_increase: "-1%"}]`, `found the text "-1%" for gate.guards[].max_increase, need "10%" or a decimal in the metric's unit, at least 0`)
	gate("3:54", `guards: [{metric: m, max_increase: "1%"}, {metric: m, max_increase: "2%"}]`, `found a second guard of "m", need one a metric`)
	gate("3:22", `surface: ["evals", "../x"]`, `found the text "../x" for gate.surface[], need a glob below the project such as "evals/**"`)
	check("version: 1\nseal: {ref: capeval}", `capeval.yaml:2:13: found the text "capeval" for seal.ref, need a full ref name such as refs/heads/capeval-ledger`)
	check("version: 1\nseal: {genesis: abc}", `capeval.yaml:2:17: found the text "abc" for seal.genesis, need a commit id of 40 or 64 hexadecimal digits, as written by capeval-ci seal init`)
	check("version: 1\nseal: {age_recipient: AGE-SECRET-KEY-1}", `capeval.yaml:2:23: found the text "AGE-SECRET-KEY-1" for seal.age_recipient, need an age recipient, which begins with age1`)
	check("version: 1\nprices: {m: {input: 1}}", "capeval.yaml:2:10: found no key output in prices.m, need USD per million tokens, at least 0")
	check("version: 1\nprices: {m: null}", "capeval.yaml:2:10: found no key input in prices.m, need USD per million tokens, at least 0\ncapeval.yaml:2:10: found no key output in prices.m, need USD per million tokens, at least 0")
	check("version: 1\nsuites: {\" \": {trials: 3}}", `capeval.yaml:2:10: found the key " " in suites, need a name`)
	check("version: 1\nreport: {comment_bytes: 65536}", "capeval.yaml:2:25: found 65536 for report.comment_bytes, need a whole number from 1000 to 65535")

	// all mistakes come at once, in the order of the file
	check("version: 1\nzzz: 1\nrun: {trials: 0, aaa: 1}", `capeval.yaml:2:1: found the unknown key "zzz" in the file, need one of version, run, gate, candidate, suites, seal, prices or report
capeval.yaml:3:15: found 0 for run.trials, need a whole number from 1 to 100000
capeval.yaml:3:18: found the unknown key "aaa" in run, need one of trials, base_seed, split, arm, procs, workers, timeout, retry_missing, budget_usd, min_coverage, pass_threshold or out`)
}

// Whatever the file holds, reading it ends, and ends in a configuration or in
// mistakes that name a place.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	for _, s := range []string{"", "version: 1", "version: 1\nrun: {trials: [", "? a\n: b", "version: 1\nrun: *a", "a: &a [*a]", "version: 1\nrun: {<<: {}}",
		"%YAML 1.1\n---\nversion: 1", "version: 1\ngate:\n  guards:\n  - metric: x\n    max_increase: 5%\n", "version: 1 # \x00", "version: 1\nrun: |\n  x", "\xff\xfe", "[[[[[[[["} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse("capeval.yaml", data)
		if err == nil {
			if c.Run.Trials.V < 1 || c.Run.Trials.V > maxTrials || len(c.Settings()) < 40 {
				t.Errorf("%q gives %+v", data, c)
			}
			return
		}
		for _, e := range err.(interface{ Unwrap() []error }).Unwrap() {
			if e, ok := e.(*Error); !ok || e.Line < 1 || e.Column < 1 || e.Message == "" {
				t.Errorf("%q gives the mistake %v", data, e)
			}
		}
	})
}
