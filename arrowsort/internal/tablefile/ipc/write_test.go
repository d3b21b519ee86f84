package ipc

import (
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

func TestExtensionsOfDictionariesAreNotWritten(t *testing.T) {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	extension := arrowtest.NewExtension(dictionary)
	for _, typ := range []arrow.DataType{extension, arrow.ListOf(extension)} {
		table := arrowtest.RandomTable(typ, 0, nil, 1)
		_, err := NewWriter(io.Discard, table.Schema(), Options{File: true})
		require.ErrorIs(t, err, fileerror.ErrUnsupported)
		require.ErrorContains(t, err, `column "v": type `+typ.String())
	}
}
