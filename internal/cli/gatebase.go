package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/gate"
	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/surface"
	"github.com/capeval/capeval/record"
)

// baseFlags are the flags of a gate that runs both arms itself.
type baseFlags struct {
	ref          string
	surface      string
	candidateDir string
	adaptive     bool
	given        map[string]string // settings of the run, by key
}

// pairSettings lists the flags of run that both arms of a gate share.
var pairSettings = []string{"trials", "base-seed", "procs", "workers", "timeout", "retry-missing", "budget-usd", "out"}

func (f *baseFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.ref, "base-ref", "", "run both arms now: what is here, and the commit where it left `ref`")
	c.Flags().StringVar(&f.surface, "surface", "base", "with --base-ref, whose tasks, scorers and settings judge both arms: `base or head`")
	c.Flags().StringVar(&f.candidateDir, "candidate-dir", "", "with --base-ref, an agent that is the folder `path`: all else is the base's in both arms")
	c.Flags().BoolVar(&f.adaptive, "adaptive", false, "with --base-ref, look on the way and stop when the case is clear; the looks share alpha")
	for _, s := range runSettings {
		for _, name := range pairSettings {
			if s.flag == name {
				c.Flags().String(s.flag, "", "with --base-ref: "+s.usage)
			}
		}
	}
}

// read takes the settings of the run from the flags.
func (f *baseFlags) read(c *cobra.Command) error {
	f.given = map[string]string{}
	for _, s := range runSettings {
		if flag := c.Flags().Lookup(s.flag); flag != nil && flag.Changed && isPairSetting(s.flag) {
			f.given[s.key] = flag.Value.String()
		}
	}
	if f.ref != "" {
		for _, name := range []string{"baseline", "candidate", "baseline-arm", "candidate-arm", "suite"} {
			if c.Flags().Changed(name) {
				return fail(exitUsage, "found --%s and --base-ref, need one of them: --base-ref runs both arms itself", name)
			}
		}
		if f.candidateDir != "" && f.surface == "head" {
			return fail(exitUsage, "found --candidate-dir and --surface head, need one of them: with a folder as the agent all else is the base's")
		}
		if f.surface != "base" && f.surface != "head" {
			return fail(exitUsage, "--surface: found %q, need base or head", f.surface)
		}
		return nil
	}
	for _, name := range append([]string{"surface", "candidate-dir", "adaptive"}, pairSettings...) {
		if c.Flags().Changed(name) {
			return fail(exitUsage, "found --%s without --base-ref, need both: it is about arms that gate runs itself", name)
		}
	}
	return nil
}

func isPairSetting(flag string) bool {
	for _, name := range pairSettings {
		if name == flag {
			return true
		}
	}
	return false
}

// bench is a gate that runs both arms.
type armBench struct {
	std      IO
	flags    gateFlags
	patterns []string
	cfg      config.Config
	call     gateCall
	ctx      context.Context
	repo     *checkout
	base     string // commit
	head     string // commit, of the working tree where that has changes
	trees    [2]*worktree
	edited   surface.Changes // what the head changed of the surface
	pair     pair
}

// gateBase is `capeval-ci gate --base-ref`.
func gateBase(c *cobra.Command, std IO, f gateFlags, patterns []string) (v gate.Verdict, code int, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	b := &armBench{std: std, flags: f, patterns: patterns, ctx: ctx}
	b.pair = pair{std: std, signals: listen(cancel)}
	defer b.close()
	if err := b.prepare(c); err != nil {
		return v, 0, err
	}
	if err := b.build(); err != nil {
		return v, 0, err
	}
	a, err := b.measure()
	if err != nil {
		return v, 0, err
	}
	return b.judge(a)
}

func (b *armBench) close() {
	b.pair.close()
	for _, t := range b.trees {
		if t != nil {
			t.remove()
		}
	}
	b.pair.signals.stop()
}

// prepare checks out both arms, lays one surface over both, and reads the
// settings from that surface: a change does not choose the rule that judges it.
func (b *armBench) prepare(c *cobra.Command) (err error) {
	if b.repo, err = openCheckout(b.ctx); err != nil {
		return err
	}
	if b.base, err = b.repo.base(b.ctx, b.flags.ref); err != nil {
		return err
	}
	if b.head, err = b.repo.state(b.ctx); err != nil {
		return withCode(exitInfra, err)
	}
	for which, commit := range [2]string{b.base, b.head} {
		if b.trees[which], err = b.repo.worktree(b.ctx, commit, armNames[which]); err != nil {
			return err
		}
	}
	judge := b.trees[baselineArm]
	if b.flags.surface == "head" {
		judge = b.trees[candidateArm]
	}
	if _, err := os.Stat(judge.dir()); err != nil {
		return fail(exitUsage, "--base-ref: %s does not have the folder %s, so there is nothing to compare; --surface head judges by what is here", short(b.base), b.repo.prefix)
	}
	if b.cfg, err = config.Load(judge.dir(), os.LookupEnv); err != nil {
		return withCode(exitUsage, err)
	}
	if err := b.folder(c); err != nil {
		return err
	}
	if b.call, err = gateCallOf(c, b.flags, b.cfg); err != nil {
		return err
	}
	if b.flags.adaptive {
		for _, rule := range b.call.rules {
			if err := gate.CheckAdaptive(rule); err != nil || len(b.call.rules) > 1 {
				return fail(exitUsage, "--adaptive: found rule %s, need improve or no-regression: the looks share the alpha of an exact p", rule.Name)
			}
		}
	}
	if err := b.level(); err != nil {
		return err
	}
	return b.place()
}

// folder takes the agent's folder from candidate.dir where no flag names one, and
// its sizes for the rule that asks for them.
func (b *armBench) folder(c *cobra.Command) error {
	if b.flags.candidateDir == "" && b.flags.surface == "base" {
		b.flags.candidateDir = b.cfg.Candidate.Dir.V
	}
	g := b.cfg.Gate
	applyGateSettings(c, &g)
	if b.flags.candidateDir == "" || g.Rule.V != gate.RuleSimplicity || b.flags.baselineSize != "" || b.flags.candidateSize != "" {
		return nil
	}
	path := b.repo.prefix + filepath.ToSlash(filepath.Clean(b.flags.candidateDir))
	var err error
	if b.flags.baselineSize, err = b.repo.size(b.ctx, b.base, path); err == nil {
		b.flags.candidateSize, err = b.repo.size(b.ctx, b.head, path)
	}
	return withCode(exitInfra, err)
}

// place chooses where the records go and prepares the arms.
func (b *armBench) place() error {
	for key, text := range b.flags.given {
		if err := b.cfg.Run.Apply(key, text, config.LayerFlag, "--"+strings.ReplaceAll(key, "_", "-")); err != nil {
			return withCode(exitUsage, err)
		}
	}
	if split := b.cfg.Run.Split; record.Split(split.V) == record.Test {
		return fail(exitSealed, "%s: the test split is compared in the finalize job alone", split.Origin)
	}
	var entropy [10]byte
	_, _ = rand.Read(entropy[:])
	id := rundir.NewID(time.Now(), entropy)
	root := b.cfg.Run.RunDir.V
	if root == "" {
		own, err := config.Load(".", os.LookupEnv)
		if err != nil {
			return withCode(exitUsage, err)
		}
		root = b.cfg.Run.Out.V
		if !filepath.IsAbs(root) {
			root = filepath.Join(own.Root, root)
		}
		root = filepath.Join(root, id)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return withCode(exitInfra, err)
	}
	if arms := armsBelow(root); len(arms) > 0 {
		return fail(exitUsage, "--out: %s already holds a comparison, need another directory", root)
	}
	b.pair.root = root
	for which, tree := range b.trees {
		if err := b.pair.add(which, tree.dir(), b.cfg, b.patterns, id); err != nil {
			return err
		}
	}
	b.pair.say("baseline %s, candidate %s, records in %s", short(b.base), b.candidateName(), here(root))
	return nil
}

func (b *armBench) candidateName() string {
	name := short(b.repo.head)
	if b.repo.dirty {
		name += " with uncommitted changes"
	}
	return name
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

// build builds both arms. An arm that does not compile against the other's tasks
// cannot be compared, which is no failure of the change.
func (b *armBench) build() error {
	for which := range b.trees {
		err := b.pair.build(b.ctx, which)
		var broken *gotest.GoError
		if err == nil || !errors.As(err, &broken) {
			if err != nil {
				return err
			}
			continue
		}
		foreign := b.flags.surface == "base" && which == candidateArm || b.flags.surface == "head" && which == baselineArm
		if !foreign || b.edited.Empty() {
			return err
		}
		other := "the base's tasks do not compile against the change; --surface head judges both by the tasks that are here, and says so"
		if b.flags.surface == "head" {
			other = "the tasks that are here do not compile against the base: there is nothing to compare with"
		}
		return fail(exitUnclear, "indecisive: %s\n%w\n%s", other, err, b.surfaceLine())
	}
	return nil
}

// looks is how often an adaptive run looks at most.
const looks = 5

// measure runs both arms. It returns how far an adaptive run went.
func (b *armBench) measure() (*gate.Adaptive, error) {
	if !b.flags.adaptive {
		return nil, b.pair.measure(turns, nil)
	}
	a := &gate.Adaptive{Alpha: b.call.rules[0].Alpha, Looks: looks}
	err := b.pair.measure(looks, func(trials int) (bool, error) {
		a.Planned = b.pair.planned()
		a.Looks = min(looks, a.Planned)
		a.Look++
		v, err := b.look(*a, trials)
		if err != nil {
			return false, err
		}
		clear := len(v.Suites) > 0
		for _, d := range v.Suites {
			clear = clear && d.Clear()
		}
		if clear {
			b.pair.say("look %d of %d: the case is clear after %d of %d trials", a.Look, a.Looks, trials, a.Planned)
			a.NotNeeded, err = b.pair.shorten(trials)
		}
		return clear, err
	})
	if a.Planned == 0 { // one trial a task: the only look is the last
		a.Planned, a.Looks = b.pair.planned(), 1
	}
	if a.NotNeeded == 0 {
		a.Look = a.Looks
	}
	a.Trials = b.pair.planned()
	return a, err
}

// look judges the trials that both arms have had, by the part of alpha that this
// look may spend.
func (b *armBench) look(a gate.Adaptive, trials int) (gate.Verdict, error) {
	call, err := b.call.spending(a)
	if err != nil {
		return gate.Verdict{}, err
	}
	arms, err := b.pair.read(b.std, trials)
	if err != nil {
		return gate.Verdict{}, err
	}
	return call.decide(arms[baselineArm], arms[candidateArm])
}

// judge tells the verdict on what was measured.
func (b *armBench) judge(a *gate.Adaptive) (v gate.Verdict, code int, err error) {
	call := b.call
	if a != nil {
		if call, err = b.call.spending(*a); err != nil {
			return v, 0, err
		}
	}
	arms, err := b.pair.read(b.std, 0)
	if err != nil {
		return v, 0, err
	}
	if v, err = call.decide(arms[baselineArm], arms[candidateArm]); err != nil {
		return v, 0, err
	}
	if a != nil {
		if _, a.AlphaSpent, err = gate.Spend(a.Alpha, a.Look, a.Looks); err != nil {
			return v, 0, withCode(exitUsage, err)
		}
		for i, d := range v.Suites {
			v.Suites[i] = d.Stopped(*a)
		}
	}
	in := b.pair.told()
	in.Notes = b.notes()
	code = worst(call.exit(v), b.pair.code(), b.surfaceCode())
	if err := b.flags.tell(b.std, b.cfg.Report, v, in); err != nil {
		return v, code, err
	}
	for _, note := range in.Notes {
		b.pair.say("%s", note)
	}
	return v, code, nil
}

// notes says how the arms were made, where that is not as a reader would think.
func (b *armBench) notes() []string {
	var notes []string
	if line := b.surfaceLine(); line != "" {
		notes = append(notes, line)
	}
	if b.flags.candidateDir != "" {
		notes = append(notes, fmt.Sprintf("the candidate is the folder %s; all else is that of %s in both arms", b.flags.candidateDir, short(b.base)))
	}
	return notes
}

// spending is the call with the part of alpha that a look may spend.
func (g gateCall) spending(a gate.Adaptive) (gateCall, error) {
	part, _, err := gate.Spend(a.Alpha, a.Look, a.Looks)
	if err != nil {
		return g, withCode(exitUsage, err)
	}
	g.rules = append([]gate.Rule{}, g.rules...)
	for i := range g.rules {
		g.rules[i].Alpha = part
	}
	return g, nil
}
