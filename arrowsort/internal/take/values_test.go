package take

import (
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// Values are equal exactly when their bytes are, in any two arrays of a type.
func TestValuesHaveTheSameBytesWhenTheyAreEqual(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		t.Run(typ.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 5))
			a := arrowtest.RandomSlice(rng, typ, 60, 3, 0.3, memory.DefaultAllocator)
			b := arrowtest.RandomSlice(rng, typ, 60, 1, 0.3, memory.DefaultAllocator)
			readA, err := ReadValues(a)
			require.NoError(t, err)
			readB, err := ReadValues(b)
			require.NoError(t, err)
			if readA == nil {
				require.Regexp(t, "union|run_end", typ.String()) // itself or inside
				return
			}
			textsB := rowsOf(b)
			for i, textA := range rowsOf(a) {
				for j, textB := range textsB {
					x, validX := readA(i)
					y, validY := readB(j)
					require.Equal(t, textA == textB, validX == validY && x == y, "%s and %s", textA, textB)
				}
			}
		})
	}
}

// Dates of one day that differ in their milliseconds are different values, though their text is one.
func TestValuesAreMoreThanTheirText(t *testing.T) {
	b := array.NewDate64Builder(memory.DefaultAllocator)
	b.AppendValues([]arrow.Date64{0, 1, 86_400_000}, nil)
	a := b.NewArray()
	require.Equal(t, a.ValueStr(0), a.ValueStr(1))
	read, err := ReadValues(a)
	require.NoError(t, err)
	first, _ := read(0)
	second, _ := read(1)
	require.NotEqual(t, first, second)
}
