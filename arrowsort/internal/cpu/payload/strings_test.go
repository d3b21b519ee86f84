package payload

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/cputest"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// TestStringForms checks the form of a string's word: the whole string, or its place and length.
func TestStringForms(t *testing.T) {
	for _, c := range []struct {
		lo, hi, nulls int
		short         bool
		equal         int
	}{{0, 0, 0, true, 0}, {3, 3, 0, true, 3}, {3, 3, 10, true, 0}, {0, 7, 0, true, 0}, {8, 8, 0, false, 8}, {0, 30, 0,
		false, 0}} {
		s := cputest.Texts{Lo: c.lo, Hi: c.hi, Nulls: c.nulls}
		texts, valid := s.Draw(1000)
		column := s.Column(keyencode.Binary, texts, valid)
		form, err := newStrings(workers.NewPool(t.Context(), 2, 0, nil), newChunked(&column), c.nulls > 0)
		require.NoError(t, err)
		require.Equal(
			t, []any{c.short, c.equal}, []any{form.short, form.equal}, "lengths %d to %d, %d %% null", c.lo, c.hi,
			c.nulls,
		)
	}
	slices := cputest.Texts{Lo: 9, Hi: 9, Chunks: 100, OneData: true}
	texts, valid := slices.Draw(1000)
	column := slices.Column(keyencode.LargeBinary, texts, valid)
	form, err := newStrings(workers.NewPool(t.Context(), 2, 0, nil), newChunked(&column), false)
	require.NoError(t, err)
	require.Equal(
		t, 9*1000, form.bases[len(column.Chunks)],
		"places count the bytes of rows, not those of a buffer once for each slice",
	)
}
