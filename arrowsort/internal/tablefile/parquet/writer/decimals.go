package writer

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Parquet stores decimals as integers of 32 or 64 bits, as bytes of any fixed length that is enough for the digits, or
// as bytes of a length each. pqarrow writes the least fixed length. Decimals that were stored otherwise in the input
// are rewritten by rewritePages: a shredded variant whose decimals have another form is no variant.

// decimalsAsStored gives the decimals in the footer of some columns, whose first leaf has a number in the file, the
// form that they have in the input.
func (p *properties) decimalsAsStored(footer *metadata.FileMetaData, first int) error {
	changed, leaf := false, first
	for _, element := range footer.FileMetaData.Schema {
		if element.GetNumChildren() > 0 || element.Type == nil {
			continue
		}
		column, stored := footer.Schema.Column(leaf-first), p.leaves[leaf]
		if leaf++; !stored.holdsDecimals(column) {
			continue
		}
		changed = true
		setType(&element.Type, stored.Type)
		if element.TypeLength = nil; stored.Type == parquet.Types.FixedLenByteArray {
			element.TypeLength = new(int32(stored.Length))
		}
	}
	if !changed {
		return nil
	}
	root, err := schema.FromParquet(footer.FileMetaData.Schema)
	if err != nil {
		return fmt.Errorf("the schema with decimals as in the input: %w", err)
	}
	footer.Schema = schema.NewSchema(root.(*schema.GroupNode))
	return nil
}

// holdsDecimals reports whether a column that pqarrow writes has decimals, and gets the form of the stored ones. That
// of nil does not.
func (c *StoredColumn) holdsDecimals(column *schema.Column) bool {
	return c != nil && isDecimal(column) && c.Logical != nil && c.Logical.Equals(column.LogicalType()) &&
		c.width() >= column.TypeLength()
}

func isDecimal(column *schema.Column) bool {
	_, ok := column.LogicalType().(schema.DecimalLogicalType)
	return ok
}

// setType sets a type of the footer, which has no name here.
func setType[T ~int64](field **T, typ parquet.Type) { *field = new(T(typ)) }

// A decimalForm rewrites decimals of a fixed length, big-endian, to the form of another column; nil leaves them.
type decimalForm struct {
	width int // bytes of a value that is rewritten
	to    *schema.Column
}

// newDecimalForm returns the form between two columns of the same values; nil where they are stored alike.
func newDecimalForm(from, to *schema.Column) *decimalForm {
	same := from.PhysicalType() == to.PhysicalType() && from.TypeLength() == to.TypeLength()
	if same || from.PhysicalType() != parquet.Types.FixedLenByteArray {
		return nil
	}
	return &decimalForm{from.TypeLength(), to}
}

// appendTo appends values in plain encoding to dst.
func (f *decimalForm) appendTo(dst, values []byte) []byte {
	for ; len(values) >= f.width; values = values[f.width:] {
		v := values[:f.width]
		switch f.to.PhysicalType() {
		case parquet.Types.Int32:
			dst = binary.LittleEndian.AppendUint32(dst, uint32(lowBits(v)))
		case parquet.Types.Int64:
			dst = binary.LittleEndian.AppendUint64(dst, lowBits(v))
		case parquet.Types.FixedLenByteArray:
			dst = appendExtended(dst, v, f.to.TypeLength())
		default:
			for len(v) > 1 && (v[0] == 0 && v[1] < 0x80 || v[0] == 0xFF && v[1] >= 0x80) {
				v = v[1:]
			}
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(v))), v...)
		}
	}
	return dst
}

// lowBits returns the low bits of a number of any width, big-endian, with its sign.
func lowBits(v []byte) uint64 { return binary.BigEndian.Uint64(appendExtended(nil, v, 8)) }

// appendExtended appends a number with its sign in n bytes, big-endian.
func appendExtended(dst, v []byte, n int) []byte {
	for range n - len(v) {
		dst = append(dst, byte(int8(v[0])>>7))
	}
	return append(dst, v[max(len(v)-n, 0):]...)
}

// rewrites reports whether a page has values, and not indices of a dictionary.
func (f *decimalForm) rewrites(p *page.Page) bool {
	return f != nil && (p.Kind == page.Dictionary || p.Encoding == page.Plain)
}

// page rewrites a page, which has its values after its levels, to the memory of dst, which is not that of the page.
func (f *decimalForm) page(dst []byte, p *page.Page, from *schema.Column) ([]byte, error) {
	values, err := p.ValuesOf(from)
	if err != nil {
		return nil, err
	}
	return f.appendTo(append(dst[:0], p.Body[:len(p.Body)-len(values)]...), values), nil
}

// statistics rewrites the statistics of a page. Those of values of any length have no order in package page.
func (f *decimalForm) statistics(s page.Statistics) page.Statistics {
	switch {
	case f == nil || s.AllNull:
	case f.to.PhysicalType() == parquet.Types.ByteArray:
		s.Min, s.Max, s.Bytes = nil, nil, page.UnknownBytes
	default:
		s.Min, s.Max = f.appendTo(nil, s.Min), f.appendTo(nil, s.Max)
	}
	return s
}
