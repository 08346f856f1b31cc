// Package shared imports the library for others.
package shared

import (
	"testing"

	"github.com/capeval/capeval/evaltest"
)

// Run runs the suite name.
func Run(t *testing.T, name string) {
	evaltest.Task("indirect", evaltest.Val, func(*evaltest.Trial) {})
	evaltest.RunEvals(t, name)
}
