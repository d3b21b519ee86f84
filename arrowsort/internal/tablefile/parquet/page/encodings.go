package page

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Encodings of parquet.thrift.
const (
	Plain                = 0
	PlainDictionary      = 2
	RLE                  = 3
	bitPacked            = 4 // of levels, in old files
	DeltaBinaryPacked    = 5
	DeltaLengthByteArray = 6
	DeltaByteArray       = 7
	RLEDictionary        = 8
	ByteStreamSplit      = 9
	LastEncoding         = ByteStreamSplit // later ones are unknown here
)

// NamesEncoding reports whether a column chunk names an encoding. Dictionary indices have two numbers.
func NamesEncoding[E ~int64](encodings []E, encoding int) bool {
	return slices.ContainsFunc(encodings, func(e E) bool {
		return int(e) == encoding || IsDictionary(int(e)) && IsDictionary(encoding)
	})
}

// IsDictionary reports whether values are indices into a dictionary.
func IsDictionary(encoding int) bool { return encoding == PlainDictionary || encoding == RLEDictionary }

// Converts reports whether values of a type are converted here between plain encoding and another one: differences of
// integers and of text, and numbers by their bytes.
func Converts(encoding int, typ parquet.Type) bool {
	switch encoding {
	case DeltaBinaryPacked:
		return typ == parquet.Types.Int32 || typ == parquet.Types.Int64
	case DeltaLengthByteArray, DeltaByteArray:
		return typ == parquet.Types.ByteArray
	case ByteStreamSplit:
		return slices.Contains(splitTypes, typ)
	}
	return false
}

// splitTypes are the types whose values are written as BYTE_STREAM_SPLIT.
var splitTypes = []parquet.Type{parquet.Types.Float, parquet.Types.Double, parquet.Types.Int32, parquet.Types.Int64}

// AppendValues appends plain values of a type in an encoding that Converts reports.
func (w *Writer) AppendValues(out []byte, encoding int, typ parquet.Type, plain []byte) []byte {
	switch {
	case encoding == ByteStreamSplit:
		size := len(plain)
		out = slices.Grow(out, size)[:len(out)+size]
		transpose(out[len(out)-size:], plain, typ.ByteSize())
		return out
	case encoding == DeltaBinaryPacked && typ == parquet.Types.Int32:
		return appendDeltas(out, arrow.GetData[int32](plain))
	case encoding == DeltaBinaryPacked:
		return appendDeltas(out, arrow.GetData[int64](plain))
	}
	return appendTexts(out, plain, encoding == DeltaByteArray, &w.lengths)
}

// PlainValues returns the n values of a page, of a type and in an encoding that Converts reports, in plain encoding.
// They stay until the next page. The capacity of b must reach RLESpare bytes beyond its length.
func (s *Buffers) PlainValues(b []byte, n, encoding int, typ parquet.Type) (plain []byte, err error) {
	if n == 0 {
		return nil, nil // some writers leave out the header
	}
	if typ == parquet.Types.ByteArray {
		t, err := s.readTexts(b, n, encoding)
		if err != nil {
			return nil, err
		}
		return t.appendTo(Grow(s.plain, t.size)[:0]), nil
	}
	width := typ.ByteSize()
	plain = Grow(s.plain, n*width)
	switch {
	case encoding == ByteStreamSplit && len(b) != len(plain):
		return nil, errkind.Corrupt("%d values of %d bytes in a page of %d", n, width, len(b))
	case encoding == ByteStreamSplit:
		transpose(plain, b, n)
	case width == 4:
		_, err = readDeltas(arrow.GetData[int32](plain), b)
	default:
		_, err = readDeltas(arrow.GetData[int64](plain), b)
	}
	return plain, err
}

// readTexts reads the lengths of the n texts of a page.
func (s *Buffers) readTexts(b []byte, n, encoding int) (texts, error) {
	var prefixes []int32
	if encoding == DeltaByteArray {
		prefixes = arrow.GetData[int32](Grow(s.lengths[0], 4*n))
	}
	return readTexts(b, prefixes, arrow.GetData[int32](Grow(s.lengths[1], 4*n)))
}

// TextBytes returns the bytes of the texts of a data page in DELTA_BYTE_ARRAY, without reading them.
func (s *Buffers) TextBytes(p *Page, column *schema.Column) (int, error) {
	c, err := p.count(column)
	if err != nil || c.present == 0 {
		return 0, err
	}
	t, err := s.readTexts(c.values, c.present, p.Encoding)
	return t.size - lengthBytes*c.present, err
}

// transpose copies a matrix of bytes, whose rows have a length and lie one after the other, column after column.
// BYTE_STREAM_SPLIT is that of values and, to decode it, of the streams of their bytes.
func transpose(dst, src []byte, length int) {
	rows := len(src) / length
	if rows < length { // the inner loop is the longer one
		for r := range rows {
			for c, b := range src[r*length:][:length] {
				dst[c*rows+r] = b
			}
		}
		return
	}
	for c := range length {
		for r := range dst[c*rows:][:rows] {
			dst[c*rows+r] = src[r*length+c]
		}
	}
}
