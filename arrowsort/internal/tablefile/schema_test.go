package tablefile

import (
	"bytes"
	"errors"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestSchemaIsToldFirst: Parquet and Arrow files are not read before their schema is accepted.
func TestSchemaIsToldFirst(t *testing.T) {
	table := dictionaryTable(t, memory.DefaultAllocator)
	defer table.Release()
	refused := errors.New("refused")
	for _, format := range append(binaryFormats, CSV) {
		for _, answer := range []error{nil, refused} {
			var calls []string
			opts := ReadOptions{
				Format: format,
				Schema: func(schema *arrow.Schema) ([]int, error) {
					calls = append(calls, "schema "+schema.Field(0).Name)
					return nil, answer
				},
				Start:    func() { calls = append(calls, "start") },
				Progress: func(done, total int) { require.Contains(t, calls, "start") },
			}
			b := writeBytes(t, table, format, WriteOptions{})
			in, err := readBytes(t, b, opts)
			require.ErrorIs(t, err, answer)
			if answer == nil {
				in.Table.Release()
			}
			switch {
			case format == CSV:
				require.Equal(t, []string{"start", "schema d"}, calls)
			case answer == nil:
				require.Equal(t, []string{"schema d", "start"}, calls, format)
			default:
				require.Equal(t, []string{"schema d"}, calls, format)
			}
			calls = nil
			opts.Stdin = bytes.NewReader(b)
			in, err = Read(t.Context(), Pipe, opts)
			require.ErrorIs(t, err, answer)
			require.Equal(t, []string{"start", "schema d"}, calls, "a pipe may keep one waiting")
			if answer == nil {
				in.Table.Release()
			}
		}
	}
}
