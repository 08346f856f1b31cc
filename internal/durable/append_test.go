package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestAppenderAddsWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	a, err := CreateAppender(path)
	if err != nil {
		t.Fatal(err)
	}
	const writers, each = 8, 200
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				line := fmt.Sprintf("%d %d %s", w, i, strings.Repeat("x", i*7))
				if i%2 == 0 {
					line += "\n"
				}
				if n, err := a.Write([]byte(line)); n != len(line) || err != nil {
					t.Errorf("Write = %d, %v", n, err)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(a.Sync(), a.Close()); err != nil {
		t.Fatal(err)
	}
	next := [writers]int{}
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		var w, i int
		var x string
		_, _ = fmt.Sscanf(line, "%d %d %s", &w, &i, &x)
		if next[w] != i || len(x) != i*7 {
			t.Fatalf("line %.40q of writer %d, want its line %d", line, w, next[w])
		}
		next[w]++
	}
	for w, n := range next {
		if n != each {
			t.Errorf("writer %d left %d lines, want %d", w, n, each)
		}
	}
}

func TestAppenderRefuses(t *testing.T) {
	dir := t.TempDir()
	torn := filepath.Join(dir, "torn")
	if err := os.WriteFile(torn, []byte("one\ntw"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenAppender(torn); !errors.Is(err, ErrTorn) {
		t.Errorf("torn file: %v, want ErrTorn", err)
	}
	if _, err := CreateAppender(torn); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: %v, want fs.ErrExist", err)
	}
	a, err := OpenAppender(filepath.Join(dir, "new"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := a.Write([]byte("a\nb\n")); n != 0 || err == nil {
		t.Errorf("two lines: %d, %v, want a refusal", n, err)
	}
	if _, err := a.Write([]byte("a")); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if a, err = OpenAppender(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write(nil); err != nil { // an empty line is a line
		t.Fatal(err)
	}
	_ = a.Close()
	if got, _ := os.ReadFile(filepath.Join(dir, "new")); string(got) != "a\n\n" {
		t.Errorf("content %q", got)
	}
}

// cutFile takes only part of a line, once, as a full disk does.
type cutFile struct {
	*os.File
	take    int
	noTrunc bool
	foreign string // what another writer adds after the cut
}

func (f *cutFile) Write(p []byte) (int, error) {
	if f.take < 0 {
		return f.File.Write(p)
	}
	n, _ := f.File.Write(p[:f.take])
	f.take = -1
	_, _ = f.File.WriteString(f.foreign)
	return n, errStep
}

func (f *cutFile) Truncate(size int64) error {
	if f.noTrunc {
		return errors.New("no truncation")
	}
	return f.File.Truncate(size)
}

func TestAppenderTakesBackAPart(t *testing.T) {
	check := func(why string, f cutFile, want string, goesOn bool) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "j")
		a, err := CreateAppender(path)
		if err != nil {
			t.Fatal(err)
		}
		f.File = a.f.(*os.File)
		take := f.take
		f.take = -1
		a.f = &f
		if _, err := a.Write([]byte("first")); err != nil {
			t.Fatal(err)
		}
		f.take = take
		if n, err := a.Write([]byte("second")); n != 0 || !errors.Is(err, errStep) {
			t.Errorf("%s: Write = %d, %v, want 0 and the disk's error", why, n, err)
		}
		_, err = a.Write([]byte("third"))
		if goesOn != (err == nil) || !goesOn && !errors.Is(err, ErrTorn) {
			t.Errorf("%s: the next Write: %v", why, err)
		}
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("%s: content %q, want %q", why, got, want)
		}
		_ = a.Close()
	}
	check("nothing taken", cutFile{take: 0}, "first\nthird\n", true)
	check("a part taken back", cutFile{take: 3}, "first\nthird\n", true)
	check("a part that stays", cutFile{take: 3, noTrunc: true}, "first\nsec", false)
	check("somebody else wrote", cutFile{take: 3, foreign: "X\n"}, "first\nsecX\n", false)
}

// childAppend adds lines to path for ever and prints the number of each that
// was taken.
func childAppend(path string) {
	a, err := CreateAppender(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		if _, err := a.Write([]byte(appended(n))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(n)
	}
}

func appended(n int) string { return strconv.Itoa(n) + " " + strings.Repeat("y", n*31%5000) }

func TestAppenderKilled(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	acknowledged, torn := 0, 0
	for k := range kills() {
		path := filepath.Join(dir, strconv.Itoa(k))
		done := killAtRandom(t, child(t, "append", path), rnd)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		if last := lines[len(lines)-1]; last != "" {
			torn++
			if n := len(lines) - 1; !strings.HasPrefix(appended(n), last) {
				t.Fatalf("the torn line %.40q is no beginning of line %d", last, n)
			}
		}
		lines = lines[:len(lines)-1]
		for n, line := range lines {
			if line != appended(n) {
				t.Fatalf("line %d is %.40q", n, line)
			}
		}
		if len(lines) < len(done) {
			t.Fatalf("%d lines are there, %d were acknowledged", len(lines), len(done))
		}
		acknowledged += len(done)
	}
	t.Logf("%d children killed, %d lines acknowledged, %d torn", kills(), acknowledged, torn)
}
