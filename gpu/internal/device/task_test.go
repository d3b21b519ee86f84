//go:build cuda && linux && amd64

package device

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrimBeginsWithTheNewest frees what was offered last, all of it, before what was offered first: results that have
// been downloaded before columns that would have to be uploaded again.
func TestTrimBeginsWithTheNewest(t *testing.T) {
	task, freed := &Task{}, []string{}
	for _, name := range []string{"columns", "windows", "results"} {
		blocks := 2
		task.OnPressure(func() bool {
			if blocks == 0 {
				return false
			}
			blocks--
			freed = append(freed, name)
			return true
		})
	}
	for task.trim() {
	}
	require.Equal(t, []string{"results", "results", "windows", "windows", "columns", "columns"}, freed)
}
