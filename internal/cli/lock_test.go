//go:build unix

package cli

import (
	"strings"
	"testing"
)

// Two commands do not write into one run.
func TestLockDir(t *testing.T) {
	root := t.TempDir()
	first, err := lockDir(root)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lockDir(root)
	if codeOf(err) != exitUsage || !strings.Contains(message(err), "another capeval-ci is writing into "+root) {
		t.Errorf("the second lock: %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := lockDir(root)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	_ = second.Close()
}
