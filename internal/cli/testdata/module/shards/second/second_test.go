// Package second is the other of two suites that are measured whole and in
// shards. It has fewer cells than there may be shards.
package second

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"

	. "github.com/capeval/capeval/evaltest"
)

func TestSecond(t *testing.T) { RunEvals(t, "second") }

var _ = Task("only", Val, func(_ SpecContext, t *Trial) { t.Score(0.25) })
