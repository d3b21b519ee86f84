package output

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesHaveTheRowsThatAreWanted(t *testing.T) {
	for name, c := range map[string]struct {
		wanted, written int64
		fewer           bool
		says            string
	}{
		"all":           {12, 12, false, ""},
		"distinct":      {12, 3, true, ""},
		"none":          {0, 0, true, ""},
		"none distinct": {12, 0, true, "out: the files have 0 rows, and 12 are wanted"},
		"too many":      {12, 13, true, "out: the files have 13 rows, and 12 are wanted"},
		"not written":   {12, 11, false, "out: the files have 11 rows, and 12 are wanted"},
	} {
		f := &Files{Target: Target{Path: "out"}, rows: c.written}
		if err := f.CheckRows(c.wanted, c.fewer); c.says != "" {
			require.ErrorContains(t, err, c.says, name)
		} else {
			require.NoError(t, err, name)
		}
	}
}
