//go:build unix

package pulls_test

import (
	"testing"

	"github.com/capeval/capeval/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

func TestScripts(t *testing.T) { clitest.Scripts(t, "testdata/script") }
