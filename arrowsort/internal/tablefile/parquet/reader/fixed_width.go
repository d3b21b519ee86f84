package reader

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
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
	"github.com/arrowsort/arrowsort/internal/machine"
)

// A columnReader reads the rows of a flat column of a row group: values of four or eight bytes that Parquet stores as
// Arrow does, or text, or the indices into a dictionary of text.
type columnReader struct {
	chunkReader
	typ   arrow.DataType
	width int // bytes of a value or an index; 0: text
}

func (r *columnReader) numbers(mem memory.Allocator, rows int) (arrow.Array, error) {
	values := arraydata.NewBuffer(mem, rows*r.width)
	defer values.Release()
	machine.AdviseHuge(values.Bytes(), machine.HugeBytes)
	validity := r.newValidity(mem, rows)
	nulls, err := r.read(values.Bytes(), validity.Bytes())
	return r.makeArray(rows, nulls, err, validity, values)
}

// newValidity returns an empty bitmap; of no rows if the column cannot be null.
func (r *columnReader) newValidity(mem memory.Allocator, rows int) *memory.Buffer {
	if !r.nullable {
		rows = 0
	}
	validity := arraydata.NewBuffer(mem, int(bitutil.BytesForBits(int64(rows))))
	clear(validity.Bytes())
	return validity
}

// makeArray makes the array of rows that were read into buffers, of which it consumes the validity.
func (r *columnReader) makeArray(
	rows, nulls int, err error, validity *memory.Buffer, values ...*memory.Buffer,
) (arrow.Array, error) {
	defer validity.Release()
	if err != nil {
		return nil, err
	}
	buffers := append([]*memory.Buffer{nil}, values...)
	if nulls > 0 {
		buffers[0] = validity
	}
	return arraydata.NewArray(array.NewData(r.typ, rows, buffers, nil, nulls, 0)), nil
}

// eachSpan passes on rows page by page, with how many of them are present, and marks those in the bitmap. It returns
// how many are null.
func (r *columnReader) eachSpan(rows int, bitmap []byte, read func(row, n, present int) error) (nulls int, err error) {
	for row := 0; row < rows; {
		n, err := r.span(rows - row)
		if err != nil {
			return 0, err
		}
		present, err := r.validity(bitmap, row, n)
		if err != nil {
			return 0, err
		}
		if err := read(row, n, present); err != nil {
			return 0, err
		}
		r.left -= n
		row, nulls = row+n, nulls+n-present
	}
	return nulls, nil
}

// read fills dst with rows and marks those that are present in the bitmap. It returns how many are null.
func (r *columnReader) read(dst, bitmap []byte) (nulls int, err error) {
	return r.eachSpan(len(dst)/r.width, bitmap, func(row, n, present int) error {
		rows := dst[row*r.width:][:n*r.width]
		if err := r.values(rows[:present*r.width]); err != nil {
			return err
		}
		switch {
		case present == n:
		case r.width == 4:
			scatterNulls(arrow.Uint32Traits.CastFromBytes(rows), present, bitmap, row)
		default:
			scatterNulls(arrow.Uint64Traits.CastFromBytes(rows), present, bitmap, row)
		}
		return nil
	})
}

// isIndex reports whether the values are indices into a dictionary of text.
func (r *columnReader) isIndex() bool { return r.typ.ID() == arrow.DICTIONARY }

// keepNumbers keeps a dictionary of numbers.
func (r *columnReader) keepNumbers(p *page.Page) (int, error) {
	copy(page.Grow(r.scratch.Entries, p.Values*r.width), p.Body)
	return p.Values, nil
}

// values decodes the next values of the page, without its nulls.
func (r *columnReader) values(dst []byte) error {
	switch {
	case len(dst) == 0:
		return nil
	case !r.packed && r.isIndex():
		return errkind.Corrupt("a plain page of text where a dictionary belongs")
	case !r.packed:
		if len(r.plain) < len(dst) {
			return errkind.Corrupt("a plain page has %d bytes for %d", len(r.plain), len(dst))
		}
		copy(dst, r.plain)
		r.plain = r.plain[len(dst):]
		return nil
	case r.entries < 0:
		return errkind.Corrupt("indices without a dictionary")
	case r.isIndex():
		greatest, err := r.indices.Read(arrow.Uint32Traits.CastFromBytes(dst))
		return page.CheckIndex(greatest, r.entries, err)
	}
	entries := r.scratch.Entries.Bytes()[:r.entries*r.width]
	if r.width == 4 {
		return decodeIndices(arrow.Uint32Traits.CastFromBytes(dst), &r.indices,
			arrow.Uint32Traits.CastFromBytes(entries))
	}
	return decodeIndices(arrow.Uint64Traits.CastFromBytes(dst), &r.indices, arrow.Uint64Traits.CastFromBytes(entries))
}

// decodeIndices replaces indices by entries, some at a time so that they stay in the first cache.
func decodeIndices[T uint32 | uint64](dst []T, indices *page.RLEReader, entries []T) error {
	var block [1024]uint32
	for len(dst) > 0 {
		b := block[:min(len(block), len(dst))]
		greatest, err := indices.Read(b)
		if err := page.CheckIndex(greatest, len(entries), err); err != nil {
			return err
		}
		for i, index := range b {
			dst[i] = entries[index]
		}
		dst = dst[len(b):]
	}
	return nil
}

// scatterNulls moves values from the first rows to the rows that are not null. Null rows become 0.
func scatterNulls[T uint32 | uint64](rows []T, present int, validity []byte, first int) {
	for i := range slices.Backward(rows) {
		if bitutil.BitIsSet(validity, first+i) {
			present--
			rows[i] = rows[present]
		} else {
			rows[i] = 0
		}
	}
}

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
	return arraydata.NewArray(array.NewData(typ, a.Len(), []*memory.Buffer{validity, buffer}, nil, a.NullN(), 0)), nil
}
