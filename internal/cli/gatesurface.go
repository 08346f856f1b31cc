package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/capeval/capeval/internal/surface"
)

// level lays one evaluation surface over both arms: tasks, scorers and settings
// of the base, or of the head where that was asked for.
func (b *armBench) level() error {
	project, err := b.projectPrefix()
	if err != nil {
		return err
	}
	set, err := surface.New(project, b.cfg.Gate.Surface.V)
	if err != nil {
		return fail(exitUsage, "%s: %w", b.cfg.Gate.Surface.Origin, err)
	}
	base, err := set.Tree(b.ctx, b.repo.top, b.base)
	if err != nil {
		return withCode(exitInfra, err)
	}
	head, err := set.Tree(b.ctx, b.repo.top, b.head)
	if err != nil {
		return withCode(exitInfra, err)
	}
	b.edited = surface.Diff(base, head)
	if b.flags.candidateDir != "" {
		return b.swapFolder()
	}
	onto, from := b.trees[candidateArm], b.base
	if b.flags.surface == "head" {
		onto, from = b.trees[baselineArm], b.head
	}
	if b.edited.Empty() {
		return nil
	}
	return withCode(exitInfra, set.Overlay(b.ctx, b.repo.top, from, onto.root))
}

// projectPrefix is the folder of capeval.yaml below the repository's root, to
// which the globs of the surface are relative.
func (b *armBench) projectPrefix() (string, error) {
	tree := b.trees[baselineArm]
	if b.flags.surface == "head" {
		tree = b.trees[candidateArm]
	}
	rel, err := filepath.Rel(tree.root, b.cfg.Root)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fail(exitUsage, "--base-ref: the project's root %s lies outside the repository: capeval.yaml or go.mod has to be in it", b.cfg.Root)
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// swapFolder makes the candidate of the base, but for the folder that is the agent.
func (b *armBench) swapFolder() error {
	dir := filepath.ToSlash(filepath.Clean(b.flags.candidateDir))
	if !filepath.IsLocal(b.flags.candidateDir) || dir == "." {
		return fail(exitUsage, "--candidate-dir: found %q, need a folder below the working directory", b.flags.candidateDir)
	}
	inRepo := b.repo.prefix + dir
	for _, commit := range []string{b.base, b.head} {
		kind, err := git(b.ctx, b.repo.top, nil, "cat-file", "-t", commit+":"+inRepo)
		if err != nil || kind != "tree" {
			return fail(exitUsage, "--candidate-dir: %s is no folder in %s, need it in both", inRepo, short(commit))
		}
	}
	tree := b.trees[candidateArm]
	if _, err := git(b.ctx, tree.root, nil, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", "--detach", "--force", b.base); err != nil {
		return withCode(exitInfra, err)
	}
	return tree.swap(b.ctx, b.head, inRepo)
}

// surfaceLine says that the change edits what judges it, "" where it does not.
func (b *armBench) surfaceLine() string {
	if b.edited.Empty() {
		return ""
	}
	if b.flags.surface == "head" {
		return fmt.Sprintf("the change edits the evaluation surface, and both arms were judged by its own version (--surface head): %s", b.edited)
	}
	return strings.TrimSpace(b.edited.Refusal()) + "\nBoth arms were judged by the base's version. To judge the change by its own: --surface head."
}

// surfaceCode is what an edited surface owes, unless that was meant.
func (b *armBench) surfaceCode() int {
	if b.edited.Empty() || b.flags.surface == "head" {
		return exitOK
	}
	return exitIntegrity
}
