package tablefile

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
)

// validate checks an array that came from a file, down to every offset, view, index and type code, so that whatever
// reads it by offset later, unsafely or not, stays inside its buffers. It costs one read of the offsets.
func validate(a arrow.Array) error { return validateData(a.Data()) }

func validateData(d arrow.ArrayData) error {
	if d.Len() < 0 || d.Offset() < 0 || d.Len()+d.Offset() < d.Len() {
		return corrupt("an array has %d rows at offset %d", d.Len(), d.Offset())
	}
	if err := validateValidity(d); err != nil {
		return err
	}
	for _, c := range d.Children() {
		if err := validateData(c); err != nil {
			return err
		}
	}
	return validateType(d, d.DataType())
}

// validateType checks the buffers that the type adds.
func validateType(d arrow.ArrayData, typ arrow.DataType) error {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return validateType(d, t.StorageType())
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return needBytes(d, 1, int(bitutil.BytesForBits(end(d))))
	case *arrow.DictionaryType:
		return validateDictionary(d, t)
	case *arrow.BinaryType, *arrow.StringType:
		return validateOffsets[int32](d, len(bufferBytes(d, 2)))
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		return validateOffsets[int64](d, len(bufferBytes(d, 2)))
	case arrow.BinaryViewDataType:
		return validateViews(d)
	case *arrow.ListType, *arrow.MapType:
		return validateOffsets[int32](d, d.Children()[0].Len())
	case *arrow.LargeListType:
		return validateOffsets[int64](d, d.Children()[0].Len())
	case *arrow.ListViewType:
		return validateListView[int32](d)
	case *arrow.LargeListViewType:
		return validateListView[int64](d)
	case *arrow.FixedSizeListType:
		return needChild(d, 0, end(d)*int64(t.Len()))
	case *arrow.StructType:
		return validateStruct(d, t)
	case arrow.UnionType:
		return validateUnion(d, t)
	case *arrow.RunEndEncodedType:
		return validateRuns(d, t)
	case arrow.FixedWidthDataType:
		return needBytes(d, 1, int(end(d))*t.Bytes())
	}
	return corrupt("columns of type %s are not supported", typ)
}

func end(d arrow.ArrayData) int64 { return int64(d.Offset()) + int64(d.Len()) }

func bufferBytes(d arrow.ArrayData, i int) []byte {
	if bufs := d.Buffers(); i < len(bufs) && bufs[i] != nil {
		return bufs[i].Bytes()
	}
	return nil
}

// needBytes makes sure that a buffer has the bytes that its rows need.
func needBytes(d arrow.ArrayData, buffer, n int) error {
	if have := len(bufferBytes(d, buffer)); n < 0 || have < n && d.Len() > 0 {
		return corrupt("%d rows of type %s need %d bytes, there are %d", d.Len(), d.DataType(), n, have)
	}
	return nil
}

func needChild(d arrow.ArrayData, child int, rows int64) error {
	if have := d.Children()[child].Len(); int64(have) < rows || rows < 0 {
		return corrupt("%d rows of type %s need %d values, there are %d", d.Len(), d.DataType(), rows, have)
	}
	return nil
}

func validateValidity(d arrow.ArrayData) error {
	if len(d.Buffers()) == 0 || d.Buffers()[0] == nil || d.DataType().ID() == arrow.NULL {
		return nil
	}
	if err := needBytes(d, 0, int(bitutil.BytesForBits(end(d)))); err != nil {
		return err
	}
	if d.Len() == 0 || d.NullN() == array.UnknownNullCount {
		return nil
	}
	bits := d.Buffers()[0].Bytes()
	if nulls := d.Len() - bitutil.CountSetBits(bits, d.Offset(), d.Len()); nulls != d.NullN() {
		return corrupt("an array says that %d rows are null, %d are", d.NullN(), nulls)
	}
	return nil
}

func validateStruct(d arrow.ArrayData, t *arrow.StructType) error {
	if len(d.Children()) != t.NumFields() {
		return corrupt("a struct of %d fields has %d columns", t.NumFields(), len(d.Children()))
	}
	for i := range d.Children() {
		if err := needChild(d, i, end(d)); err != nil {
			return err
		}
	}
	return nil
}

func validateDictionary(d arrow.ArrayData, t *arrow.DictionaryType) error {
	width := t.IndexType.(arrow.FixedWidthDataType).Bytes()
	if err := needBytes(d, 1, int(end(d))*width); err != nil {
		return err
	}
	if d.Dictionary() == nil {
		return corrupt("a column of type %s has no dictionary", t)
	}
	if err := validateData(d.Dictionary()); err != nil {
		return err
	}
	values, valid, entries := bufferBytes(d, 1), validity(d), uint64(d.Dictionary().Len())
	for i := range d.Len() {
		row := d.Offset() + i
		if valid != nil && !bitutil.BitIsSet(valid, row) {
			continue
		}
		if index := littleEndian(values[row*width:], width); index >= entries {
			return corrupt("row %d of a column of type %s refers to entry %d of %d", i, t, index, entries)
		}
	}
	return nil
}

// validity is the bitmap of an array; nil when no row is null.
func validity(d arrow.ArrayData) []byte {
	if d.NullN() == 0 {
		return nil
	}
	return bufferBytes(d, 0)
}

// littleEndian reads an index of 1, 2, 4 or 8 bytes; a negative one is larger than any dictionary.
func littleEndian(b []byte, width int) uint64 {
	n := uint64(0)
	for i := width - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}
