// Package plain has no suite.
package plain

import "testing"

func TestPlain(*testing.T) {}
