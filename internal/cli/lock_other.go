//go:build !unix

package cli

import "os"

// lockDir does nothing: there are no advisory locks here.
func lockDir(string) (*os.File, error) { return nil, nil }
