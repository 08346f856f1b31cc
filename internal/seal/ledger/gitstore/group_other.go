//go:build !unix

package gitstore

import "os/exec"

// ownGroup does nothing: there are no process groups here, and git alone is
// killed.
func ownGroup(*exec.Cmd) {}
