// Package viahelper knows the library through a helper package alone.
package viahelper

import (
	"testing"

	"example.org/user/helper"
)

func TestVia(t *testing.T) { helper.Run(t, "indirect") }
