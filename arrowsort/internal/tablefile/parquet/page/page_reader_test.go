package page

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestLevelsOfFlatColumns: some writers write repetition levels of columns that repeat nothing into pages of the second
// version. They are dropped; levels that are too long are an error all the same.
func TestLevelsOfFlatColumns(t *testing.T) {
	column := schema.NewColumn(schema.NewInt32Node("n", parquet.Repetitions.Optional, -1), 1, 0)
	repeats, present, values := []byte{3 << 1, 0}, []byte{3 << 1, 1}, make([]byte, 3*4)
	for name, levels := range map[string][]byte{"": present, "levels of 3 bytes are 1 bytes longer": {3 << 1, 1, 0}} {
		var header compactWriter
		body := bytes.Join([][]byte{repeats, levels, values}, nil)
		header.number(1, DataV2)
		header.number(2, len(body))
		header.number(3, len(body))
		header.record(8, 3, 0, 3, Plain, len(levels), len(repeats))
		b := append(append(header.b, thriftStop), body...)
		s := NewBuffers(memory.DefaultAllocator)
		defer s.Release()
		r, err := s.Open(bytes.NewReader(append(b, make([]byte, RLESpare)...)), Chunk{Size: int64(len(b)), Values: 3,
			Codec: compress.Codecs.Uncompressed, Column: column}, 0)
		require.NoError(t, err)
		p, err := r.Next()
		if name != "" {
			require.ErrorContains(t, err, name)
			continue
		}
		require.NoError(t, err)
		require.Empty(t, p.RepetitionLevels)
		require.Equal(t, present, p.DefinitionLevels)
		require.Equal(t, values, p.Body)
	}
}
