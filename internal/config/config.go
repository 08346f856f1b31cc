package config

import "time"

// Config is everything that a project and its environment say.
type Config struct {
	// Root is the folder that relative paths start from: that of capeval.yaml,
	// else that of go.mod, else the folder that was asked about.
	Root string
	// File is the path of capeval.yaml, "" when there is none.
	File string

	Run       Run
	Gate      Gate
	Candidate Candidate
	Suites    map[string]Suite // by name
	Seal      Seal
	Prices    map[string]Price // by model
	Report    Report
}

// Run says how trials are run.
type Run struct {
	Split        Value[string]        // train, val; test only from the environment
	Trials       Value[int]           // trials a task, at least 1
	BaseSeed     Value[int64]         // trial k runs with BaseSeed + k
	Arm          Value[string]        // never empty
	Procs        Value[int]           // processes, at least 1
	Workers      Value[int]           // rollouts at a time in one process, at least 1
	Timeout      Value[time.Duration] // of the whole run; 0 is none
	RetryMissing Value[int]           // further attempts at missing cells
	BudgetUSD    Value[float64]       // 0 is no budget
	MinCoverage  Value[float64]       // in [0,1]; 0 asks for nothing
	// PassThreshold is the least reward that counts as passed, in (0,1].
	PassThreshold Value[float64]
	Out           Value[string] // folder of run directories, relative to Root
	RunDir        Value[string] // this run's directory; "" means that there is none yet
	Shard         Value[Shard]  // zero when the run is whole
}

// Shard is one of Count parts of a run; Index counts from 1. The zero value is
// the whole run.
type Shard struct{ Index, Count int }

// Gate says how two arms are compared. Decimals are kept as they were written,
// so that they stay exact; "" means none.
type Gate struct {
	Rule              Value[string]
	Preset            Value[string] // "", search or release; excludes a rule
	Scope             Value[string]
	Alpha             Value[string] // in (0,1)
	Margin            Value[string] // in [0,1]
	KSE               Value[string] // at least 0
	MinCoverage       Value[string] // in [0,1]
	MinCellCoverage   Value[string] // in [0,1]
	TrialsAre         Value[string]
	Tasks             Value[string]
	MaxDetectableDrop Value[string] // in (0,1], or ""
	Indecisive        Value[string]
	Primary           Value[string]   // a suite, or ""
	Guards            Value[[]Guard]  // in the order of the file
	Surface           Value[[]string] // globs relative to Root
}

// Guard bounds how much a metric may grow from baseline to candidate.
type Guard struct {
	Metric      string
	MaxIncrease string // "10%", or a decimal in the metric's unit
	Origin      string
}

// Candidate says what the agent under test is made of.
type Candidate struct {
	Dir Value[string] // a folder of files taken from each ref; "" when there is none
}

// Suite holds what the file says of one suite. A value that is not set leaves
// the run's.
type Suite struct {
	Trials Value[int]
}

// Seal says where the ledger of the test split lies and what a finalize does.
type Seal struct {
	Remote       Value[string]
	Ref          Value[string]
	Genesis      Value[string] // a commit id; "" before seal init
	Checkpoint   Value[string] // path relative to Root
	MaxLooks     Value[int]    // 0 is no limit
	AgeRecipient Value[string] // "" leaves test tasks unencrypted
	Finalize     Finalize
}

// Finalize says how the sealed job measures.
type Finalize struct {
	Trials      Value[int]    // 0 means those of the suite
	BaselineRef Value[string] // "" means no baseline
	Rule        Value[string] // "" publishes numbers without a verdict
}

// Price is what a model costs, in USD per million tokens.
type Price struct {
	Input  Value[float64]
	Output Value[float64]
}

// Report says how results are shown.
type Report struct {
	Confidence   Value[float64] // level of intervals, in (0,1)
	CommentBytes Value[int]
	SummaryBytes Value[int]
}

// Defaults returns the configuration of a project that says nothing.
func Defaults() Config {
	return Config{
		Run: Run{
			Split:         Default("val"),
			Trials:        Default(1),
			BaseSeed:      Default[int64](0),
			Arm:           Default("candidate"),
			Procs:         Default(1),
			Workers:       Default(1),
			Timeout:       Default[time.Duration](0),
			RetryMissing:  Default(0),
			BudgetUSD:     Default(0.0),
			MinCoverage:   Default(0.0),
			PassThreshold: Default(1.0),
			Out:           Default(".capeval/runs"),
			RunDir:        Default(""),
			Shard:         Default(Shard{}),
		},
		Gate: Gate{
			Rule:              Default("no-regression"),
			Preset:            Default(""),
			Scope:             Default("suite"),
			Alpha:             Default("0.05"),
			Margin:            Default("0"),
			KSE:               Default("1"),
			MinCoverage:       Default("0.6"),
			MinCellCoverage:   Default("0.5"),
			TrialsAre:         Default("auto"),
			Tasks:             Default("common"),
			MaxDetectableDrop: Default(""),
			Indecisive:        Default("fail"),
			Primary:           Default(""),
			Guards:            Default[[]Guard](nil),
			Surface:           Default([]string{"evals/**", "capeval.yaml", ".github/workflows/capeval-*.yml"}),
		},
		Candidate: Candidate{Dir: Default("")},
		Suites:    map[string]Suite{},
		Seal: Seal{
			Remote:       Default("origin"),
			Ref:          Default("refs/heads/capeval-ledger"),
			Genesis:      Default(""),
			Checkpoint:   Default(".capeval/checkpoint.json"),
			MaxLooks:     Default(0),
			AgeRecipient: Default(""),
			Finalize:     Finalize{Trials: Default(0), BaselineRef: Default(""), Rule: Default("")},
		},
		Prices: map[string]Price{},
		Report: Report{Confidence: Default(0.95), CommentBytes: Default(65000), SummaryBytes: Default(1000000)},
	}
}

// ForSuite returns the run settings of one suite: what the file says of the
// suite is stronger than what it says of every run, and weaker than the
// environment and flags.
func (c Config) ForSuite(name string) Run {
	r := c.Run
	if t := c.Suites[name].Trials; t.Set {
		r.Trials = r.Trials.Over(t.V, t.layer, t.Origin)
	}
	return r
}
