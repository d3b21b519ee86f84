package tablefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// fewRows has columns that are read here and columns that pqarrow reads.
func fewRows(t testing.TB) arrow.Table {
	sc := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	rows := `{"n":1,"s":"ab","b":true,"l":[1,2]}
{"n":null,"s":"cd","b":null,"l":[]}
{"n":3,"s":"ab","b":false,"l":null}
{"n":1,"s":"e","b":true,"l":[7]}`
	return tableOf(t, memory.DefaultAllocator, sc, rows, 0)
}

// withChecksums is a file of arrow/go, which has no page index, with the checksum of each page in its header.
func withChecksums(t testing.TB, b []byte) []byte {
	meta := openBytes(t, b).MetaData()
	out := []byte(page.Magic)
	for _, group := range meta.RowGroups {
		for _, c := range group.Columns {
			m := c.MetaData
			start, from := int64(len(out)), page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset)
			for at := from; at < from+m.TotalCompressedSize; {
				if at == m.DataPageOffset {
					m.DataPageOffset = int64(len(out))
				}
				head, third := page.CompactReader{Bytes: b[at:]}, 0
				head.Fields(func(field int, typ byte) {
					if head.Skip(typ); field == 3 {
						third = head.At
					}
				})
				var h page.Header
				h.Read(&page.CompactReader{Bytes: b[at:]})
				header, body := b[at:][:head.At], b[at:][head.At:head.At+h.CompressedSize]
				sum := crc32.ChecksumIEEE(body)
				out = append(append(out, header[:third]...), 1<<4|page.ThriftI32) // field 4, one after the third
				out = binary.AppendUvarint(out, uint64(sum<<1^uint32(int32(sum)>>31)))
				out = append(append(out, header[third]-1<<4), header[third+1:]...) // the next field is one nearer
				out = append(out, body...)
				at += int64(head.At + h.CompressedSize)
			}
			if at := m.DictionaryPageOffset; at != nil && *at > 0 {
				*at += start - from
			}
			m.TotalCompressedSize = int64(len(out)) - start
		}
	}
	return withFooter(t, out, meta)
}

// flipped are small files of which every page has a checksum, or its compression has one of all that the page holds.
func flipped(t testing.TB) map[string][]byte {
	table := fewRows(t)
	defer table.Release()
	files := map[string][]byte{}
	for name, dictionary := range map[string]bool{"dictionary": true, "plain": false} {
		template := templateOf(t, foreignBytes(t, table, parquet.WithDictionaryDefault(dictionary)))
		for codec := range page.Codecs {
			opts := []parquet.WriterProperty{parquet.WithDictionaryDefault(dictionary),
				parquet.WithCompression(page.Codecs[codec])}
			files["own "+codec+" "+name] = writeBytes(t, table, Parquet,
				WriteOptions{Template: template, PageRows: 2, Compression: Compression{Codec: codec}})
			if codec == "brotli" || codec == "snappy" || codec == "zstd" {
				continue // as long as their checksums are compared, these are as the others
			}
			for version, v := range map[string]parquet.DataPageVersion{"v1": parquet.DataPageV1,
				"v2": parquet.DataPageV2} {
				opts := append(opts[:2:2], parquet.WithDataPageVersion(v), parquet.WithBatchSize(2),
					parquet.WithDataPageSize(1))
				files["checked "+version+" "+codec+" "+name] = withChecksums(t, foreignBytes(t, table, opts...))
			}
		}
		for _, codec := range []compress.Compression{compress.Codecs.Gzip, compress.Codecs.Zstd} {
			files["bare "+codec.String()+" "+name] = foreignBytes(t, table, parquet.WithDictionaryDefault(dictionary),
				parquet.WithCompression(codec))
		}
	}
	return files
}

// TestFlippedBitsOfPages turns every bit of the pages of small files: each is an error, or nothing that the rows are
// made of. The metadata behind the pages have no checksum in Parquet.
func TestFlippedBitsOfPages(t *testing.T) {
	table := fewRows(t)
	defer table.Release()
	want := textOf(t, table)
	for name, b := range flipped(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(b []byte) ([]string, error) {
				in, err := Read(context.Background(), Pipe, ReadOptions{Format: Parquet, Threads: 1,
					MemoryLimit: 64 << 20, Stdin: bytes.NewReader(b)})
				if err != nil {
					return nil, err
				}
				defer in.Table.Release()
				return textOf(t, in.Table), nil
			}
			got, err := read(b)
			require.NoError(t, err)
			require.Equal(t, want, got)
			first, end := pagesIn(t, b)
			errors, step := 0, 1
			if !testrun.Long() {
				step = 7
			}
			for bit := 8 * first; bit < 8*end; bit += step {
				broken := bytes.Clone(b)
				broken[bit/8] ^= 1 << (bit % 8)
				got, err := read(broken)
				if err != nil {
					errors++
					continue
				}
				require.Equal(t, want, got, "bit %d of byte %d", bit%8, bit/8)
			}
			require.Greater(t, errors, 3*(end-first)/step)
		})
	}
}

// pagesIn is where the pages of a file begin and end.
func pagesIn(t testing.TB, b []byte) (first, end int) {
	for _, group := range openBytes(t, b).MetaData().RowGroups {
		for _, c := range group.Columns {
			end = max(end, int(page.ChunkStart(c.MetaData.DictionaryPageOffset,
				c.MetaData.DataPageOffset)+c.MetaData.TotalCompressedSize))
		}
	}
	return len(page.Magic), end
}
