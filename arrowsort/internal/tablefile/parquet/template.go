package parquet

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// A Template holds what an output keeps from its inputs: schema and metadata of the first, and the codecs of the first
// with row groups.
type Template struct {
	meta    *metadata.FileMetaData // without the pairs of an order
	remarks []string
	order   map[string]string // the pairs of an order; see Curve and KeyOrder
}

// Remarks returns a line for each thing that the footer lacks, and for each type in it that is unknown. The file is
// read nevertheless.
func (t *Template) Remarks() []string { return t.remarks }

// Outline returns what an output needs of the template: that of the columns, by the first row group. It does not hold
// the other row groups.
func (t *Template) Outline() *Template {
	if t == nil || len(t.meta.RowGroups) == 0 {
		return t
	}
	outline := t.clone()
	outline.meta.RowGroups = slices.Clone(t.meta.RowGroups[:1])
	return outline
}

// clone returns a template whose footer can be changed, though not what is in its lists.
func (t *Template) clone() *Template {
	meta, footer := *t.meta, *t.meta.FileMetaData
	meta.FileMetaData = &footer
	return &Template{meta: &meta, remarks: t.remarks, order: t.order}
}

// StoredAs returns an outline whose columns are stored as in another file, in any order, if the outline is of a file
// without row groups.
func (t *Template) StoredAs(other *Template) (*Template, error) {
	if t == nil || other == nil || len(t.meta.RowGroups) > 0 || len(other.meta.RowGroups) == 0 {
		return t, nil
	}
	fields, others := fieldsOf(t.meta), fieldsOf(other.meta)
	columns := make([]int, len(fields))
	for i, f := range fields {
		if columns[i] = i; f.name() != others[i].name() {
			columns[i] = slices.IndexFunc(others, func(o schemaField) bool { return o.name() == f.name() })
		}
	}
	stored, err := other.Outline().Select(columns)
	if err != nil {
		return nil, err
	}
	outline := t.clone()
	outline.meta.RowGroups = stored.meta.RowGroups
	return outline, nil
}

// Select returns an outline with some of the columns, in some order, as that of a file with only these.
func (t *Template) Select(columns []int) (*Template, error) {
	if t == nil {
		return nil, nil
	}
	selected, fields := t.clone(), fieldsOf(t.meta)
	footer := selected.meta.FileMetaData
	root := *footer.Schema[0]
	root.NumChildren = new(int32(len(columns)))
	elements, leaves := append(footer.Schema[:0:0], &root), []int(nil)
	for _, c := range columns {
		f := fields[c]
		elements = append(elements, footer.Schema[f.start:f.end]...)
		for leaf := range f.leaves {
			leaves = append(leaves, f.leaf+leaf)
		}
	}
	tree, err := schema.FromParquet(elements)
	if err != nil {
		return nil, fmt.Errorf("the schema of some of the columns: %w", err)
	}
	footer.Schema, selected.meta.Schema = elements, schema.NewSchema(tree.(*schema.GroupNode))
	if footer.KeyValueMetadata, err = selectArrowSchema(footer.KeyValueMetadata, columns, len(fields)); err != nil {
		return nil, err
	}
	footer.RowGroups = slices.Clone(footer.RowGroups)
	for i, group := range footer.RowGroups {
		some := *group
		some.Columns = group.Columns[:0:0]
		for _, leaf := range leaves {
			some.Columns = append(some.Columns, group.Columns[leaf])
		}
		footer.RowGroups[i] = &some
	}
	return selected, nil
}

// CreatedHere reports whether the file was written by this package.
func (t *Template) CreatedHere() bool { return t.meta.GetCreatedBy() == writer.Creator }

// Rows returns the number of rows of the file.
func (t *Template) Rows() int64 { return t.meta.NumRows }

// columns describes the leaf columns by the schema and the first row group. Without row groups codecs and dictionaries
// are those of an output without a template.
func (t *Template) columns() []writer.StoredColumn {
	if t == nil {
		return nil
	}
	out := make([]writer.StoredColumn, t.meta.Schema.NumColumns())
	for i := range out {
		column := t.meta.Schema.Column(i)
		out[i] = writer.StoredColumn{Path: column.Path(), Codec: compress.Codecs.Zstd, Dictionary: true,
			Logical: column.LogicalType(), Type: column.PhysicalType(), Length: column.TypeLength()}
	}
	if len(t.meta.RowGroups) > 0 {
		for i, chunk := range t.meta.RowGroups[0].Columns {
			at := chunk.MetaData.DictionaryPageOffset
			out[i].Codec = compress.Compression(chunk.MetaData.Codec)
			out[i].Dictionary = at != nil && *at > 0 || mayHaveDictionary(chunk.MetaData.Encodings)
		}
	}
	return out
}

// mayHaveDictionary reports whether a column with some encodings may have a dictionary in the output: it has one, or is
// stored as differences, which writers choose for some rows and not for others.
func mayHaveDictionary[E ~int64](encodings []E) bool {
	return slices.ContainsFunc([]int{page.RLEDictionary, page.DeltaBinaryPacked, page.DeltaLengthByteArray,
		page.DeltaByteArray}, func(e int) bool { return page.NamesEncoding(encodings, e) })
}

// fits reports whether all columns that were written with another footer read the same under the template's schema,
// also under the same names.
func (t *Template) fits(footer *metadata.FileMetaData) bool {
	from, to := fieldsOf(t.meta), fieldsOf(footer)
	if !sameFields(from, to) || !slices.EqualFunc(from, to, schemaField.fits) {
		return false
	}
	for i := range t.meta.Schema.NumColumns() {
		if t.meta.Schema.Column(i).Path() != footer.Schema.Column(i).Path() {
			return false
		}
	}
	return true
}

// paths returns the names that the leaf columns of a footer get by copySchema; nil: the template has none for them.
func (t *Template) paths(footer *metadata.FileMetaData) (paths []parquet.ColumnPath) {
	if t == nil {
		return nil
	}
	from, to := fieldsOf(t.meta), fieldsOf(footer)
	if !sameFields(from, to) {
		return nil
	}
	for i, f := range from {
		if !f.fits(to[i]) {
			f = to[i]
		}
		for leaf := range f.leaves {
			paths = append(paths, f.meta.Schema.Column(f.leaf+leaf).ColumnPath())
		}
	}
	return paths
}

// copySchema copies the schema of the template to a footer. A column that is stored as in the template gets its schema
// elements unchanged: logical and converted types, field numbers, names of nested fields. The others, such as decimals
// of another width, keep theirs. The key-value metadata is the template's; only an Arrow schema in it is replaced where
// a column differs, or has narrow indices into a dictionary.
func (t *Template) copySchema(footer *metadata.FileMetaData) (err error) {
	from, to := fieldsOf(t.meta), fieldsOf(footer)
	if !sameFields(from, to) {
		return nil
	}
	elements, all := t.meta.FileMetaData.Schema[:1:1], true // the root
	for i, f := range from {
		if !f.fits(to[i]) {
			f, all = to[i], false
		}
		elements = append(elements, f.meta.FileMetaData.Schema[f.start:f.end]...)
	}
	arrowSchema := footer.KeyValueMetadata().FindValue(writer.ArrowSchemaKey)
	footer.FileMetaData.Schema = elements
	pairs := t.meta.FileMetaData.KeyValueMetadata
	if all {
		pairs, err = withWideIndices(pairs, len(from))
	} else {
		pairs = withArrowSchema(pairs, arrowSchema)
	}
	footer.FileMetaData.KeyValueMetadata = pairs
	return err
}

// A schemaField is a column of the table in the schema of a Parquet file.
type schemaField struct {
	meta       *metadata.FileMetaData
	start, end int // of its elements in the schema: the column itself, and after it what it is made of
	leaf       int // number of its first leaf column
	leaves     int // leaf columns
}

// fieldsOf takes the schema of a file apart.
func fieldsOf(meta *metadata.FileMetaData) (fields []schemaField) {
	elements := meta.FileMetaData.Schema
	for start, leaf := 1, 0; start < len(elements); {
		f := schemaField{meta: meta, start: start, end: start, leaf: leaf}
		for open := 1; open > 0; f.end++ { // elements that are still to come
			children := int(elements[f.end].GetNumChildren())
			if open += children - 1; children == 0 {
				f.leaves++
			}
		}
		fields = append(fields, f)
		start, leaf = f.end, leaf+f.leaves
	}
	return fields
}

func (f schemaField) name() string { return f.meta.FileMetaData.Schema[f.start].Name }

// sameFields reports whether two files have columns of the same names in the same order.
func sameFields(a, b []schemaField) bool {
	return slices.EqualFunc(a, b, func(a, b schemaField) bool { return a.name() == b.name() })
}

// fits reports whether a column that was written as another field reads the same as this one: its leaf columns have the
// same physical types, and the same levels, which are those of the optional and repeated fields that they lie in. Names
// within the column, and required groups, do not matter, since nothing but the footer has them.
func (f schemaField) fits(other schemaField) bool {
	if f.leaves != other.leaves {
		return false
	}
	for i := range f.leaves {
		a, b := f.meta.Schema.Column(f.leaf+i), other.meta.Schema.Column(other.leaf+i)
		if a.PhysicalType() != b.PhysicalType() || !slices.Equal(levelsOf(a), levelsOf(b)) {
			return false
		}
		// Some writers leave a length where the type has none.
		if a.PhysicalType() == parquet.Types.FixedLenByteArray && a.TypeLength() != b.TypeLength() {
			return false
		}
	}
	return true
}

// levelsOf returns the repetitions of the fields that a leaf column lies in, from its own outwards, without required
// ones.
func levelsOf(leaf *schema.Column) (levels []parquet.Repetition) {
	for node := leaf.SchemaNode(); node.Parent() != nil; node = node.Parent() {
		if r := node.RepetitionType(); r != parquet.Repetitions.Required {
			levels = append(levels, r)
		}
	}
	return levels
}
