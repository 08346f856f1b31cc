package broken

import (
	"testing"

	. "github.com/capeval/capeval/evaltest"
)

func TestBroken(t *testing.T) { RunEvals(t, "broken", undeclared) }
