package ledger_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/seal/ledger/storetest"
	"pgregory.net/rapid"
)

// whole returns a ledger in which every kind of record occurs.
func whole(t testing.TB) ledger.Snapshot {
	t.Helper()
	s := begin(t)
	s = s.add(ledger.NewPolicy("refunds", []ledger.Task{{ID: "b", Split: "val"}, {ID: "a", Split: "train", Digest: "coarse:x"}}, ledger.Run{}, storetest.Time()), nil)
	a, b, c := storetest.Attempt("refunds", "v1", "A"), storetest.Attempt("refunds", "v1", "B"), storetest.Attempt("orders", "v1", "C")
	s = s.add(s.Reserve(a, ledger.Terms{}, storetest.Time()))
	s = s.observe(a)
	s = s.add(s.Reserve(b, ledger.Terms{Relook: "the scorer crashed"}, storetest.Time()))
	s = s.observe(b)
	s = s.add(s.Salvage("B", storetest.Nonce("B"), "interrupted", ledger.Run{}, storetest.Time()))
	s = s.commit("B")
	s = s.add(s.Reserve(c, ledger.Terms{}, storetest.Time()))
	s = s.add(s.Abort("C", "dirty tree", ledger.Run{}, storetest.Time()))
	return s.Snapshot
}

// chain is a ledger in memory: what is decided is written.
type chain struct {
	ledger.Snapshot
	t testing.TB
}

func begin(t testing.TB) chain {
	t.Helper()
	r, data, err := ledger.PrepareGenesis(storetest.Genesis())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ledger.NewSnapshot([]ledger.Entry{{Record: r, ID: ledger.Digest(data), Digest: ledger.Digest(data)}}, ledger.ScopeLocal)
	if err != nil {
		t.Fatal(err)
	}
	return chain{s, t}
}

func (c chain) add(r ledger.Record, err error) chain {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	r, data, err := c.Prepare(r)
	if err != nil {
		c.t.Fatal(err)
	}
	s, err := c.With(ledger.Entry{Record: r, ID: ledger.Digest(data), Digest: ledger.Digest(data)})
	if err != nil {
		c.t.Fatal(err)
	}
	return chain{s, c.t}
}

func (c chain) observe(a ledger.Attempt) chain {
	c.t.Helper()
	return c.add(c.Observe(a, ledger.NonceSHA256(storetest.Nonce(a.ID)), storetest.Time()))
}

func (c chain) commit(id string) chain {
	c.t.Helper()
	return c.add(c.Commit(id, storetest.Nonce(id), storetest.Result(id), ledger.Run{}, storetest.Time()))
}

// finalize writes the three records of a.
func (c chain) finalize(a ledger.Attempt) chain {
	c.t.Helper()
	return c.add(c.Reserve(a, ledger.Terms{}, storetest.Time())).observe(a).commit(a.ID)
}

func TestEveryKindIsReadAsWritten(t *testing.T) {
	kinds := map[ledger.Kind]bool{}
	for _, e := range whole(t).Entries {
		kinds[e.Record.Kind] = true
		data, err := ledger.Encode(e.Record)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ledger.Decode(data)
		if err != nil || !reflect.DeepEqual(back, e.Record) || ledger.Digest(data) != e.Digest {
			t.Errorf("%s: read %+v, %v, want %+v", data, back, err, e.Record)
		}
	}
	if len(kinds) != 8 {
		t.Errorf("found kinds %v, want all 8", kinds)
	}
}

// The bytes are canonical because the fields stand in the order of their keys, at
// every level.
func TestFieldsAreInTheOrderOfTheirKeys(t *testing.T) {
	for _, v := range []any{ledger.Record{}, ledger.Plan{}, ledger.Run{}, ledger.Result{}, ledger.Overlap{}, ledger.Task{}, ledger.Checkpoint{}} {
		var keys []string
		for f := range reflect.TypeOf(v).Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		if !slices.IsSorted(keys) {
			t.Errorf("%T has %v", v, keys)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	entries := whole(t).Entries
	good, err := ledger.Encode(entries[2].Record) // reserved
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := ledger.Encode(entries[1].Record)
	commit, _ := ledger.Encode(entries[7].Record)
	sub := func(data []byte, from, to string) []byte {
		out := bytes.Replace(data, []byte(from), []byte(to), 1)
		if bytes.Equal(out, data) {
			t.Fatalf("%q is not in %s", from, data)
		}
		return out
	}
	for why, c := range map[string]struct {
		data  []byte
		words string
	}{
		"nothing":                {nil, "0 bytes"},
		"a torn record":          {good[:len(good)/2], "in the middle"},
		"no newline":             {good[:len(good)-1], "other bytes"},
		"two newlines":           {append(bytes.Clone(good), '\n'), "other bytes"},
		"two records":            {append(bytes.Clone(good), good...), "other bytes"},
		"spaces":                 {sub(good, `,"`, `, "`), "other bytes"},
		"an unknown key":         {sub(good, `"v":1`, `"v":1,"w":1`), `unknown field "w"`},
		"a key in capitals":      {sub(good, `"ts"`, `"TS"`), "other bytes"},
		"a repeated key":         {sub(good, `"seq":3`, `"seq":3,"seq":3`), "other bytes"},
		"an unknown kind":        {sub(good, `"reserved"`, `"revised"`), `kind "revised"`},
		"no kind":                {sub(good, `"reserved"`, `""`), `kind ""`},
		"another version":        {sub(good, `"v":1`, `"v":2`), "version 2"},
		"another version's key":  {sub(good, `"v":1`, `"v":2,"w":0`), "version 2"},
		"a number as text":       {sub(good, `"seq":3`, `"seq":"3"`), "seq"},
		"number 0":               {sub(good, `"seq":3`, `"seq":0`), "number 0"},
		"number a million":       {sub(good, `"seq":3`, `"seq":1000000`), "1000000"},
		"a list":                 {[]byte("[]\n"), "array"},
		"a number":               {[]byte("1e999999\n"), "number"},
		"no attempt":             {sub(good, `"attempt":"A",`, ``), "without attempt"},
		"a field of another":     {sub(good, `"look":1,`, `"look":1,"nonce":"x",`), "with nonce"},
		"a wrong key":            {sub(good, `/v1"`, `/v2"`), "belong together"},
		"a release in capitals":  {sub(sub(good, `/v1"`, `/V1"`), `"release":"v1"`, `"release":"V1"`), "belong together"},
		"a task changed":         {sub(good, "refunds-late", "refunds-luck"), "tasks_sha256"},
		"tasks out of order":     {sub(policy, `"id":"a"`, `"id":"z"`), "sorted"},
		"a split of test":        {sub(policy, `"split":"val"`, `"split":"test"`), `split "test"`},
		"a time with a zone":     {sub(good, `:00Z"`, `:00+01:00"`), "ts"},
		"a time before 1970":     {sub(good, `"2026-`, `"1926-`), "ts"},
		"a digest in capitals":   {sub(commit, `"final_sha256":"sha256:`, `"final_sha256":"sha256:A`), "final_sha256"},
		"no trials":              {sub(good, `"trials":4`, `"trials":0`), "0 trials"},
		"far too long":           {bytes.Repeat([]byte(" "), ledger.MaxBytes+1), fmt.Sprint(ledger.MaxBytes + 1)},
		"bytes that are no text": {sub(good, "git:v1", "git:\xff"), "other bytes"},
	} {
		if _, err := ledger.Decode(c.data); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", why, err, c.words)
		}
	}
}

func TestEncodeRefusesWhatJSONCannotHold(t *testing.T) {
	r := whole(t).Entries[2].Record
	r.Candidate = "git:\xff"
	if _, err := ledger.Encode(r); err == nil {
		t.Error("invalid UTF-8 was written")
	}
}

func TestKeys(t *testing.T) {
	check := func(in, want string) {
		t.Helper()
		if got, err := ledger.NormalRelease(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	check(" V1.0\n", "v1.0")
	check("Caf\u0065\u0301", "caf\u00e9") // composed
	check("J\u030c", "\u01f0")            // composes only in lower case
	check("", "")
	check(" \t", "")
	check("v1\u200b", "") // a space of no width
	check("v\x001", "")
	check("v1\u2028x", "")
	check("\xff", "")
	check(strings.Repeat("x", 201), "")
	rapid.Check(t, func(t *rapid.T) {
		if r, err := ledger.NormalRelease(rapid.String().Draw(t, "release")); err == nil {
			if again, err := ledger.NormalRelease(" " + r + " "); again != r || err != nil {
				t.Fatalf("%q becomes %q, %v", r, again, err)
			}
		}
	})
}

func TestFingerprint(t *testing.T) {
	a, b := ledger.Task{ID: "a", Digest: "sha256:1"}, ledger.Task{ID: "b", Digest: "sha256:2"}
	got := ledger.Fingerprint([]ledger.Task{b, a})
	if want := ledger.Digest([]byte("capeval-testsplit-v1\na\x00sha256:1\nb\x00sha256:2\n")); got != want {
		t.Errorf("got %s, want that of the sorted lines", got)
	}
	if ledger.Fingerprint([]ledger.Task{a, b}) != got {
		t.Error("the order of the tasks changes it")
	}
	if ledger.Fingerprint([]ledger.Task{a, {ID: "b", Digest: "sha256:3"}}) == got || ledger.Fingerprint([]ledger.Task{a}) == got {
		t.Error("another split has the same")
	}
	coarse := func(d string) string { return ledger.Fingerprint([]ledger.Task{{ID: "a", Digest: d}}) }
	if coarse("coarse:sha256:1") != coarse("coarse:sha256:2") || coarse("coarse:sha256:1") == coarse("sha256:1") {
		t.Error("a coarse digest is part of it")
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range whole(f).Entries {
		data, err := ledger.Encode(e.Record)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ledger.Decode(data)
		if err != nil {
			return
		}
		if again, err := ledger.Encode(r); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("read %q, wrote %q, %v", data, again, err)
		}
	})
}

func FuzzDecodeCheckpoint(f *testing.F) {
	data, _ := whole(f).Checkpoint().Encode()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := ledger.DecodeCheckpoint(data); err == nil {
			again, err := c.Encode()
			if back, berr := ledger.DecodeCheckpoint(again); err != nil || berr != nil || back != c {
				t.Fatalf("read %+v, then %+v, %v, %v", c, back, err, berr)
			}
		}
	})
}
