package doctest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	require.Equal(t, "one\n  two\n\nthree",
		output("Command x does.\n\n\t$ go run x\n\tone\n\t  two\n\n\tthree\n\nMore text.\n\n\tcode\n"))
	require.Equal(t, "one", output("Command x does.\n\n\t$ go run x\n\tone\n"))
	require.Empty(t, output("Command x does.\n"))
}
