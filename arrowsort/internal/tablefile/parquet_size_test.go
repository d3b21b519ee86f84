package tablefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// TestSizeOfTextThatEncodingsShorten: a few kilobytes of a file may be megabytes of text, in lists as well, by
// dictionaries and by prefixes that are left out. The estimates see it, and what is read at a time stays small.
func TestSizeOfTextThatEncodingsShorten(t *testing.T) {
	long := strings.Repeat("x", 500)
	lists := array.NewListBuilder(memory.DefaultAllocator, arrow.BinaryTypes.String)
	texts := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 4000 {
		text := long + string(rune('a'+i%20))
		lists.Append(true)
		for range 3 {
			lists.ValueBuilder().(*array.StringBuilder).Append(text)
		}
		texts.Append(text)
	}
	delta := []parquet.WriterProperty{parquet.WithDictionaryDefault(false),
		parquet.WithEncodingFor("c", parquet.Encodings.DeltaByteArray),
		parquet.WithEncodingFor("c.list.element", parquet.Encodings.DeltaByteArray)}
	for _, a := range []arrow.Array{lists.NewArray(), texts.NewArray()} {
		sc := arrow.NewSchema([]arrow.Field{{Name: "c", Type: a.DataType()}}, nil)
		table := array.NewTableFromRecords(sc, []arrow.Record{array.NewRecord(sc, []arrow.Array{a}, int64(a.Len()))})
		bytes := arraydata.TableBytes(table)
		for name, props := range map[string][]parquet.WriterProperty{"dictionaries": nil, "prefixes": delta} {
			b := foreignBytes(t, table, props...)
			require.Less(t, len(b), int(bytes/10))
			path := filepath.Join(t.TempDir(), "t.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			s, err := Scan(path, bytes/20, ReadOptions{})
			require.NoError(t, err)
			require.InEpsilon(t, bytes, s.InMemory, 0.2, "%s of %s", name, a.DataType())
			if name == "prefixes" || a.DataType().ID() == arrow.LIST {
				require.InEpsilon(t, bytes, s.MemoryWithDictionaries, 0.2, "%s of %s", name, a.DataType())
			} else {
				require.Less(t, s.MemoryWithDictionaries, bytes/10)
			}
			piece, err := s.Next(t.Context())
			require.NoError(t, err)
			require.Less(t, arraydata.TableBytes(piece), bytes/3)
			piece.Release()
			s.Close()
		}
	}
}
