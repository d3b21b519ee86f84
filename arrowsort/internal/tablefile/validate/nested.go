package validate

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// checkUnion checks the type codes of a union, and the offsets of a dense one, against its children.
func checkUnion(d arrow.ArrayData, t arrow.UnionType) error {
	children := d.Children()
	if len(children) != t.NumFields() {
		return fileerror.Corrupt("a union of %d fields has %d columns", t.NumFields(), len(children))
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
			return fileerror.Corrupt("a union row has the unknown type code %d", code)
		}
		if dense {
			if child := children[ids[code]]; offsets[i] < 0 || int(offsets[i]) >= child.Len() {
				return fileerror.Corrupt("a union row refers to value %d of %d", offsets[i], child.Len())
			}
		}
	}
	return nil
}

// checkRuns checks that the run ends of a run-end-encoded column rise and cover its rows.
func checkRuns(d arrow.ArrayData, t *arrow.RunEndEncodedType) error {
	if len(d.Children()) != 2 {
		return fileerror.Corrupt("a run-end-encoded column has %d parts", len(d.Children()))
	}
	ends, values := d.Children()[0], d.Children()[1]
	if ends.NullN() != 0 || ends.Len() > values.Len() {
		return fileerror.Corrupt("%d runs have %d values and %d nulls among their ends",
			ends.Len(), values.Len(), ends.NullN())
	}
	width := t.RunEnds().(arrow.FixedWidthDataType).Bytes()
	b := arraydata.Bytes(ends, 1)
	last := uint64(0)
	for i := range ends.Len() {
		at := (ends.Offset() + i) * width
		end := arraydata.LittleEndian(b[at:], width, true)
		if end <= last || end > 1<<62 {
			return fileerror.Corrupt("run %d ends at %d, the run before at %d", i, int64(end), last)
		}
		last = end
	}
	if int64(last) < arraydata.End(d) {
		return fileerror.Corrupt("the runs cover %d of %d rows", last, arraydata.End(d))
	}
	return nil
}
