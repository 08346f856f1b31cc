// Package kinds is the suite that the tests of evaltest run in processes of
// their own. CASE chooses what it declares.
package kinds

import (
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	. "github.com/capeval/capeval/evaltest"
)

// cases holds what each CASE declares, filled by the files beside this one.
var cases = map[string]func(){}

var _ = func() bool {
	declareCases()
	if declare, ok := cases[os.Getenv("CASE")]; ok {
		declare()
	}
	return true
}()

func TestKinds(t *testing.T) {
	if _, ok := cases[os.Getenv("CASE")]; !ok {
		t.Skip("CASE names no case: this suite is run by the tests of evaltest")
	}
	switch os.Getenv("RUNNER") {
	case "RunSpecs": // a suite that knows nothing of RunEvals
		RegisterFailHandler(Fail)
		RunSpecs(t, "kinds")
	case "Custom": // a fail handler of the suite's own
		RegisterFailHandler(func(message string, skip ...int) {
			trace("the suite's own handler")
			Fail(message, skip[0]+1)
		})
		RunSpecs(t, "kinds")
	case "None": // and none
		RunSpecs(t, "kinds")
	case "Config": // a configuration in code replaces that of the flags
		RegisterFailHandler(Fail)
		config, reporting := GinkgoConfiguration()
		RunSpecs(t, "kinds", config, reporting, Label("of-the-suite"))
	case "Preview": // which builds the tree twice
		RegisterFailHandler(Fail)
		PreviewSpecs("kinds")
		RunSpecs(t, "kinds")
	case "Around": // what surrounds every node of the suite
		RunEvals(t, "kinds", Trials(2), BaseSeed(7), AroundNode(around))
	case "MustPass": // only a configuration in code can ask for it
		RegisterFailHandler(Fail)
		config, _ := GinkgoConfiguration()
		config.MustPassRepeatedly = 2
		RunSpecs(t, "kinds", config)
	default:
		RunEvals(t, "kinds", Trials(2), BaseSeed(7))
	}
}
