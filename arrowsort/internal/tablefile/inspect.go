package tablefile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet"
)

// A FileInfo is what a file holds: by its metadata or, of CSV, by all of its text.
type FileInfo struct {
	File            string       `json:"file"`
	Format          string       `json:"format"` // as ParseFormat reads it
	Bytes           int64        `json:"bytes"`
	Compressed      bool         `json:"compressed,omitempty"` // as a whole: CSV
	WrittenBy       string       `json:"written_by,omitempty"`
	Remarks         []string     `json:"remarks,omitempty"` // on the footer of a Parquet file, or on CSV
	Rows            int64        `json:"rows"`
	Groups          []GroupInfo  `json:"groups,omitempty"`
	DictionaryBytes int64        `json:"dictionary_bytes,omitempty"` // of an Arrow file: they are not in its columns
	Columns         []ColumnInfo `json:"columns"`

	Curve   *CurveOrder     `json:"curve,omitempty"` // that the rows follow
	Order   *KeyOrder       `json:"-"`               // the order of the rows, where sorting columns have no name for it
	Sorting []SortingColumn `json:"-"`               // the order that the first row group declares
	Mixed   bool            `json:"-"`               // row groups declare different orders
}

// A GroupInfo is a row group of a Parquet file, or a record batch of an Arrow file.
type GroupInfo struct {
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"` // in the file
}

// A ColumnInfo is a column, or a field of a nested one. What is not known is nil.
type ColumnInfo struct {
	Name         string       `json:"name"`
	Type         string       `json:"type"` // of a nested one without its fields
	Nullable     bool         `json:"nullable"`
	Nulls        *int64       `json:"nulls,omitempty"`
	Bytes        *int64       `json:"bytes,omitempty"`     // in the file, with those of its fields
	Raw          *int64       `json:"raw_bytes,omitempty"` // the same without compression
	Codecs       []string     `json:"codecs,omitempty"`
	Encodings    []string     `json:"encodings,omitempty"`     // of Parquet
	BloomFilters int64        `json:"bloom_filters,omitempty"` // row groups of Parquet that have one
	Fields       []ColumnInfo `json:"fields,omitempty"`
}

// Inspect reads the metadata of a file of any format, and all of CSV. Errors are those of Scan.
func Inspect(ctx context.Context, path string, opts ReadOptions) (*FileInfo, error) {
	return withFile(path, "standard input", func() (info *FileInfo, err error) {
		if opts.Format, err = opts.resolveInput(path); err != nil {
			return nil, err
		}
		file, err := opts.open(path, opts.Format)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		size := file.size
		info = &FileInfo{File: path, Format: opts.Format.String(), Bytes: size, Compressed: file.compressed}
		opts.setAllocationLimit(size)
		if opts.Format == CSV {
			opts.Delimiter = delimiter(path, opts.Delimiter)
			return info, info.csv(ctx, file, opts)
		}
		if opts.Format == Parquet {
			f, err := parquet.Open(file.source, size, opts.parquet())
			if err != nil {
				return nil, err
			}
			info.parquet(f.Template, f.Schema())
			return info, nil
		}
		batches, err := openBatches(opts.Format, file, size, opts.Allocator)
		if err != nil {
			return nil, err
		}
		defer batches.Release()
		return info, info.arrow(file, batches.Schema(), opts.Allocator)
	})
}

// csv finds the types of CSV, of which a compressed file is decompressed to a folder for temporary files.
func (f *FileInfo) csv(ctx context.Context, file *opened, opts ReadOptions) error {
	if f.Compressed {
		folder, err := atomicfile.NewTempDir(os.TempDir(), temporaryPrefix)
		if err != nil {
			return err
		}
		defer folder.Remove()
		text := folder.Next(".csv")
		err = copyPipe(Interruptible(ctx, file), f.File, CSV, text, textLimit(file.size), func(int64) {})
		if err != nil {
			return errkind.SpillFull(os.TempDir(), err)
		}
		if file, err = openLocal(text); err != nil {
			return err
		}
		defer file.Close()
	}
	schema := cmp.Or(opts.CSV, &csv.Schema{})
	if err := schema.Infer(ctx, opts.source(file, file.size)); err != nil {
		return err
	}
	f.Remarks = schema.Remarks
	f.Rows, f.Columns = schema.Rows, columnInfos(schema.Arrow().Fields(), func(bool) ColumnInfo { return ColumnInfo{} })
	return nil
}

// temporaryPrefix is that of the folders of runs, so that what a killed process leaves is removed by the next sort.
const temporaryPrefix = "arrowsort-spill-"

func (f *FileInfo) parquet(template *Template, schema *arrow.Schema) {
	f.WrittenBy, f.Rows, f.Remarks = template.CreatedBy(), template.Rows(), template.Remarks()
	if curve, err := template.Curve(); err != nil {
		f.Remarks = append(f.Remarks, err.Error())
	} else {
		f.Curve = curve
	}
	if order, err := template.KeyOrder(); err != nil {
		f.Remarks = append(f.Remarks, err.Error())
	} else {
		f.Order = order
	}
	groups := template.RowGroups()
	for i, g := range groups {
		f.Groups = append(f.Groups, GroupInfo{g.Rows, g.Bytes})
		f.Mixed = f.Mixed || !slices.Equal(g.SortingColumns, groups[0].SortingColumns)
		if i == 0 {
			f.Sorting = g.SortingColumns
		}
	}
	leaves := template.LeafColumns()
	f.Columns = columnInfos(schema.Fields(), func(leaf bool) ColumnInfo {
		if !leaf || len(leaves) == 0 {
			return ColumnInfo{}
		}
		l := leaves[0]
		leaves = leaves[1:]
		c := ColumnInfo{Bytes: &l.Bytes, Raw: &l.Raw, Codecs: l.Codecs, Encodings: l.Encodings,
			BloomFilters: l.BloomFilters}
		if l.Nulls >= 0 {
			c.Nulls = &l.Nulls
		}
		return c
	})
}

func (f *FileInfo) arrow(file io.ReaderAt, schema *arrow.Schema, mem memory.Allocator) error {
	meta, err := ipc.Inspect(file, f.Bytes, f.Format == IPCStream.String(), schema, mem)
	if err != nil {
		return err
	}
	f.DictionaryBytes = meta.DictionaryBytes
	for _, b := range meta.Batches {
		f.Rows += b.Rows
		f.Groups = append(f.Groups, GroupInfo(b))
	}
	nodes := meta.Fields
	f.Columns = columnInfos(schema.Fields(), func(bool) ColumnInfo {
		if len(nodes) == 0 {
			return ColumnInfo{}
		}
		n := nodes[0]
		nodes = nodes[1:]
		return ColumnInfo{Bytes: &n.Bytes, Nulls: &n.Nulls, Codecs: meta.Codecs}
	})
	return nil
}

// columnInfos describes fields and those inside them. next returns what is stored for each, in their order.
func columnInfos(fields []arrow.Field, next func(leaf bool) ColumnInfo) []ColumnInfo {
	var all []ColumnInfo
	for _, f := range fields {
		stored := f.Type
		if e, ok := stored.(arrow.ExtensionType); ok {
			stored = e.StorageType()
		}
		nested, ok := stored.(arrow.NestedType)
		c := next(!ok)
		c.Name, c.Type, c.Nullable = f.Name, typeText(f.Type), f.Nullable
		if ok {
			c.Fields = columnInfos(nested.Fields(), next)
			c.addFields()
			if _, isMap := stored.(*arrow.MapType); isMap { // without the struct of the entries
				c.Fields = c.Fields[0].Fields
			}
		}
		all = append(all, c)
	}
	return all
}

// addFields adds the bytes of the fields.
func (c *ColumnInfo) addFields() {
	for _, f := range c.Fields {
		c.Bytes, c.Raw = sum(c.Bytes, f.Bytes), sum(c.Raw, f.Raw)
	}
}

// sum adds numbers that may not be known.
func sum(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}

// typeText returns a type without the fields of a nested one.
func typeText(typ arrow.DataType) string {
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return t.ExtensionName() + " (" + typeText(t.StorageType()) + ")"
	case *arrow.DictionaryType:
		return fmt.Sprintf("%s (dictionary, %s)", t.ValueType, t.IndexType)
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("%s[%d]", t.Name(), t.Len())
	case arrow.NestedType:
		return t.Name()
	}
	return typ.String()
}
