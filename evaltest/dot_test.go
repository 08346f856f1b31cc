package evaltest_test

// That these five go together with dots is shown by the compiler.
import (
	. "github.com/capeval/capeval/evaltest"
	. "github.com/capeval/capeval/evaltest/agentexec"
	. "github.com/capeval/capeval/matchers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = []any{Task, Describe, Expect, HaveReward, Val, Command{}}
