package surface

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Locate returns the top folder of the repository around dir, and the folder dir
// in it, slash-separated: "" at the top, else such as "agents/support".
func Locate(ctx context.Context, dir string) (top, prefix string, err error) {
	out, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("git rev-parse: found %q, need the top folder and the folder in it", out)
	}
	return lines[0], strings.Trim(lines[1], "/"), nil
}

// Tree lists the protected files of a commit of the repository around dir,
// without a checkout. ref is anything that names a commit.
func (s Set) Tree(ctx context.Context, dir, ref string) (Manifest, error) {
	files, err := s.tree(ctx, dir, ref)
	if err != nil {
		return nil, fmt.Errorf("surface of %s: %w", ref, err)
	}
	m := Manifest{}
	for _, f := range files {
		m = append(m, f.Entry)
	}
	return m, nil
}

// treeFile is an entry and what it holds.
type treeFile struct {
	Entry
	content []byte // nil for a submodule
}

// tree reads the protected files of a commit with their contents, sorted by
// path.
func (s Set) tree(ctx context.Context, dir, ref string) ([]treeFile, error) {
	commit, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("found no commit of that name in %s, need one that was fetched (git fetch origin %s): %w", dir, ref, err)
	}
	out, err := git(ctx, dir, nil, "ls-tree", "-r", "-z", "--full-tree", strings.TrimSpace(string(commit)))
	if err != nil {
		return nil, err
	}
	var files []treeFile
	var ids []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if line == "" {
			continue
		}
		meta, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree: found %q, need mode, type, object and path", line)
		}
		if !s.Match(path) {
			continue
		}
		f := treeFile{Entry: Entry{Path: path, Mode: fields[0]}}
		switch f.Mode {
		case modeSubmodule:
			f.Digest = "git:" + fields[2]
		case modeFile, modeExec, modeLink:
			ids = append(ids, fields[2])
		case "100664": // old git wrote it; it is checked out as any other file
			f.Mode = modeFile
			ids = append(ids, fields[2])
		default:
			return nil, fmt.Errorf("%s: found mode %s, need a file, a symbolic link or a submodule", shown(path), f.Mode)
		}
		files = append(files, f)
	}
	blobs, err := readBlobs(ctx, dir, ids)
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i].Mode != modeSubmodule {
			files[i].content, blobs = blobs[0], blobs[1:]
			files[i].Digest = digest(files[i].content)
		}
	}
	slices.SortFunc(files, func(a, b treeFile) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// readBlobs returns the contents of objects, in their order, by one process.
func readBlobs(ctx context.Context, dir string, ids []string) ([][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := git(ctx, dir, strings.NewReader(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(bytes.NewReader(out))
	var blobs [][]byte
	for _, id := range ids {
		header, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("git cat-file: %s: %w", id, err)
		}
		fields := strings.Fields(header)
		if len(fields) != 3 || fields[0] != id || fields[1] != "blob" {
			return nil, fmt.Errorf("git cat-file: found %q, need the blob %s", strings.TrimSpace(header), id)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size > len(out) {
			return nil, fmt.Errorf("git cat-file: found size %q of %s", fields[2], id)
		}
		blob := make([]byte, size+1) // and the newline after it
		if _, err := io.ReadFull(r, blob); err != nil {
			return nil, fmt.Errorf("git cat-file: %s: %w", id, err)
		}
		blobs = append(blobs, blob[:size:size])
	}
	return blobs, nil
}

// git runs git in dir and returns what it printed. Variables that a hook sets to
// point at another repository are left out, and objects are what their names
// say: a replace ref could put others in their place.
func git(ctx context.Context, dir string, in io.Reader, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin = dir, in
	cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_COMMON_DIR"}, name)
	})
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0")
	var out, say bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &say
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &exit):
		text := strings.TrimSpace(say.String())
		if text == "" {
			text = exit.String()
		}
		return nil, fmt.Errorf("git %s: %s", args[0], text)
	}
	return nil, fmt.Errorf("need the git command: %w", err)
}
