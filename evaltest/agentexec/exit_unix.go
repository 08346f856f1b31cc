//go:build unix && !linux

package agentexec

// awaitExit reports false: here a process that has ended cannot be awaited
// without being reaped.
func awaitExit(int) bool { return false }
