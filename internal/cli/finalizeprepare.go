package cli

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/capeval/capeval/internal/cli/gotest"
	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/rundir"
	"github.com/capeval/capeval/internal/seal"
	"github.com/capeval/capeval/internal/seal/ledger"
	"github.com/capeval/capeval/internal/surface"
	"github.com/capeval/capeval/record"
)

// armSource is what an arm is made of.
type armSource struct {
	record.Source
	dir string // where its packages are looked for
}

// sealedSuite is a suite whose test split is looked at.
type sealedSuite struct {
	decl    seal.Declaration
	attempt ledger.Attempt
	key     ledger.Key
	nonce   string
	broker  *seal.Broker
	dir     string // holds what is published
	runs    [2]*suiteRun

	wasObserved bool
	committed   bool
}

// observed reports whether the look is on the ledger.
func (s *sealedSuite) observed() bool {
	return s.wasObserved || s.broker != nil && s.broker.Report().Observed
}

// prepare does everything that burns nothing: it reads, checks, builds, and lets
// the suites declare what they would run.
func (z *finalizing) prepare() (err error) {
	if names := seal.OverrideNames(os.Environ()); len(names) > 0 {
		return refusing(seal.Override(names))
	}
	if z.cfg, err = config.Load(".", os.LookupEnv); err != nil {
		return withCode(exitUsage, err)
	}
	for key, text := range z.flags.given {
		if err := z.cfg.Run.Apply(key, text, config.LayerFlag, "--"+strings.ReplaceAll(key, "_", "-")); err != nil {
			return withCode(exitUsage, err)
		}
	}
	set := z.cfg.Seal.Finalize
	if set.Trials.V > 0 && z.flags.given["trials"] == "" {
		if err := z.cfg.Run.Apply("trials", fmt.Sprint(set.Trials.V), config.LayerFlag, set.Trials.Origin); err != nil {
			return withCode(exitUsage, err)
		}
	}
	z.flags.baselineRef = cmp.Or(z.flags.baselineRef, set.BaselineRef.V)
	z.flags.candidateDir = cmp.Or(z.flags.candidateDir, z.cfg.Candidate.Dir.V)
	if set.Rule.V != "" {
		rule := ruleOf(z.cfg)
		rule.Name = set.Rule.V
		if err := checkRule(rule); err != nil {
			return err
		}
		z.rule = &rule
	}
	if _, err := ledger.NormalRelease(z.flags.release); err != nil {
		return fail(exitUsage, "--release: %w", err)
	}
	if err := z.rightPlace(); err != nil {
		return err
	}
	if err := z.prepareArms(); err != nil {
		return err
	}
	return z.declareSuites()
}

// rightPlace refuses a place in which a look would not be one of its kind.
func (z *finalizing) rightPlace() error {
	get := os.Getenv
	if event := get("GITHUB_EVENT_NAME"); strings.HasPrefix(event, "pull_request") || get("CI_MERGE_REQUEST_IID") != "" {
		return refusing(seal.WrongPlace("a pull request"))
	}
	if shard := get("CAPEVAL_SHARD"); shard != "" && shard != "1/1" {
		return refusing(seal.WrongPlace("shard " + shard))
	}
	for _, name := range []string{"CAPEVAL_SHARD_TOTAL", "CI_NODE_TOTAL", "CIRCLE_NODE_TOTAL", "BUILDKITE_PARALLEL_JOB_COUNT"} {
		if n := get(name); n != "" && n != "1" {
			return refusing(seal.WrongPlace("one of " + n + " matrix legs (" + name + ")"))
		}
	}
	if _, err := git(z.ctx, ".", nil, "rev-parse", "--git-dir"); err != nil {
		if z.flags.baselineRef != "" {
			return fail(exitUsage, "--baseline-ref: need a git repository: %w", err)
		}
		return nil
	}
	var err error
	if z.repo, err = openCheckout(z.ctx); err != nil {
		return err
	}
	status, err := git(z.ctx, z.repo.top, nil, "status", "--porcelain", "--untracked-files=normal")
	if err != nil {
		return withCode(exitInfra, err)
	}
	checkpoint, _ := filepath.Rel(z.repo.top, filepath.Join(z.cfg.Root, filepath.FromSlash(z.cfg.Seal.Checkpoint.V)))
	for line := range strings.SplitSeq(status, "\n") {
		if len(line) > 3 && strings.Trim(line[3:], `"`) != filepath.ToSlash(checkpoint) && strings.Trim(line[3:], `"`) != ".capeval/" {
			return refusing(seal.WrongPlace("a dirty tree (" + line[3:] + ")"))
		}
	}
	return nil
}

// prepareArms finds what candidate and baseline are, and checks the baseline out
// under the tasks and scorers that are here.
func (z *finalizing) prepareArms() error {
	c, b := &z.sources[candidateArm], &z.sources[baselineArm]
	c.dir, c.Dir = ".", filepath.ToSlash(z.flags.candidateDir)
	if z.repo == nil {
		digest, err := folderDigest(z.cfg.Root)
		c.Digest = digest
		return withCode(exitInfra, err)
	}
	var err error
	c.Commit = z.repo.head
	if c.Digest, err = z.treeDigest(z.repo.head); err != nil {
		return err
	}
	if z.flags.baselineRef == "" {
		return nil
	}
	if z.base, err = git(z.ctx, z.repo.top, nil, "rev-parse", "--verify", "--end-of-options", z.flags.baselineRef+"^{commit}"); err != nil {
		return fail(exitUsage, "--baseline-ref: found no commit %q: fetch it first: %w", z.flags.baselineRef, err)
	}
	b.Source = record.Source{Commit: z.base, Ref: z.flags.baselineRef, Dir: c.Dir}
	if b.Digest, err = z.treeDigest(z.base); err != nil {
		return err
	}
	if z.equal = b.Digest == c.Digest; z.equal {
		return nil
	}
	return z.checkOutBaseline()
}

// treeDigest names the content of a commit, or of the agent's folder in it.
func (z *finalizing) treeDigest(commit string) (string, error) {
	spec := commit + "^{tree}"
	if z.flags.candidateDir != "" {
		spec = commit + ":" + z.repo.prefix + filepath.ToSlash(filepath.Clean(z.flags.candidateDir))
	}
	id, err := git(z.ctx, z.repo.top, nil, "rev-parse", "--verify", "--end-of-options", spec)
	if err != nil {
		return "", fail(exitUsage, "--candidate-dir: %s is no folder in %s: %w", z.flags.candidateDir, short(commit), err)
	}
	return "gitTree:" + id, nil
}

func (z *finalizing) checkOutBaseline() error {
	project, err := filepath.Rel(z.repo.top, z.cfg.Root)
	if err != nil {
		return withCode(exitInfra, err)
	}
	if project == "." {
		project = ""
	}
	commit := z.base
	if z.flags.candidateDir != "" {
		commit = z.repo.head
	}
	if z.tree, err = z.repo.worktree(z.ctx, commit, "baseline"); err != nil {
		return err
	}
	z.sources[baselineArm].dir = z.tree.dir()
	if z.flags.candidateDir != "" {
		return z.tree.swap(z.ctx, z.base, z.repo.prefix+filepath.ToSlash(filepath.Clean(z.flags.candidateDir)))
	}
	set, err := surface.New(filepath.ToSlash(project), z.cfg.Gate.Surface.V)
	if err != nil {
		return fail(exitUsage, "%s: %w", z.cfg.Gate.Surface.Origin, err)
	}
	return withCode(exitInfra, set.Overlay(z.ctx, z.repo.top, z.repo.head, z.tree.root))
}

// folderDigest names the content of a folder that no repository keeps.
func folderDigest(root string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".capeval" {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		sum := sha256.Sum256(data)
		fmt.Fprintf(h, "%s\x00%x\n", filepath.ToSlash(rel), sum)
		return nil
	})
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), err
}

// declareSuites builds both arms and reads what the candidate's suites declare.
func (z *finalizing) declareSuites() error {
	for which := range z.arms {
		if which == baselineArm && z.tree == nil {
			continue
		}
		if err := z.buildArm(which); err != nil {
			return err
		}
	}
	candidate := z.arms[candidateArm]
	for _, r := range candidate.suites {
		d, err := declarationOf(candidate, r)
		if err != nil {
			return err
		}
		if len(d.Of(record.Test)) == 0 {
			z.say("%s: no task of the test split", d.Suite)
			continue
		}
		for _, p := range d.Problems {
			return fail(p.Exit, "%s", p.Text)
		}
		s := &sealedSuite{decl: d, nonce: seal.NewNonce()}
		s.runs[candidateArm] = r
		if b := z.arms[baselineArm]; b != nil {
			i := slices.IndexFunc(b.suites, func(o *suiteRun) bool { return o.pkg() == r.pkg() })
			if i < 0 {
				return fail(exitUsage, "the baseline %s has no suite %s: without a baseline of its own it cannot be compared", short(z.base), r.pkg())
			}
			s.runs[baselineArm] = b.suites[i]
		}
		z.suites = append(z.suites, s)
	}
	if len(z.suites) == 0 {
		return refusing(seal.EmptyHoldOut(strings.Join(z.patterns, " ")))
	}
	return nil
}

func (z *finalizing) buildArm(which int) error {
	s := &call{std: z.std, cfg: z.cfg, dir: z.sources[which].dir, signals: z.signals}
	s.command.Packages = z.patterns
	z.arms[which] = s
	var err error
	if s.bench, err = gotest.NewBench(); err != nil {
		return withCode(exitInfra, err)
	}
	z.say("%s:", armNames[which])
	binaries, err := s.build(z.ctx)
	if err != nil {
		return s.buildError(err)
	}
	for _, bin := range binaries {
		s.suite(bin)
	}
	return nil
}

// declarationOf lets a suite say, in a dry run, which tasks it has. Nothing of
// them runs.
func declarationOf(s *call, r *suiteRun) (d seal.Declaration, err error) {
	path := filepath.Join(s.bench.Dir(), "declared.json")
	_ = os.Remove(path)
	env := []string{"CAPEVAL_SEAL_DECLARE=" + path, "CAPEVAL_QUIET=1", "CAPEVAL_PACKAGE=" + r.pkg()}
	for _, v := range s.settings() {
		if v.name != "" && v.layer == config.LayerFlag {
			env = append(env, v.name+"="+v.text)
		}
	}
	if err := r.output.open(); err != nil {
		return d, withCode(exitInfra, err)
	}
	defer r.output.close()
	process, err := s.bench.Start(r.bin, gotest.Job{Env: append(seal.ChildEnv(os.Environ(), ""), env...), Output: r.output.file, DryRun: true})
	if err != nil {
		return d, withCode(exitInfra, err)
	}
	s.signals.forward(process)
	last := time.AfterFunc(declareLimit, process.Kill)
	end := process.Wait()
	last.Stop()
	s.signals.forward(nil)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return d, fail(exitInfra, "%s declared nothing in a dry run (%s):\n%s", r.pkg(), end.State, tail(r.output.read(), maxTail))
	}
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	return d, withCode(exitInfra, err)
}

// newAttempt is what a suite pins before it looks.
func (z *finalizing) newAttempt(s *sealedSuite) (ledger.Attempt, error) {
	var entropy [10]byte
	_, _ = rand.Read(entropy[:])
	plan := s.decl.Plan()
	a := ledger.Attempt{
		ID: rundir.NewID(z.now(), entropy), Suite: s.decl.Suite, Release: z.flags.release,
		Candidate: z.sources[candidateArm].Digest, Baseline: z.sources[baselineArm].Digest, Scorer: s.decl.Scorer,
		Plan: ledger.Plan{BaseSeed: s.decl.BaseSeed, SHA256: plan.Digest(), Trials: z.cfg.Run.Trials.V}, Run: ciRun(),
	}
	for _, t := range s.decl.Of(record.Test) {
		a.Tasks = append(a.Tasks, ledger.Task{ID: t.ID, Digest: t.Digest})
	}
	var err error
	s.key, err = a.Key()
	return a, err
}
