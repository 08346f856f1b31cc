package agentexec

import (
	"fmt"
	"os"
)

// TempCopy returns a new temporary folder that holds a copy of dir, for an agent
// that works on files: each trial has its own and may spoil it. Symbolic links
// are copied as links. The caller removes the folder, in a suite by
//
//	DeferCleanup(os.RemoveAll, box)
//
// and in a rollout by defer. An error names what could not be copied and leaves
// nothing behind.
func TempCopy(dir string) (string, error) {
	box, err := os.MkdirTemp("", "agent-*")
	if err != nil {
		return "", fmt.Errorf("no folder for a copy of %s: %w", dir, err)
	}
	if err := os.CopyFS(box, os.DirFS(dir)); err != nil {
		_ = os.RemoveAll(box)
		return "", fmt.Errorf("copy of %s: %w", dir, err)
	}
	return box, nil
}
