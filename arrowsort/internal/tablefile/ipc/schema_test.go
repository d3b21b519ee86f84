package ipc

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

// TestFootersNameSchemaAndMessages: a footer that is written can be read, and its schema becomes a message again.
func TestFootersNameSchemaAndMessages(t *testing.T) {
	stream := written(t, arrowtest.RandomTable(arrow.PrimitiveTypes.Int32, 0, nil, 1), Options{})
	schema := messageOf(t, stream).b
	for n := range 4 {
		dictionaries, batches := make([]block, n), make([]block, 3-n)
		for i := range dictionaries {
			dictionaries[i] = block{offset: int64(8 * i), meta: 16, body: 24}
		}
		for i := range batches {
			batches[i] = block{offset: int64(800 * i), meta: 8, body: 1 << 33}
		}
		footer := footerOf(schema, dictionaries, batches)
		f, err := checkFooter(footer, 1<<40)
		require.NoError(t, err)
		require.Equal(t, dictionaries, f.dictionaries)
		require.Equal(t, batches, f.batches)
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
