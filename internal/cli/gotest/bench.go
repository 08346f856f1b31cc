package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Bench is where binaries are built and started from: a temporary folder, and a
// guard that cleans up after a command that was killed.
type Bench struct {
	dir    string
	guard  *guard
	built  int
	ginkgo string // the ginkgo command, once it is built
}

// Binary is the built test binary of a package.
type Binary struct {
	Package Package
	path    string
}

// NewBench makes an empty bench. Close it.
func NewBench() (*Bench, error) {
	dir, err := os.MkdirTemp("", "capeval-ci-")
	if err != nil {
		return nil, fmt.Errorf("a folder for test binaries: %w", err)
	}
	return &Bench{dir: dir, guard: newGuard(dir)}, nil
}

// Close removes everything that the bench holds. No process of it may run.
func (b *Bench) Close() error {
	b.guard.dismiss()
	return os.RemoveAll(b.dir)
}

// Dir is the bench's temporary folder.
func (b *Bench) Dir() string { return b.dir }

// Build compiles the tests of pkg. What the compiler says is a *GoError.
func (b *Bench) Build(ctx context.Context, pkg Package) (Binary, error) {
	b.built++
	dir := filepath.Join(b.dir, strconv.Itoa(b.built))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return Binary{}, err
	}
	bin := Binary{Package: pkg, path: filepath.Join(dir, "suite.bin")}
	if _, err := command(ctx, pkg.Dir, "test", "-c", "-o", bin.path, "."); err != nil {
		return Binary{}, err
	}
	return bin, nil
}

// ginkgoPackage is the command that runs a suite in several processes.
const ginkgoPackage = "github.com/onsi/ginkgo/v2/ginkgo"

// BuildGinkgo builds, once, the ginkgo command of the version that the module
// around pkg requires. Where go.sum lacks what only the command needs, it is
// built with copies of go.mod and go.sum: the user's files stay as they are.
func (b *Bench) BuildGinkgo(ctx context.Context, pkg Package) error {
	if b.ginkgo != "" {
		return nil
	}
	path := filepath.Join(b.dir, "ginkgo")
	_, err := command(ctx, pkg.Dir, "build", "-o", path, ginkgoPackage)
	var failed *GoError
	if errors.As(err, &failed) {
		mod, copyErr := b.copyModule(ctx, pkg)
		if copyErr != nil {
			return errors.Join(err, copyErr)
		}
		_, err = command(ctx, pkg.Dir, "build", "-mod=mod", "-modfile="+mod, "-o", path, ginkgoPackage)
	}
	if err != nil {
		return fmt.Errorf("several processes need the ginkgo command: %w\nneeded: `go get %s` in the module, or --procs 1", err, ginkgoPackage)
	}
	b.ginkgo = path
	return nil
}

// copyModule copies go.mod and go.sum of the module around pkg into the bench.
func (b *Bench) copyModule(ctx context.Context, pkg Package) (string, error) {
	out, err := command(ctx, pkg.Dir, "list", "-m", "-f", "{{.GoMod}}")
	if err != nil {
		return "", err
	}
	source := filepath.Clean(firstLine(string(out)))
	target := filepath.Join(b.dir, "go.mod")
	data, err := os.ReadFile(source)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(target, data, 0o644); err != nil {
		return "", err
	}
	sums, err := os.ReadFile(filepath.Join(filepath.Dir(source), "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return target, os.WriteFile(filepath.Join(b.dir, "go.sum"), sums, 0o644)
}
