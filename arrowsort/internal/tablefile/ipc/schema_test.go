package ipc

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestFootersNameSchemaAndMessages: the footer of a file lists its messages, and its schema becomes a message again.
func TestFootersNameSchemaAndMessages(t *testing.T) {
	for n := range 4 {
		typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		file := written(t, arrowtest.RandomTable(typ, 0, slices.Repeat([]int{3}, n), 1), Options{File: true})
		limit := len(file) - len(Magic) - 4
		limit -= int(binary.LittleEndian.Uint32(file[limit:]))
		footer := file[limit : len(file)-len(Magic)-4]
		f, err := checkFooter(footer, int64(limit))
		require.NoError(t, err)
		require.Len(t, f.batches, n)
		for _, b := range append(f.dictionaries, f.batches...) {
			body, err := checkMessage(file[b.offset+8 : b.offset+b.meta])
			require.NoError(t, err)
			require.Equal(t, b.body, body)
		}
		message := schemaMessage(footer, f.schema)
		body, err := checkMessage(message[8:])
		require.NoError(t, err)
		require.Zero(t, body)
		c := newFlatChecker(message[8:])
		name, err := c.text(fieldAt(t, c), fieldName)
		require.NoError(t, err)
		require.Equal(t, "v", name)
	}
}

// fieldAt is the place of the first column in the schema of a message.
func fieldAt(t *testing.T, c *flatChecker) (first int) {
	schema := c.table(c.root(), messageHeader)
	require.NoError(t, c.each(schema, schemaFields, func(field int) error {
		if first == 0 {
			first = field
		}
		return nil
	}))
	return first
}
