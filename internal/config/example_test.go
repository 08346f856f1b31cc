package config_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/config"
)

func Example() {
	dir, err := os.MkdirTemp("", "config")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	file := "version: 1\nrun: {trials: 5}\nsuites: {refund-agent: {trials: 10}}\n"
	if err := os.WriteFile(filepath.Join(dir, "capeval.yaml"), []byte(file), 0o644); err != nil {
		panic(err)
	}

	c, err := config.Load(dir, nil)
	trials := c.ForSuite("refund-agent").Trials.Code(4)
	fmt.Println(trials.V, trials.Origin, err)
	// Output: 10 capeval.yaml:3:33 <nil>
}
