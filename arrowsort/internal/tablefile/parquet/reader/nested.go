package reader

import (
	"context"
	"fmt"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// A nestedColumn reads a field of a nested column with its leaves, from the first row of a row group on.
type nestedColumn struct {
	field    *SchemaField
	leaf     *pqarrow.ColumnReader // of a leaf
	readAs   arrow18.DataType      // of a leaf: the type of its arrays
	children []*nestedColumn
}

// open opens a column of a row group, and its leaves, whose pages are verified. The caller releases it, also after an
// error.
func (f *File) open(ctx context.Context, field *SchemaField, group int) (*nestedColumn, error) {
	n := &nestedColumn{field: field}
	if field.IsLeaf() {
		column := field.ColIndex
		if err := f.Verify(group, column); err != nil {
			return n, err
		}
		leaf, err := f.leaves.GetFieldReader(ctx, column, map[int]bool{column: true}, []int{group})
		n.leaf, n.readAs = leaf, f.leaves.Manifest.Fields[column].Field.Type
		if rows := f.skip(group, column); err == nil && rows > 0 {
			err = n.skip(rows, f.skippedRows(group, column), f.opts.Allocator)
		}
		return n, err
	}
	for i := range field.Children {
		child, err := f.open(ctx, &field.Children[i], group)
		n.children = append(n.children, child)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// skip passes the first rows of a leaf, some at a time.
func (n *nestedColumn) skip(rows, most int64, mem memory.Allocator) error {
	for rows > 0 {
		batch := min(rows, most)
		arrays, err := n.next(batch, mem)
		if err != nil {
			return err
		}
		arraydata.Release(arrays)
		rows -= batch
	}
	return nil
}

// skippedRows returns how many rows of a leaf column are skipped at a time: about skippedBytes in memory.
func (f *File) skippedRows(group, leaf int) int64 {
	const skippedBytes = 1 << 20
	meta := f.file.MetaData()
	m := meta.RowGroups[group].Columns[leaf].MetaData
	bytes := max(m.TotalUncompressedSize, m.NumValues*int64(valueBytes(meta.Schema.Column(leaf))))
	return max(1, int64(skippedBytes*float64(f.part(group, leaf).Rows)/float64(max(bytes, 1))))
}

// next reads the next rows.
func (n *nestedColumn) next(rows int64, mem memory.Allocator) ([]arrow.Array, error) {
	if err := n.load(rows); err != nil {
		return nil, err
	}
	return n.build(rows, mem)
}

func (n *nestedColumn) load(rows int64) error {
	if n.leaf != nil {
		if err := n.leaf.LoadBatch(rows); err != nil {
			return fmt.Errorf("column %q: %w", n.field.Field.Name, err)
		}
		return nil
	}
	for _, c := range n.children {
		if err := c.load(rows); err != nil {
			return err
		}
	}
	return nil
}

func (n *nestedColumn) release() {
	if n.leaf != nil {
		n.leaf.Release()
	}
	for _, c := range n.children {
		c.release()
	}
}

// repeated reports whether a list lies between the node and each of its leaves.
func (n *nestedColumn) repeated() bool {
	switch arraydata.Storage(n.field.Field.Type).ID() {
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.MAP:
		return true
	case arrow.STRUCT:
		return !slices.ContainsFunc(n.children, func(c *nestedColumn) bool { return !c.repeated() })
	}
	return false
}

// levels returns the definition and repetition levels of a leaf under the node, of one without a list between if there
// is one.
func (n *nestedColumn) levels() (def, rep []int16, err error) {
	if n.leaf != nil {
		if def, err = n.leaf.GetDefLevels(); err == nil && n.field.LevelInfo.RepLevel > 0 {
			rep, err = n.leaf.GetRepLevels() // it panics for a column without them
		}
		return def, rep, err
	}
	for _, c := range n.children {
		if !c.repeated() {
			return c.levels()
		}
	}
	return n.children[0].levels()
}

// build makes the arrays of a node; bound is the largest number of values they can have.
func (n *nestedColumn) build(bound int64, mem memory.Allocator) ([]arrow.Array, error) {
	if n.leaf != nil {
		return n.buildLeaf(bound, mem)
	}
	var a arrow.Array
	var err error
	if arraydata.Storage(n.field.Field.Type).ID() == arrow.STRUCT {
		a, err = n.buildStruct(bound, mem)
	} else {
		a, err = n.buildList(bound, mem)
	}
	if err != nil {
		return nil, err
	}
	if ext, ok := n.field.Field.Type.(arrow.ExtensionType); ok {
		if a, err = retype(a, ext); err != nil {
			return nil, err
		}
	}
	return []arrow.Array{a}, nil
}

func (n *nestedColumn) buildLeaf(bound int64, mem memory.Allocator) (arrays []arrow.Array, err error) {
	chunked, err := n.leaf.BuildArray(bound)
	if err != nil {
		return nil, err
	}
	defer chunked.Release()
	for _, a := range chunked.Chunks() {
		typ := n.field.Field.Type
		if !arrow18.TypeEqual(a.DataType(), n.readAs) { // a dictionary for which nobody asked the field
			if typ, err = convert.FromLayout(a.DataType()); err != nil {
				arraydata.Release(arrays)
				return nil, err
			}
		}
		if ts, ok := typ.(*arrow.TimestampType); ok && n.readAs.ID() == arrow18.FIXED_SIZE_BINARY {
			bytes := convert.FromArray(a, &arrow.FixedSizeBinaryType{ByteWidth: Int96Bytes})
			times, err := timestamps(bytes, ts, mem)
			if err != nil {
				arraydata.Release(arrays)
				return nil, fmt.Errorf("column %q: %w", n.field.Field.Name, err)
			}
			arrays = append(arrays, times)
			continue
		}
		arrays = append(arrays, convert.FromArray(a, typ))
	}
	return arrays, nil
}

// buildOne is build for the child of a nested array, which cannot be chunked.
func (n *nestedColumn) buildOne(bound int64, mem memory.Allocator) (arrow.Array, error) {
	arrays, err := n.build(bound, mem)
	if err != nil {
		return nil, err
	}
	switch len(arrays) {
	case 0:
		return arraydata.Nulls(mem, n.field.Field.Type, 0), nil
	case 1:
		return arrays[0], nil
	}
	arraydata.Release(arrays)
	return nil, fmt.Errorf("the strings of nested column %q pass 2 GiB in a row group", n.field.Field.Name)
}

func (n *nestedColumn) buildStruct(bound int64, mem memory.Allocator) (arrow.Array, error) {
	validity := file.ValidityBitmapInputOutput{ReadUpperBound: bound, Read: bound}
	var bitmap *memory.Buffer
	if bound > 0 && (n.repeated() || n.field.Field.Nullable) {
		bitmap = arraydata.NewBuffer(mem, int(bitutil.BytesForBits(bound)))
		defer bitmap.Release()
		validity.ValidBits = bitmap.Bytes()
		def, rep, err := n.levels()
		if err != nil {
			return nil, err
		}
		if n.repeated() {
			if err := file.DefRepLevelsToBitmap(def, rep, n.field.LevelInfo, &validity); err != nil {
				return nil, err
			}
		} else {
			file.DefLevelsToBitmap(def, n.field.LevelInfo, &validity)
		}
		bitmap.Resize(int(bitutil.BytesForBits(validity.Read)))
	}
	children := make([]arrow.ArrayData, 0, len(n.children))
	defer func() { arraydata.Release(children) }()
	for _, c := range n.children {
		a, err := c.buildOne(bound, mem)
		if err != nil {
			return nil, err
		}
		data := a.Data()
		data.Retain()
		a.Release()
		children = append(children, data)
		if bitmap == nil && len(children) == 1 { // a required struct has the values of its parent, as its children
			validity.Read = int64(data.Len())
		}
		if int64(data.Len()) != validity.Read {
			return nil, errkind.Corrupt("struct %q has %d rows, its field %q %d", n.field.Field.Name, validity.Read,
				c.field.Field.Name, data.Len())
		}
	}
	if validity.NullCount == 0 {
		bitmap = nil
	}
	typ, buffers := structType(arraydata.Storage(n.field.Field.Type), children), []*memory.Buffer{bitmap}
	rows, nulls := int(validity.Read), int(validity.NullCount)
	return arraydata.NewArray(array.NewData(typ, rows, buffers, children, nulls, 0)), nil
}

// structType returns the type of a struct with the types that its children have in fact.
func structType(typ arrow.DataType, children []arrow.ArrayData) arrow.DataType {
	fields := append([]arrow.Field(nil), typ.(*arrow.StructType).Fields()...)
	for i := range fields {
		fields[i].Type = children[i].DataType()
	}
	return arrow.StructOf(fields...)
}

func (n *nestedColumn) buildList(bound int64, mem memory.Allocator) (arrow.Array, error) {
	child := n.children[0]
	def, rep, err := child.levels()
	if err != nil {
		return nil, err
	}
	validity := file.ValidityBitmapInputOutput{ReadUpperBound: bound}
	bitmap := arraydata.NewBuffer(mem, int(bitutil.BytesForBits(bound)))
	defer bitmap.Release()
	if n.field.Field.Nullable {
		validity.ValidBits = bitmap.Bytes()
	}
	buffer := arraydata.NewBuffer(mem, arrow.Int32Traits.BytesRequired(int(bound)+1))
	defer buffer.Release()
	offsets := arrow.Int32Traits.CastFromBytes(buffer.Bytes())
	offsets[0] = 0 // the others follow from it
	if err := file.DefRepLevelsToListInfo(def, rep, n.field.LevelInfo, &validity, offsets); err != nil {
		return nil, err
	}
	// A null list leaves a slot in a child that is nested itself, so the bound counts them.
	values, err := child.buildOne(int64(offsets[validity.Read])+validity.NullCount, mem)
	if err != nil {
		return nil, err
	}
	defer values.Release()
	buffer.Resize(arrow.Int32Traits.BytesRequired(int(validity.Read) + 1))
	bitmap.Resize(int(bitutil.BytesForBits(validity.Read)))
	buffers := []*memory.Buffer{nil, buffer}
	if validity.NullCount > 0 {
		buffers[0] = bitmap
	}
	elements := values.Data()
	typ := arraydata.Storage(n.field.Field.Type)
	switch t := typ.(type) {
	case *arrow.LargeListType:
		buffers[1] = wideOffsets(offsets[:validity.Read+1], mem)
		defer buffers[1].Release()
	case *arrow.FixedSizeListType:
		buffers = buffers[:1]
		if elements, err = fillFixedSize(n.field.Field.Name, t, offsets[:validity.Read+1], buffers[0], elements,
			mem); err != nil {
			return nil, err
		}
		defer elements.Release()
	}
	rows, nulls := int(validity.Read), int(validity.NullCount)
	return arraydata.NewArray(array.NewData(typ, rows, buffers, []arrow.ArrayData{elements}, nulls, 0)), nil
}

// wideOffsets returns the offsets of large lists.
func wideOffsets(offsets []int32, mem memory.Allocator) *memory.Buffer {
	buffer := arraydata.NewBuffer(mem, arrow.Int64Traits.BytesRequired(len(offsets)))
	wide := arrow.Int64Traits.CastFromBytes(buffer.Bytes())
	for i, o := range offsets {
		wide[i] = int64(o)
	}
	return buffer
}

// fillFixedSize returns the values of lists that all have their type's size. Parquet stores nothing for a null list,
// where Arrow has as many values as for others, of any content. The caller releases the result.
func fillFixedSize(
	name string, typ *arrow.FixedSizeListType, offsets []int32, validity *memory.Buffer, values arrow.ArrayData,
	mem memory.Allocator,
) (arrow.ArrayData, error) {
	size := int(typ.Len())
	var rows take.ChildRows
	for i := range len(offsets) - 1 {
		begin, end := int(offsets[i]), int(offsets[i+1])
		switch {
		case validity != nil && !bitutil.BitIsSet(validity.Bytes(), i):
			rows.Add(0, size)
		case end-begin != size:
			return nil, fmt.Errorf("column %q: list %d of a fixed-size list of %d has %d values", name, i, size,
				end-begin)
		default:
			rows.Add(begin, end)
		}
	}
	if values.Len() == 0 && rows.Count > 0 {
		nulls := arraydata.Nulls(mem, values.DataType(), rows.Count)
		defer nulls.Release()
		nulls.Data().Retain()
		return nulls.Data(), nil
	}
	return rows.Of(values, mem)
}
