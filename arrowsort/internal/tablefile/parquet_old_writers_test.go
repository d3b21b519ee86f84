package tablefile

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// changed is a file with another footer.
func changed(t testing.TB, b []byte, change func(meta *metadata.FileMetaData)) []byte {
	meta := openBytes(t, b).MetaData()
	change(meta)
	return withFooter(t, pagesOfFile(b), meta)
}

// TestFootersOfOldWriters: metadata that old writers left out, and that no value depends on.
func TestFootersOfOldWriters(t *testing.T) {
	table := fewRows(t)
	defer table.Release()
	for name, dictionary := range map[string]bool{"dictionary": true, "plain": false} {
		whole := foreignBytes(t, table, parquet.WithDictionaryDefault(dictionary))
		for fault, change := range map[string]func(meta *metadata.FileMetaData){
			"no encodings": func(meta *metadata.FileMetaData) {
				for _, c := range meta.RowGroups[0].Columns {
					c.MetaData.Encodings, c.MetaData.EncodingStats = nil, nil
				}
			},
			"no rows": func(meta *metadata.FileMetaData) { meta.NumRows = 0 },
			"short chunks": func(meta *metadata.FileMetaData) { // PARQUET-816
				for i, c := range meta.RowGroups[0].Columns {
					if at := c.MetaData.DictionaryPageOffset; at != nil && i < 2 { // that are read here
						c.MetaData.TotalCompressedSize -= headerBytes(whole[*at:])
					}
				}
			},
		} {
			b := changed(t, whole, change)
			in, err := readBytes(t, b, ReadOptions{Format: Parquet})
			require.NoError(t, err, "%s, %s", name, fault)
			require.Equal(t, textOf(t, table), textOf(t, in.Table), "%s, %s", name, fault)
			in.Table.Release()
			path := filepath.Join(t.TempDir(), "old.parquet")
			require.NoError(t, os.WriteFile(path, b, 0o600))
			require.NoError(t, scanToEnd(t, path, ReadOptions{Format: Parquet}))
		}
	}
}

// headerBytes is the length of a page header.
func headerBytes(b []byte) int64 {
	r := page.CompactReader{Bytes: b}
	new(page.Header).Read(&r)
	return int64(r.At)
}

// TestFootersThatEndEarly: whatever the length before the magic bytes is, no text of a panic comes through.
func TestFootersThatEndEarly(t *testing.T) {
	table := fewRows(t)
	defer table.Release()
	b := foreignBytes(t, table)
	whole := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
	for length := range whole {
		binary.LittleEndian.PutUint32(b[len(b)-8:], uint32(length))
		_, err := readBytes(t, b, ReadOptions{Format: Parquet})
		require.ErrorIs(t, err, ErrCorrupt, length)
		require.NotContains(t, err.Error(), "runtime error", length)
	}
	binary.LittleEndian.PutUint32(b[len(b)-8:], 0)
	_, err := readBytes(t, b, ReadOptions{Format: Parquet})
	require.ErrorContains(t, err, "its footer has no bytes")
}
