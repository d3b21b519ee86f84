package arrowsort_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestErrorsMatchThoseOfArrow(t *testing.T) {
	for _, c := range []struct{ err, arrow error }{
		{arrowsort.ErrNoKeys, arrow.ErrInvalid},
		{arrowsort.ErrColumn, arrow.ErrKey},
		{arrowsort.ErrColumn, arrow.ErrInvalid},
		{arrowsort.ErrKeyType, arrow.ErrNotImplemented},
		{arrowsort.ErrOption, arrow.ErrInvalid},
		{arrowsort.ErrRows, arrow.ErrInvalid},
		{arrowsort.ErrOffsets, arrow.ErrInvalid},
		{arrowsort.ErrIndex, arrow.ErrIndex},
	} {
		wrapped := fmt.Errorf("%w: column x", c.err)
		require.ErrorIs(t, wrapped, c.err)
		require.ErrorIs(t, wrapped, c.arrow)
		require.NotErrorIs(t, wrapped, arrow.ErrNotFound)
	}
	require.NotErrorIs(t, arrowsort.ErrNoKeys, arrowsort.ErrColumn)
}
