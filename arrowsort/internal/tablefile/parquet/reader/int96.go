package reader

import (
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Timestamps of 96 bits are 64 bits of the nanoseconds of a day and 32 of the Julian day. Their years pass those of 64
// bits of nanoseconds, 1677 to 2262, so they are microseconds where some do. pqarrow reads them as Int96Bytes bytes,
// since it has nanoseconds only.

const (
	// Int96Bytes is the length of a timestamp of 96 bits.
	Int96Bytes  = 12
	nanosPerDay = int64(24 * time.Hour)
	firstDay    = 2440588 // Julian day of 1970-01-01
)

// timestamp returns the time of 96 bits in a unit of some nanoseconds; false where it is none in 64 bits.
func timestamp(b []byte, nanos int64) (t int64, ok bool) {
	day, inDay := int64(binary.LittleEndian.Uint32(b[8:]))-firstDay, binary.LittleEndian.Uint64(b)
	perDay := nanosPerDay / nanos
	if inDay >= uint64(nanosPerDay) || int64(inDay)%nanos != 0 || day > math.MaxInt64/perDay ||
		day < math.MinInt64/perDay {
		return 0, false
	}
	t = day*perDay + int64(inDay)/nanos
	return t, t >= day*perDay
}

// Int96Unit returns the unit in which all timestamps of 96 bits of a leaf column are 64 bits: nanoseconds, or else
// microseconds. It reads the column.
func Int96Unit(src io.ReaderAt, meta *metadata.FileMetaData, leaf int, mem memory.Allocator) (arrow.TimeUnit, error) {
	column, unit := meta.Schema.Column(leaf), arrow.Nanosecond
	s := page.NewBuffers(mem)
	defer s.Release()
	for _, group := range meta.RowGroups {
		m := group.Columns[leaf].MetaData
		r, err := s.Open(src, page.Chunk{Start: page.ChunkStart(m.DictionaryPageOffset, m.DataPageOffset),
			Size: m.TotalCompressedSize, Values: m.NumValues, Codec: compress.Compression(m.Codec), Column: column},
			batchWindow)
		if err != nil {
			return unit, err
		}
		_, err = r.EachPage(func(p *page.Page, _ int, _ page.Statistics) error {
			values, err := p.ValuesOf(column)
			for ; len(values) >= Int96Bytes && unit == arrow.Nanosecond; values = values[Int96Bytes:] {
				if _, ok := timestamp(values, 1); !ok {
					unit = arrow.Microsecond
				}
			}
			return err
		})
		if err != nil || unit == arrow.Microsecond {
			return unit, err
		}
	}
	return unit, nil
}

// timestamps makes timestamps of those of 96 bits, which it releases.
func timestamps(a arrow.Array, typ *arrow.TimestampType, mem memory.Allocator) (arrow.Array, error) {
	defer a.Release()
	nanos, bytes := int64(typ.Unit.Multiplier()), a.(*array.FixedSizeBinary)
	buffer := arraydata.NewBuffer(mem, arrow.Int64Traits.BytesRequired(a.Len()))
	defer buffer.Release()
	values := arrow.Int64Traits.CastFromBytes(buffer.Bytes())
	clear(values)
	for i := range values {
		if a.IsNull(i) {
			continue
		}
		var ok bool
		if values[i], ok = timestamp(bytes.Value(i), nanos); !ok {
			return nil, errkind.Unsupported("a timestamp of 96 bits, day %d and nanosecond %d, that is no whole %s "+
				"in 64 bits", int64(binary.LittleEndian.Uint32(bytes.Value(i)[8:]))-firstDay,
				binary.LittleEndian.Uint64(bytes.Value(i)), typ.Unit)
		}
	}
	var validity *memory.Buffer
	if a.NullN() > 0 {
		validity = arraydata.NewBuffer(mem, int(bitutil.BytesForBits(int64(a.Len()))))
		defer validity.Release()
		bitutil.CopyBitmap(a.NullBitmapBytes(), a.Data().Offset(), a.Len(), validity.Bytes(), 0)
	}
	data := array.NewData(typ, a.Len(), []*memory.Buffer{validity, buffer}, nil, a.NullN(), 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}
