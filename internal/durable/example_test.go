package durable_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/capeval/capeval/internal/durable"
)

func Example() {
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	claim := filepath.Join(dir, "release.claim")

	fmt.Println(durable.Claim(claim, []byte("job 7")))
	err = durable.Claim(claim, []byte("job 8"))
	var lost *durable.ClaimedError
	fmt.Println(errors.As(err, &lost), string(lost.Content))
	// Output:
	// <nil>
	// true job 7
}
