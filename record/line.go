package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"github.com/capeval/capeval/stats"
)

// The known keys of a line. Those below nText hold text.
const (
	fSchema = iota
	fRun
	fSuite
	fSplit
	fArm
	fTask
	fStatus
	fCause
	fMessage
	fFeedback
	fCluster
	fContent
	fOutput
	fStarted
	nText
	fTrial = iota - 1
	fAttempt
	fSeed
	fReward
	fCached
	fSeconds
	fMetrics
	fUnits
	fNotes
	nField
)

// maxTrial bounds trial and attempt numbers: a number above it is a mistake,
// not an evaluation.
const maxTrial = 999_999

// keyIndex returns the index of a key, or -1 when the form does not know it.
func keyIndex[T string | []byte](key T) int {
	switch string(key) {
	case "schema":
		return fSchema
	case "run":
		return fRun
	case "suite":
		return fSuite
	case "split":
		return fSplit
	case "arm":
		return fArm
	case "task":
		return fTask
	case "status":
		return fStatus
	case "cause":
		return fCause
	case "message":
		return fMessage
	case "feedback":
		return fFeedback
	case "cluster":
		return fCluster
	case "content_digest":
		return fContent
	case "output_digest":
		return fOutput
	case "started":
		return fStarted
	case "trial":
		return fTrial
	case "attempt":
		return fAttempt
	case "seed":
		return fSeed
	case "reward":
		return fReward
	case "cached":
		return fCached
	case "seconds":
		return fSeconds
	case "metrics":
		return fMetrics
	case "units":
		return fUnits
	case "notes":
		return fNotes
	}
	return -1
}

type number struct {
	name  string
	value float64
}

type pair struct{ name, value string }

// line is one line of a file between its text and a Trial.
type line struct {
	no      int    // counts from 1 in its file
	start   bool   // a start mark
	seen    uint32 // keys that stand on the line
	set     uint32 // keys whose value is not null
	text    [nText]string
	raw     [nText - fOutput][]byte // of fOutput and fStarted, see own
	trial   int64
	attempt int64
	seed    int64
	reward  float64
	seconds float64
	cached  bool
	scored  bool
	hash    uint32
	metrics []number
	units   []pair
	notes   []string
	extra   []pair // the value is JSON as it was written
	err     error
}

func (l *line) reset(no int) {
	*l = line{no: no, metrics: l.metrics[:0], units: l.units[:0], notes: l.notes[:0], extra: l.extra[:0]}
}

// own makes texts that were left in the reader's buffer the line's own. Few
// lines share them, and a summary needs no string of its own for either.
func (l *line) own() {
	for i, b := range l.raw {
		if b != nil {
			l.text[fOutput+i], l.raw[i] = string(b), nil
		}
	}
}

func (l *line) has(f int) bool { return l.set&(1<<f) != 0 }

// finish fills in what the line left open and checks what it says. The trial
// number of a line without one is the reader's to give.
func (l *line) finish() error {
	switch s := l.text[fSchema]; s {
	case "", TrialSchema:
		l.text[fSchema] = TrialSchema
	case StartSchema:
		l.start = true
	default:
		return fmt.Errorf("found schema %q, need %q or %q: written by another version?", clip(s), TrialSchema, StartSchema)
	}
	if strings.TrimSpace(l.text[fTask]) == "" {
		if l.has(fTask) {
			return fmt.Errorf("found an empty task, need its id")
		}
		return fmt.Errorf("found no task, need \"task\" with its id")
	}
	if !l.start {
		l.text[fSuite] = cmp.Or(l.text[fSuite], DefaultSuite)
		l.text[fSplit] = cmp.Or(l.text[fSplit], string(DefaultSplit))
		l.text[fArm] = cmp.Or(l.text[fArm], DefaultArm)
	}
	if s := l.text[fSplit]; s != "" && !Split(s).Valid() {
		return fmt.Errorf("found split %q, need train, val or test", clip(s))
	}
	if l.has(fTrial) && (l.trial < 0 || l.trial > maxTrial) {
		return fmt.Errorf("found trial %d, need a number from 0 to %d", l.trial, maxTrial)
	}
	if !l.has(fAttempt) {
		l.attempt = 1
	}
	if l.attempt < 0 || l.attempt > maxTrial {
		return fmt.Errorf("found attempt %d, need a number from 1 to %d (0 where the cell never started)", l.attempt, maxTrial)
	}
	if !l.has(fTrial) && l.attempt != 1 {
		return fmt.Errorf("found attempt %d without a trial, need \"trial\" to know what was attempted again", l.attempt)
	}
	if l.start {
		return l.finishStart()
	}
	if err := l.finishStatus(); err != nil {
		return err
	}
	if !(l.seconds >= 0) || math.IsInf(l.seconds, 0) {
		return fmt.Errorf("found seconds %v, need 0 or more", l.seconds)
	}
	slices.SortFunc(l.metrics, func(a, b number) int { return strings.Compare(a.name, b.name) })
	for i, m := range l.metrics {
		if i > 0 && l.metrics[i-1].name == m.name {
			return fmt.Errorf("found metric %q twice, need it once", clip(m.name))
		}
		if math.IsNaN(m.value) || math.IsInf(m.value, 0) {
			return fmt.Errorf("found metric %q %v, need a finite number", clip(m.name), m.value)
		}
	}
	slices.SortFunc(l.units, pair.compare)
	for i := 1; i < len(l.units); i++ {
		if l.units[i-1].name == l.units[i].name {
			return fmt.Errorf("found unit %q twice, need it once", clip(l.units[i].name))
		}
	}
	slices.SortFunc(l.extra, pair.compare)
	return nil
}

func (p pair) compare(o pair) int { return strings.Compare(p.name, o.name) }

func (l *line) finishStart() error {
	if !l.has(fTrial) {
		return fmt.Errorf("found a start mark without a trial, need \"trial\"")
	}
	if l.attempt < 1 {
		return fmt.Errorf("found a start mark with attempt %d, need 1 or more", l.attempt)
	}
	if l.seen&(1<<fReward|1<<fStatus) != 0 {
		return fmt.Errorf("found a start mark with a reward or status, need schema %q", TrialSchema)
	}
	return nil
}

// finishStatus brings status, reward and cause together.
func (l *line) finishStatus() error {
	number, null := l.has(fReward), l.seen&(1<<fReward) != 0 && !l.has(fReward)
	cause := Cause(l.text[fCause])
	status := Status(l.text[fStatus])
	if status == "" {
		switch {
		case number:
			status = Scored
		case null:
			status = Missing
		default:
			return fmt.Errorf("found neither reward nor status, need \"reward\" from 0 to 1 or \"status\":\"missing\"")
		}
	}
	switch status {
	case Scored:
		if !number {
			found := "no reward"
			if null {
				found = "reward null"
			}
			return fmt.Errorf("found status scored with %s, need a reward from 0 to 1 or status missing", found)
		}
		if !(l.reward >= 0 && l.reward <= 1) {
			return fmt.Errorf("found reward %v, need a number from 0 to 1", l.reward)
		}
		if l.reward == 0 {
			l.reward = 0 // never -0: equal numbers have equal bytes
		}
		if cause != "" && !cause.Agent() {
			return fmt.Errorf("found cause %q with status scored, need none or one of %s", clip(string(cause)), causeList(Cause.Agent))
		}
		if cause != "" && l.reward != 0 {
			return fmt.Errorf("found cause %q with reward %v, need reward 0: the agent's own failure scores nothing", cause, l.reward)
		}
		if l.attempt == 0 {
			return fmt.Errorf("found status scored with attempt 0, need 1 or more: attempt 0 never started")
		}
		l.scored = true
	case Missing:
		if number {
			return fmt.Errorf("found status missing with reward %v, need reward null: a missing trial has no reward", l.reward)
		}
		if cause == "" {
			cause = CauseRunner
		}
		if !cause.Missing() {
			return fmt.Errorf("found cause %q with status missing, need one of %s", clip(string(cause)), causeList(Cause.Missing))
		}
		l.text[fCause] = string(cause)
	default:
		return fmt.Errorf("found status %q, need scored or missing", clip(string(status)))
	}
	l.text[fStatus] = string(status)
	return nil
}

// causes lists every cause in the order of their declaration. The position of
// a cause is its code in a row; "" is 0.
func causes() [15]Cause {
	return [15]Cause{"",
		CauseSetup, CauseRunner, CauseRateLimit, CauseScorer, CauseScorerTimeout, CauseInvalidScore,
		CausePanic, CauseInterrupted, CauseSkipped, CauseNotStarted,
		CauseExpectation, CauseAgentError, CauseAgentTimeout, CauseAgentLimit}
}

func causeCode(c string) uint8 {
	for i, k := range causes() {
		if string(k) == c {
			return uint8(i)
		}
	}
	return 0
}

func causeList(want func(Cause) bool) string {
	var names []string
	for _, c := range causes() {
		if want(c) {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ", ")
}

// clip shortens a text from outside for a message.
func clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:57], "") + "..."
}

// hashSeed is drawn once, because equal lines must have equal hashes in every
// file of a process.
var hashSeed = maphash.MakeSeed()

// digest sets l.hash to a hash of everything the line says but its place and
// its trial number. It wants the line finished.
func (l *line) digest() {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	put := func(s string) {
		h.WriteString(s)
		h.WriteByte(0xff) // no UTF-8 text holds it
	}
	num := func(u uint64) {
		var b [8]byte
		for i := range b {
			b[i] = byte(u >> (8 * i))
		}
		h.Write(b[:])
	}
	for _, s := range l.text[:fOutput] {
		put(s)
	}
	for i, b := range l.raw {
		if b == nil {
			put(l.text[fOutput+i])
			continue
		}
		h.Write(b)
		h.WriteByte(0xff)
	}
	num(uint64(l.attempt))
	if l.has(fSeed) {
		num(uint64(l.seed))
	}
	num(math.Float64bits(l.reward))
	num(math.Float64bits(l.seconds))
	if l.cached {
		put("cached")
	}
	for _, m := range l.metrics {
		put(m.name)
		num(math.Float64bits(m.value))
	}
	h.WriteByte(0xfe)
	for _, list := range [2][]pair{l.units, l.extra} {
		for _, p := range list {
			put(p.name)
			put(p.value)
		}
		h.WriteByte(0xfe)
	}
	for _, n := range l.notes {
		put(n)
	}
	l.hash = uint32(h.Sum64())
}

// toTrial returns the line as a Trial. What keep returns is shared.
func (l *line) toTrial(keep func(string) string) Trial {
	l.own()
	t := Trial{
		Schema: TrialSchema, Run: keep(l.text[fRun]), Suite: keep(l.text[fSuite]), Split: splitOf(l.text[fSplit]),
		Arm: keep(l.text[fArm]), Task: keep(l.text[fTask]), Trial: int(l.trial), Attempt: int(l.attempt), Seed: l.seed,
		Status: Missing, Cause: causes()[causeCode(l.text[fCause])],
		Message: l.text[fMessage], Feedback: l.text[fFeedback],
		Cluster: keep(l.text[fCluster]), ContentDigest: keep(l.text[fContent]),
		OutputDigest: l.text[fOutput], Cached: l.cached,
		Started: l.text[fStarted], Seconds: l.seconds,
	}
	if l.scored {
		t.Status, t.Reward = Scored, stats.Defined(l.reward)
	}
	if len(l.metrics) > 0 {
		t.Metrics = make(map[string]float64, len(l.metrics))
		for _, m := range l.metrics {
			t.Metrics[keep(m.name)] = m.value
		}
	}
	if len(l.units) > 0 {
		t.Units = make(map[string]string, len(l.units))
		for _, p := range l.units {
			t.Units[keep(p.name)] = keep(p.value)
		}
	}
	t.Notes = append(t.Notes, l.notes...)
	if len(l.extra) > 0 {
		t.Extra = make(map[string]json.RawMessage, len(l.extra))
		for _, p := range l.extra {
			t.Extra[keep(p.name)] = json.RawMessage(p.value)
		}
	}
	return t
}

func (l *line) toStart(keep func(string) string) Start {
	l.own()
	return Start{
		Schema: StartSchema, Run: keep(l.text[fRun]), Suite: keep(l.text[fSuite]), Split: splitOf(l.text[fSplit]),
		Arm: keep(l.text[fArm]), Task: keep(l.text[fTask]), Trial: int(l.trial), Attempt: int(l.attempt),
		Seed: l.seed, Started: l.text[fStarted],
	}
}

func splitOf(s string) Split {
	for _, k := range [...]Split{Train, Val, Test} {
		if string(k) == s {
			return k
		}
	}
	return ""
}

// fromTrial makes l say what t says, and checks it.
func (l *line) fromTrial(t *Trial) error {
	l.reset(0)
	l.text = [nText]string{
		fSchema: t.Schema, fRun: t.Run, fSuite: t.Suite, fSplit: string(t.Split), fArm: t.Arm, fTask: t.Task,
		fStatus: string(t.Status), fCause: string(t.Cause), fMessage: t.Message, fFeedback: t.Feedback,
		fCluster: t.Cluster, fContent: t.ContentDigest, fOutput: t.OutputDigest, fStarted: t.Started,
	}
	l.set = 1<<fTask | 1<<fTrial | 1<<fAttempt | 1<<fSeed | 1<<fSeconds
	l.trial, l.attempt, l.seed, l.seconds, l.cached = int64(t.Trial), int64(t.Attempt), t.Seed, t.Seconds, t.Cached
	if v, ok := t.Reward.Value(); ok {
		l.reward = v
		l.set |= 1 << fReward
	}
	for name, v := range t.Metrics {
		l.metrics = append(l.metrics, number{name, v})
	}
	for name, u := range t.Units {
		l.units = append(l.units, pair{name, u})
	}
	l.notes = append(l.notes, t.Notes...)
	for name, raw := range t.Extra {
		if keyIndex(name) >= 0 {
			return fmt.Errorf("found extra key %q, need a name that the form does not use", name)
		}
		l.extra = append(l.extra, pair{name, string(raw)})
	}
	if t.Schema == StartSchema {
		return fmt.Errorf("found schema %q in a trial, need %q", t.Schema, TrialSchema)
	}
	switch "" {
	case t.Suite:
		return fmt.Errorf("found an empty suite, need its name")
	case string(t.Split):
		return fmt.Errorf("found an empty split, need train, val or test")
	case t.Arm:
		return fmt.Errorf("found an empty arm, need its name")
	case string(t.Status):
		return fmt.Errorf("found an empty status, need scored or missing")
	}
	l.seen = l.set
	return l.finish()
}
