// Package twin names its suite as package evals does.
package twin

import (
	"testing"

	. "github.com/capeval/capeval/evaltest"
)

func TestTwin(t *testing.T) { RunEvals(t, "agent") }

var _ = Task("easy", Val, func(*Trial) {})
