package tablefile

import (
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestExtensionsOfDictionariesAreNotWritten(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	extension := arrowtest.NewExtension(dictionary)
	for _, typ := range []arrow.DataType{extension, arrow.ListOf(extension)} {
		table := randomTable(typ, 0, []int{3}, 1)
		_, err := Write(t.Context(), filepath.Join(t.TempDir(), "t.arrow"), table, WriteOptions{})
		require.ErrorIs(t, err, ErrUnsupported)
		require.ErrorContains(t, err, `column "v": type `+typ.String())
	}
}
