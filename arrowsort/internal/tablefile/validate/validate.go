// Package validate checks Arrow arrays that came from files.
package validate

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Array checks an array that came from a file, down to every offset, view, index and type code, so that whatever
// reads it by offset later, unsafely or not, stays inside its buffers. It costs one read of the offsets.
func Array(a arrow.Array) error { return checkData(a.Data()) }

func checkData(d arrow.ArrayData) error {
	if d.Len() < 0 || d.Offset() < 0 || d.Len()+d.Offset() < d.Len() {
		return errkind.Corrupt("an array has %d rows at offset %d", d.Len(), d.Offset())
	}
	if err := checkValidity(d); err != nil {
		return err
	}
	for _, c := range d.Children() {
		if err := checkData(c); err != nil {
			return err
		}
	}
	return checkType(d, d.DataType())
}

// checkType checks the buffers that the type adds.
func checkType(d arrow.ArrayData, typ arrow.DataType) error {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return checkType(d, t.StorageType())
	case *arrow.NullType:
		return nil
	case *arrow.BooleanType:
		return needBytes(d, 1, int(bitutil.BytesForBits(arraydata.End(d))))
	case *arrow.DictionaryType:
		return checkDictionary(d, t)
	case *arrow.BinaryType, *arrow.StringType:
		return checkOffsets[int32](d, len(arraydata.Bytes(d, 2)))
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		return checkOffsets[int64](d, len(arraydata.Bytes(d, 2)))
	case arrow.BinaryViewDataType:
		return checkViews(d)
	case *arrow.ListType, *arrow.MapType:
		return checkOffsets[int32](d, d.Children()[0].Len())
	case *arrow.LargeListType:
		return checkOffsets[int64](d, d.Children()[0].Len())
	case *arrow.ListViewType:
		return checkListView[int32](d)
	case *arrow.LargeListViewType:
		return checkListView[int64](d)
	case *arrow.FixedSizeListType:
		return needChild(d, 0, arraydata.End(d)*int64(t.Len()))
	case *arrow.StructType:
		return checkStruct(d, t)
	case arrow.UnionType:
		return checkUnion(d, t)
	case *arrow.RunEndEncodedType:
		return checkRuns(d, t)
	case arrow.FixedWidthDataType:
		return needBytes(d, 1, int(arraydata.End(d))*t.Bytes())
	}
	return errkind.Corrupt("columns of type %s are not supported", typ)
}

func needChild(d arrow.ArrayData, child int, rows int64) error {
	if have := d.Children()[child].Len(); int64(have) < rows || rows < 0 {
		return errkind.Corrupt("%d rows of type %s need %d values, there are %d", d.Len(), d.DataType(), rows, have)
	}
	return nil
}

func checkValidity(d arrow.ArrayData) error {
	if len(d.Buffers()) == 0 || d.Buffers()[0] == nil || d.DataType().ID() == arrow.NULL {
		return nil
	}
	if err := needBytes(d, 0, int(bitutil.BytesForBits(arraydata.End(d)))); err != nil {
		return err
	}
	if d.Len() == 0 || d.NullN() == array.UnknownNullCount {
		return nil
	}
	bits := d.Buffers()[0].Bytes()
	if nulls := d.Len() - bitutil.CountSetBits(bits, d.Offset(), d.Len()); nulls != d.NullN() {
		return errkind.Corrupt("an array says that %d rows are null, %d are", d.NullN(), nulls)
	}
	return nil
}

func checkStruct(d arrow.ArrayData, t *arrow.StructType) error {
	if len(d.Children()) != t.NumFields() {
		return errkind.Corrupt("a struct of %d fields has %d columns", t.NumFields(), len(d.Children()))
	}
	for i := range d.Children() {
		if err := needChild(d, i, arraydata.End(d)); err != nil {
			return err
		}
	}
	return nil
}

func checkDictionary(d arrow.ArrayData, t *arrow.DictionaryType) error {
	width := t.IndexType.(arrow.FixedWidthDataType).Bytes()
	if err := needBytes(d, 1, int(arraydata.End(d))*width); err != nil {
		return err
	}
	if d.Dictionary() == nil {
		return errkind.Corrupt("a column of type %s has no dictionary", t)
	}
	if err := checkData(d.Dictionary()); err != nil {
		return err
	}
	values, valid, entries := arraydata.Bytes(d, 1), arraydata.Validity(d), uint64(d.Dictionary().Len())
	signed := arrow.IsSignedInteger(t.IndexType.ID())
	for i := range d.Len() {
		row := d.Offset() + i
		if valid != nil && !bitutil.BitIsSet(valid, row) {
			continue
		}
		if index := arraydata.LittleEndian(values[row*width:], width, signed); index >= entries {
			return errkind.Corrupt("row %d of a column of type %s refers to entry %d of %d",
				i, t, int64(index), entries)
		}
	}
	return nil
}

// checkUnion checks the type codes of a union, and the offsets of a dense one, against its children.
func checkUnion(d arrow.ArrayData, t arrow.UnionType) error {
	children := d.Children()
	if len(children) != t.NumFields() {
		return errkind.Corrupt("a union of %d fields has %d columns", t.NumFields(), len(children))
	}
	if err := needBytes(d, 1, int(arraydata.End(d))); err != nil {
		return err
	}
	dense := t.Mode() == arrow.DenseMode
	if dense {
		if err := needBytes(d, 2, int(arraydata.End(d))*4); err != nil {
			return err
		}
	} else {
		for i := range children {
			if err := needChild(d, i, arraydata.End(d)); err != nil {
				return err
			}
		}
	}
	if d.Len() == 0 {
		return nil
	}
	ids, codes := t.ChildIDs(), arraydata.Bytes(d, 1)
	var offsets []int32
	if dense {
		offsets = arrow.GetData[int32](arraydata.Bytes(d, 2))
	}
	for i := d.Offset(); i < d.Offset()+d.Len(); i++ {
		code := int8(codes[i])
		if code < 0 || int(code) >= len(ids) || ids[code] == arrow.InvalidUnionChildID {
			return errkind.Corrupt("a union row has the unknown type code %d", code)
		}
		if dense {
			if child := children[ids[code]]; offsets[i] < 0 || int(offsets[i]) >= child.Len() {
				return errkind.Corrupt("a union row refers to value %d of %d", offsets[i], child.Len())
			}
		}
	}
	return nil
}

// checkRuns checks that the run ends of a run-end-encoded column rise and cover its rows.
func checkRuns(d arrow.ArrayData, t *arrow.RunEndEncodedType) error {
	if len(d.Children()) != 2 {
		return errkind.Corrupt("a run-end-encoded column has %d parts", len(d.Children()))
	}
	ends, values := d.Children()[0], d.Children()[1]
	if ends.NullN() != 0 || ends.Len() > values.Len() {
		return errkind.Corrupt("%d runs have %d values and %d nulls among their ends",
			ends.Len(), values.Len(), ends.NullN())
	}
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	b := arraydata.Bytes(ends, 1)
	last := uint64(0)
	for i := range ends.Len() {
		at := (ends.Offset() + i) * width
		end := arraydata.LittleEndian(b[at:], width, true)
		if end <= last || end > 1<<62 {
			return errkind.Corrupt("run %d ends at %d, the run before at %d", i, int64(end), last)
		}
		last = end
	}
	if int64(last) < arraydata.End(d) {
		return errkind.Corrupt("the runs cover %d of %d rows", last, arraydata.End(d))
	}
	return nil
}

// Schema checks the types of a schema: that their parameters, such as the digits of decimals and the units of times,
// are those that the Arrow format has. Arrow's writers and readers panic on others.
func Schema(sc *arrow.Schema) error {
	for _, f := range sc.Fields() {
		if err := checkParameters(f.Name, f.Type); err != nil {
			return err
		}
	}
	return nil
}

func checkParameters(column string, typ arrow.DataType) error {
	wrong := ""
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return checkParameters(column, t.StorageType())
	case *arrow.DictionaryType:
		return checkParameters(column, t.ValueType)
	case *arrow.Decimal128Type:
		wrong = wrongDigits(t.Precision, 38)
	case *arrow.Decimal256Type:
		wrong = wrongDigits(t.Precision, 76)
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth < 0 {
			wrong = fmt.Sprintf("of %d bytes", t.ByteWidth)
		}
	case *arrow.Time32Type:
		wrong = wrongUnit(t.Unit, arrow.Second, arrow.Millisecond)
	case *arrow.Time64Type:
		wrong = wrongUnit(t.Unit, arrow.Microsecond, arrow.Nanosecond)
	case arrow.TemporalWithUnit:
		wrong = wrongUnit(t.TimeUnit(), arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if err := checkParameters(column+"."+f.Name, f.Type); err != nil {
				return err
			}
		}
	}
	if wrong != "" {
		return errkind.Unsupported("column %q: type %s %s", column, typ.Name(), wrong)
	}
	return nil
}

func wrongDigits(precision, most int32) string {
	if precision < 1 || precision > most {
		return fmt.Sprintf("of %d digits instead of 1 to %d", precision, most)
	}
	return ""
}

func wrongUnit(unit arrow.TimeUnit, units ...arrow.TimeUnit) string {
	if !slices.Contains(units, unit) {
		return fmt.Sprintf("of unit number %d", unit)
	}
	return ""
}
