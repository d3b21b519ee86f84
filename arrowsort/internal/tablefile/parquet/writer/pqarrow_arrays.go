package writer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// toPqarrow converts rows of a column to an array of its parquetType. A value that Parquet cannot hold is an error with
// the name of its row. The caller releases the array.
func toPqarrow(field arrow.Field, a arrow.Array, mem memory.Allocator,
	rowName func(row int) string) (arrow.Array, error) {
	s := pqarrowInput{mem}
	d, err := s.data(field, a.Data(), nil)
	if errors.As(err, new(*unrepresentable)) {
		return nil, s.firstUnrepresentable(field, a, rowName)
	}
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", field.Name, err)
	}
	return arraydata.NewArray(d), nil
}

// firstUnrepresentable returns the error of the first row with a value that Parquet cannot hold.
func (s pqarrowInput) firstUnrepresentable(field arrow.Field, a arrow.Array, rowName func(row int) string) error {
	for i := range a.Len() {
		row := array.NewSliceData(a.Data(), int64(i), int64(i+1))
		defer row.Release()
		d, err := s.data(field, row, nil)
		if f := (*unrepresentable)(nil); errors.As(err, &f) {
			return fmt.Errorf("column %q: %s holds %s", f.path, rowName(i), f.what)
		}
		if err == nil {
			d.Release()
		}
	}
	return nil
}

// An unrepresentable is the error for a value that a Parquet file cannot hold.
type unrepresentable struct {
	path string // of the column, or of the part of it
	what string
}

func (f *unrepresentable) Error() string { return f.what }

// A pqarrowInput converts arrays to the types and the form that pqarrow writes correctly.
//
// pqarrow v18.8.0 writes the values of a fixed-size list from the first value of its child on, whatever the offset of
// the list; it refuses lists that are null but have values, as every null fixed-size list does; and of a column of
// decimals without nulls it writes those in null structs, too, in place of others. So nested columns are written as
// lists with offsets from 0 on, in which null lists, and lists in null structs, have no values, and values in null
// structs are null.
type pqarrowInput struct{ mem memory.Allocator }

// data returns the rows of an array of a field. live reports whether a row is in no null struct; nil: none is. The
// caller releases the result.
//
// Nulls where the schema says that there are none are an error: in Parquet they would become zeros and empty text. They
// are not written as a nullable column instead, since the schema of a file is fixed before the rows of its later row
// groups are seen.
func (s pqarrowInput) data(f arrow.Field, d arrow.ArrayData, live func(row int) bool) (arrow.ArrayData, error) {
	f.Type = arraydata.Storage(f.Type)
	if typ, ok := f.Type.(*arrow.DictionaryType); ok {
		values, err := s.entries(typ, d)
		if err != nil {
			return nil, err
		}
		defer values.Release()
		f.Type = typ.ValueType
		return s.data(f, values, live)
	}
	isValid := valid(d, live)
	for i := 0; !f.Nullable && d.NullN() != 0 && isValid != nil && i < d.Len(); i++ {
		if (live == nil || live(i)) && !isValid(i) {
			return nil, &unrepresentable{f.Name,
				"a null, but the schema declares that there is none: declare the column nullable, or fill its nulls"}
		}
	}
	switch t := f.Type.(type) {
	case *arrow.StructType:
		return s.structs(f, d, isValid)
	case *arrow.FixedSizeListType:
		n := int(t.Len())
		return s.lists(f, d, isValid, func(row int) (begin, end int) { return row * n, row*n + n })
	case *arrow.ListType, *arrow.MapType:
		offsets := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return s.lists(f, d, isValid, func(row int) (begin, end int) { return int(offsets[row]), int(offsets[row+1]) })
	case *arrow.LargeListType:
		offsets := arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())
		return s.lists(f, d, isValid, func(row int) (begin, end int) { return int(offsets[row]), int(offsets[row+1]) })
	}
	return s.leaf(f, d, live, isValid)
}

// valid returns a function that reports whether a row is valid and in no null struct; nil if all rows are.
func valid(d arrow.ArrayData, live func(row int) bool) func(row int) bool {
	bits, offset := arraydata.Bytes(d, 0), d.Offset()
	if bits == nil {
		return live
	}
	return func(row int) bool { return bitutil.BitIsSet(bits, offset+row) && (live == nil || live(row)) }
}

// entries returns the values that the rows of a dictionary array refer to.
func (s pqarrowInput) entries(typ *arrow.DictionaryType, d arrow.ArrayData) (arrow.ArrayData, error) {
	d = array.NewDataWithDictionary(typ, d.Len(), d.Buffers(), d.NullN(), d.Offset(), d.Dictionary().(*array.Data))
	defer d.Release()
	indices := array.NewDictionaryData(d)
	defer indices.Release()
	values, err := dictionary.Values(context.Background(), indices, take.Options{Allocator: s.mem, Threads: 1})
	if err != nil {
		return nil, err
	}
	defer values.Release()
	values.Data().Retain()
	return values.Data(), nil
}

func (s pqarrowInput) structs(f arrow.Field, d arrow.ArrayData, isValid func(row int) bool) (arrow.ArrayData, error) {
	children := make([]arrow.ArrayData, 0, len(d.Children()))
	defer func() { arraydata.Release(children) }()
	for i, field := range f.Type.(*arrow.StructType).Fields() {
		rows := array.NewSliceData(d.Children()[i], int64(d.Offset()), int64(d.Offset()+d.Len()))
		child, err := s.child(f, field, rows, isValid)
		rows.Release()
		if err != nil {
			return nil, err
		}
		children = append(children, child)
	}
	return s.assemble(f, d, nil, children), nil
}

// child is data for a field of a nested field.
func (s pqarrowInput) child(parent, f arrow.Field, d arrow.ArrayData,
	live func(row int) bool) (arrow.ArrayData, error) {
	f.Name = parent.Name + "." + f.Name
	return s.data(f, d, live)
}

// lists converts lists, whose values are a range of the child for each row.
func (s pqarrowInput) lists(f arrow.Field, d arrow.ArrayData, isValid func(row int) bool,
	valuesOf func(row int) (begin, end int)) (arrow.ArrayData, error) {
	buffer := arraydata.NewBuffer(s.mem, arrow.Int32Traits.BytesRequired(d.Len()+1))
	defer buffer.Release()
	offsets := arrow.Int32Traits.CastFromBytes(buffer.Bytes())
	offsets[0] = 0
	var rows take.ChildRows
	for i := range d.Len() {
		if isValid == nil || isValid(i) {
			rows.Add(valuesOf(d.Offset() + i))
		}
		offsets[i+1] = int32(rows.Count)
	}
	if rows.Count > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows of lists have %d values, more than fit in a row group: ask for fewer rows "+
			"in one",
			d.Len(), rows.Count)
	}
	values, err := rows.Of(d.Children()[0], s.mem)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	child, err := s.child(f, f.Type.(arrow.ListLikeType).ElemField(), values, nil)
	if err != nil {
		return nil, err
	}
	defer child.Release()
	return s.assemble(f, d, buffer, []arrow.ArrayData{child}), nil
}

// assemble makes an array of the rows of another, at offset 0, with other offsets of lists and children.
func (s pqarrowInput) assemble(f arrow.Field, d arrow.ArrayData, offsets *memory.Buffer,
	children []arrow.ArrayData) arrow.ArrayData {
	var validity *memory.Buffer
	if bits := d.Buffers()[0]; bits != nil {
		validity = arraydata.NewBuffer(s.mem, int(bitutil.BytesForBits(int64(d.Len()))))
		defer validity.Release()
		bitutil.CopyBitmap(bits.Bytes(), d.Offset(), d.Len(), validity.Bytes(), 0)
	}
	buffers := []*memory.Buffer{validity}
	if offsets != nil {
		buffers = append(buffers, offsets)
	}
	return array.NewData(parquetType(f.Type), d.Len(), buffers, children, d.NullN(), 0)
}

// leaf returns values with nulls in null structs.
func (s pqarrowInput) leaf(f arrow.Field, d arrow.ArrayData,
	live, isValid func(row int) bool) (arrow.ArrayData, error) {
	buffers, nulls, typ := slices.Clone(d.Buffers()), d.NullN(), parquetType(f.Type)
	if live != nil && typ.ID() != arrow.NULL {
		buffers[0] = arraydata.NewBuffer(s.mem, int(bitutil.BytesForBits(int64(d.Offset()+d.Len()))))
		defer buffers[0].Release()
		nulls = 0
		for i := range d.Len() {
			bitutil.SetBitTo(buffers[0].Bytes(), d.Offset()+i, isValid(i))
			if !isValid(i) {
				nulls++
			}
		}
	}
	if check := valueCheck(f.Type, d); check != nil {
		for i := range d.Len() {
			if isValid != nil && !isValid(i) {
				continue
			}
			if what := check(i); what != "" {
				return nil, &unrepresentable{f.Name, what}
			}
		}
	}
	switch f.Type.(type) {
	case *arrow.Date64Type:
		days, err := s.days(f, d, isValid)
		if err != nil {
			return nil, err
		}
		defer days.Release()
		buffers[1] = days
	case arrow.BinaryViewDataType:
		d = array.NewData(arrow.BinaryTypes.BinaryView, d.Len(), buffers, nil, nulls, d.Offset())
		defer d.Release()
		return s.textOfViews(d, typ), nil
	}
	return array.NewData(typ, d.Len(), buffers, nil, nulls, d.Offset()), nil
}

// valueCheck returns a function that explains why Parquet cannot hold the value of a row, or returns nothing, for types
// that are stored in fewer bytes or in a smaller unit; nil for other types.
func valueCheck(typ arrow.DataType, d arrow.ArrayData) func(row int) string {
	var fits func(row int) bool
	fault := "a %s that is too far from 0 for milliseconds, the largest unit of Parquet"
	switch t := typ.(type) {
	case *arrow.Decimal128Type:
		values := arrow.GetValues[decimal128.Num](d, 1)
		fits = func(row int) bool {
			n := values[row].Abs() // negative for the least value, which has no opposite
			return n.Sign() >= 0 && n.FitsInPrecision(t.Precision)
		}
		fault = "a value of more digits than its type %s has, which Parquet does not hold"
	case *arrow.Decimal256Type:
		values := arrow.GetValues[decimal256.Num](d, 1)
		fits = func(row int) bool {
			n := values[row].Abs()
			return n.Sign() >= 0 && n.FitsInPrecision(t.Precision)
		}
		fault = "a value of more digits than its type %s has, which Parquet does not hold"
	case *arrow.TimestampType:
		if values := arrow.GetValues[int64](d, 1); t.Unit == arrow.Second {
			fits = func(row int) bool { return values[row] == values[row]*1000/1000 }
		}
	case *arrow.Time32Type:
		if values := arrow.GetValues[int32](d, 1); t.Unit == arrow.Second {
			fits = func(row int) bool { return values[row] == values[row]*1000/1000 }
		}
	}
	if fits == nil {
		return nil
	}
	return func(row int) string {
		if fits(row) {
			return ""
		}
		return fmt.Sprintf(fault, typ)
	}
}

const millisPerDay = 24 * 60 * 60 * 1000

// days returns dates of 64 bits as days of 32 bits. A time of day, or a day that does not fit, is an error.
func (s pqarrowInput) days(f arrow.Field, d arrow.ArrayData, isValid func(row int) bool) (*memory.Buffer, error) {
	days := arraydata.NewBuffer(s.mem, arrow.Int32Traits.BytesRequired(d.Offset()+d.Len()))
	out := arrow.Int32Traits.CastFromBytes(days.Bytes())
	clear(out)
	for i, date := range arrow.GetValues[arrow.Date64](d, 1) {
		if isValid != nil && !isValid(i) {
			continue
		}
		if what := dateFault(date); what != "" {
			days.Release()
			return nil, &unrepresentable{f.Name, what}
		}
		out[d.Offset()+i] = int32(date / millisPerDay)
	}
	return days, nil
}

// dateFault explains why a date is no day of 32 bits, or returns nothing.
func dateFault(date arrow.Date64) string {
	switch day := date / millisPerDay; {
	case date%millisPerDay != 0:
		return "a date64 that is not a whole day, which Parquet does not have: cast the column to a timestamp"
	case day != arrow.Date64(int32(day)):
		return "a date64 that is too far from 1970 for the dates of Parquet, days of 32 bits: cast the column to int64"
	}
	return ""
}

// textOfViews returns the text of views with offsets of 64 bits.
func (s pqarrowInput) textOfViews(d arrow.ArrayData, typ arrow.DataType) arrow.ArrayData {
	views := array.NewBinaryViewData(d)
	defer views.Release()
	b := array.NewBinaryBuilder(s.mem, arrow.BinaryTypes.LargeBinary)
	defer b.Release()
	b.Reserve(views.Len())
	for i := range views.Len() {
		if views.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(views.Value(i))
		}
	}
	text := b.NewArray()
	defer text.Release()
	return array.NewData(typ, text.Len(), text.Data().Buffers(), nil, text.NullN(), 0)
}
