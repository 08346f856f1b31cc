// Package indirect knows the library through another package alone.
package indirect

import (
	"testing"

	"example.org/user/shared"
)

func TestIndirect(t *testing.T) { shared.Run(t, "indirect") }
