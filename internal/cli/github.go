package cli

import (
	"fmt"
	"os"
)

// tellGitHub appends what a workflow may want to know to $GITHUB_OUTPUT, where
// that is set. The verdict is a gate's word: a run has none, and says "".
func tellGitHub(verdict, state string, code int) error {
	path := os.Getenv("GITHUB_OUTPUT")
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("GITHUB_OUTPUT: %w", err)
	}
	_, err = fmt.Fprintf(f, "verdict=%s\ncode=%d\nstate=%s\n", verdict, code, state)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
