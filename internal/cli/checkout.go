package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// checkout is the user's repository, from which the arms of a comparison are
// taken.
type checkout struct {
	top    string // its root
	prefix string // the working directory below it, "" at the root
	head   string // the commit that is checked out
	dirty  bool   // there are changes that are in no commit
}

// openCheckout finds the repository of the working directory.
func openCheckout(ctx context.Context) (*checkout, error) {
	top, err := git(ctx, ".", nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fail(exitUsage, "--base-ref: need a git repository: %w", err)
	}
	c := &checkout{top: top}
	if c.prefix, err = git(ctx, ".", nil, "rev-parse", "--show-prefix"); err != nil {
		return nil, withCode(exitInfra, err)
	}
	if c.head, err = git(ctx, c.top, nil, "rev-parse", "--verify", "HEAD^{commit}"); err != nil {
		return nil, fail(exitUsage, "--base-ref: need a commit to compare: %w", err)
	}
	status, err := git(ctx, c.top, nil, "status", "--porcelain", "--untracked-files=normal")
	c.dirty = status != ""
	return c, withCode(exitInfra, err)
}

// base returns the commit that the head is compared with: the one where it left
// ref.
func (c *checkout) base(ctx context.Context, ref string) (string, error) {
	commit, err := git(ctx, c.top, nil, "rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return "", fail(exitUsage, "--base-ref: found no commit %q: fetch it first, such as with `git fetch origin main`: %w", ref, err)
	}
	base, err := git(ctx, c.top, nil, "merge-base", commit, c.head)
	if err != nil {
		return "", fail(exitUsage, "--base-ref: found no common ancestor of %s and HEAD: a shallow clone lacks it, fetch with depth 0: %w", ref, err)
	}
	return base, nil
}

// state returns a commit with what is in the working tree now, ignored files
// aside: HEAD itself where nothing has changed. Neither the index nor a branch is
// touched.
func (c *checkout) state(ctx context.Context) (string, error) {
	if !c.dirty {
		return c.head, nil
	}
	dir, err := os.MkdirTemp("", "capeval-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}
	if _, err := git(ctx, c.top, env, "read-tree", "HEAD"); err != nil {
		return "", err
	}
	if _, err := git(ctx, c.top, env, "add", "--all"); err != nil {
		return "", err
	}
	tree, err := git(ctx, c.top, env, "write-tree")
	if err != nil {
		return "", err
	}
	who := []string{
		"GIT_AUTHOR_NAME=capeval", "GIT_AUTHOR_EMAIL=capeval@localhost", "GIT_AUTHOR_DATE=2000-01-01T00:00:00Z",
		"GIT_COMMITTER_NAME=capeval", "GIT_COMMITTER_EMAIL=capeval@localhost", "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
	}
	return git(ctx, c.top, append(env, who...), "-c", "commit.gpgSign=false", "commit-tree", "-p", c.head, "-m", "uncommitted changes", tree)
}

// size is the number of bytes of the files below a path of a commit.
func (c *checkout) size(ctx context.Context, commit, path string) (string, error) {
	list, err := git(ctx, c.top, nil, "ls-tree", "-r", "-l", "-z", commit, "--", path)
	if err != nil {
		return "", err
	}
	total := int64(0)
	for entry := range strings.SplitSeq(list, "\x00") {
		if f := strings.Fields(entry); len(f) >= 4 && f[1] == "blob" {
			n, err := strconv.ParseInt(f[3], 10, 64)
			if err != nil {
				return "", fmt.Errorf("git ls-tree: found the size %q, need a number", f[3])
			}
			total += n
		}
	}
	return strconv.FormatInt(total, 10), nil
}

// worktree is a commit checked out beside the user's own.
type worktree struct {
	from *checkout
	root string
}

// worktree checks a commit out into a temporary folder.
func (c *checkout) worktree(ctx context.Context, commit, name string) (*worktree, error) {
	dir, err := os.MkdirTemp("", "capeval-"+name+"-")
	if err != nil {
		return nil, withCode(exitInfra, err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, withCode(exitInfra, err)
	}
	w := &worktree{from: c, root: filepath.Join(dir, filepath.Base(c.top))}
	if _, err := git(ctx, c.top, nil, "-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach", w.root, commit); err != nil {
		return nil, withCode(exitInfra, errors.Join(err, os.RemoveAll(dir)))
	}
	return w, nil
}

// dir is where the user's working directory lies in the worktree.
func (w *worktree) dir() string { return filepath.Join(w.root, filepath.FromSlash(w.from.prefix)) }

// swap puts a folder of another commit in the place of its own; path is relative
// to the root.
func (w *worktree) swap(ctx context.Context, commit, path string) error {
	if err := os.RemoveAll(filepath.Join(w.root, filepath.FromSlash(path))); err != nil {
		return withCode(exitInfra, err)
	}
	_, err := git(ctx, w.root, nil, "-c", "core.hooksPath=/dev/null", "checkout", "--quiet", commit, "--", ":(top,literal)"+path)
	return withCode(exitInfra, err)
}

// remove takes the worktree away, with what git knows of it.
func (w *worktree) remove() {
	_, _ = git(context.Background(), w.from.top, nil, "worktree", "remove", "--force", w.root)
	_ = os.RemoveAll(filepath.Dir(w.root)) // a temporary folder that stays harms nobody
}

// git runs a git command and returns what it printed, without the last line's
// end.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(errs.String())
		if i := strings.LastIndexByte(said, '\n'); i >= 0 {
			said = said[i+1:]
		}
		if said == "" {
			said = err.Error()
		}
		return "", fmt.Errorf("git %s: %s", firstWord(args), said)
	}
	return strings.TrimRight(out.String(), "\r\n"), nil
}

// firstWord is the command among git's arguments.
func firstWord(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		return args[i]
	}
	return ""
}
