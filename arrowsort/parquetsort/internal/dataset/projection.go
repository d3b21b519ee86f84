package dataset

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
)

// A Projection says which columns of a dataset are read, and which of those are written and which are keys. It does not
// change.
type Projection struct {
	Schema  *arrow.Schema   // of the columns that are read
	Keys    []arrowsort.Key // by its columns
	Written []int           // columns of Schema that are written; nil: all
	// Partitions is the number of leading keys whose columns name the folders of the output and are not written.
	Partitions int

	all     *arrow.Schema // of the files
	columns []int         // in all; nil: every one
	types   *arrow.Schema // Schema, but with the types of what CSV reads as text
	csv     *csv.Schema   // how CSV is read, else nil
}

// FindKeys returns the projection to all columns, with the keys that keysFor returns for the schema, in their canonical
// form. An error names the first file.
func (d *Dataset) FindKeys(ctx context.Context, keysFor KeysFor) (Projection, error) {
	p, err := d.findKeys(ctx, keysFor)
	if err != nil {
		err = withHint(d.CSV, fmt.Errorf("%s: %w", displayName(d.Files[0]), err))
	}
	return p, err
}

// keys returns the keys for the schema, which has them and can be sorted by them.
func (d *Dataset) keys(ctx context.Context, keysFor KeysFor) ([]arrowsort.Key, error) {
	keys, err := keysFor(d.Schema)
	if err == nil {
		err = extsort.CheckKeys(ctx, d.Schema, keys)
	}
	if err != nil {
		return nil, d.inFolders(err)
	}
	return keys, nil
}

func (d *Dataset) findKeys(ctx context.Context, keysFor KeysFor) (Projection, error) {
	p := d.All()
	keys, err := d.keys(ctx, keysFor)
	if err != nil {
		return p, err
	}
	for _, key := range keys {
		named, _, _ := Canonical(d.Schema, key)
		p.Keys = append(p.Keys, named)
	}
	d.warnKeys(p.KeyColumns())
	return p, nil
}

// inFolders returns what to do about an error if it is about a column which only the names of folders have, else the
// error.
func (d *Dataset) inFolders(err error) error {
	of := (*errkind.ColumnError)(nil)
	if folders, _ := d.FolderColumns(); errors.As(err, &of) && slices.Contains(folders, of.Column) {
		return errkind.Reword(err, fmt.Sprintf("column %q is in the names of folders only, which are not read: leave "+
			"it out to sort the files of one folder, or add it to the files first", of.Column))
	}
	return err
}

// Canonical returns a key that was checked in the form in which files name it, so that keys of one order are equal, and
// the text that is read as that key again. Its column is named if no other has the name, if that does not begin as
// positions do, and if the text is not that of another key; else it is given by its position. It returns false where no
// text stands for the key.
func Canonical(schema *arrow.Schema, key arrowsort.Key) (_ arrowsort.Key, text string, ok bool) {
	key.Function, _ = key.Function.Resolve() // the check had no error
	key.Collation, _ = key.Collation.Resolve()
	if at := ColumnOf(schema, key); at >= 0 && key.Path == "" {
		name := schema.Field(at).Name
		unclear := name == "" || strings.HasPrefix(name, "#") // as text, "#1" is a position
		if !unclear && len(schema.FieldIndices(name)) == 1 {
			key.Path, key.At = name, arrowsort.Position{}
		}
	}
	return typed(schema, key)
}

// typed returns the text that is read as a key again in a schema, where a path may be the name of another column, or
// has blanks at its ends, and the key that it stands for: one by its path, or by the position of its column. It returns
// false where neither is.
func typed(schema *arrow.Schema, key arrowsort.Key) (_ arrowsort.Key, text string, ok bool) {
	text = flagtext.KeyText(key)
	back, err := flagtext.KeyIn(text, schema)
	if err == nil && back == key {
		return key, text, true
	}
	if key.Path == "" || !schema.HasField(key.Path) {
		return key, "", false
	}
	at := ColumnOf(schema, key)
	key.Path, key.At = "", arrowsort.Column(at)
	return typed(schema, key)
}

// All returns the projection to all columns, without keys.
func (d *Dataset) All() Projection {
	return Projection{Schema: d.Schema, all: d.Schema, types: d.Schema, csv: d.CSV}
}

// KeyColumns returns the columns of the keys, in the order of the schema: the first one where keys go by row numbers
// only, so that rows are read.
func (p Projection) KeyColumns() []int {
	var columns []int
	for _, key := range p.Keys {
		if at := ColumnOf(p.Schema, key); at >= 0 {
			columns = append(columns, at)
		}
	}
	if len(columns) == 0 && len(p.Keys) > 0 && p.Schema.NumFields() > 0 {
		columns = []int{0}
	}
	slices.Sort(columns)
	return slices.Compact(columns)
}

// OnlyKeys returns the projection to the columns of the keys.
func (p Projection) OnlyKeys() Projection { return p.Pick(p.KeyColumns()) }

// Pick returns the projection to some of the columns. Keys that are not among them cannot be used.
func (p Projection) Pick(columns []int) Projection {
	picked := p
	picked.Keys, picked.Written, picked.columns = flagtext.Among(columns, p.Keys), nil, columns
	if p.columns != nil {
		picked.columns = make([]int, len(columns))
		for i, c := range columns {
			picked.columns[i] = p.columns[c]
		}
	}
	picked.Schema, picked.types = arraydata.Pick(p.Schema, columns), arraydata.Pick(p.types, columns)
	return picked
}

// Find returns the columns with some names, or labels as #2.
func (p Projection) Find(option string, names []string) (columns []int, err error) {
	for _, name := range names {
		at := slices.DeleteFunc(p.Schema.FieldIndices(name), func(i int) bool { return i >= p.most() })
		for i := range p.most() {
			if len(at) == 0 && arraydata.Label(i) == name {
				at = []int{i}
			}
		}
		if len(at) != 1 {
			return nil, &errkind.ColumnError{Column: name, Err: fmt.Errorf("%w: %s: %d columns are named %q",
				errkind.ErrFileOption, option, len(at), name)}
		}
		columns = append(columns, at[0])
	}
	return columns, nil
}

// Writable returns the columns that can be written: those after them are typed keys.
func (p Projection) Writable() []int {
	columns := make([]int, p.most())
	for i := range columns {
		columns[i] = i
	}
	return columns
}

func (p Projection) most() int {
	if p.Written != nil {
		return len(p.Written)
	}
	return p.Schema.NumFields()
}

// Write returns the projection to the columns of the keys and some others. Only the latter are written, in their order.
func (p Projection) Write(columns []int) Projection {
	read := append(p.KeyColumns(), columns...)
	slices.Sort(read)
	read = slices.Compact(read)
	written := p.Pick(read)
	written.Written = make([]int, len(columns))
	for i, c := range columns {
		written.Written[i] = slices.Index(read, c)
	}
	return written
}

// Partition returns the projection whose first keys are on the columns of partitions. Further keys on these columns are
// left out: all rows of a partition tie by them.
func (p Projection) Partition(partitions int) Projection {
	p.Partitions = partitions
	columns := p.PartitionColumns()
	keys := slices.Clone(p.Keys[:partitions])
	for _, key := range p.Keys[partitions:] {
		if !slices.Contains(columns, ColumnOf(p.Schema, key)) {
			keys = append(keys, key)
		}
	}
	p.Keys = keys
	return p
}

// PartitionColumns returns the columns of Schema that name the folders of the output.
func (p Projection) PartitionColumns() (columns []int) {
	for _, key := range p.Keys[:p.Partitions] {
		columns = append(columns, ColumnOf(p.Schema, key))
	}
	return columns
}

// SortedBy returns the projection with a further column, the key, which is neither read nor written: rows get it after
// they are read.
func (p Projection) SortedBy(column arrow.Field) Projection {
	n := p.Schema.NumFields()
	if p.Written == nil {
		p.Written = make([]int, n)
		for i := range p.Written {
			p.Written[i] = i
		}
	}
	p.Schema, p.types = WithColumn(p.Schema, column), WithColumn(p.types, column)
	p.Keys = []arrowsort.Key{{At: arrowsort.Column(n)}}
	return p
}

// WithColumn returns a schema with a further column.
func WithColumn(schema *arrow.Schema, column arrow.Field) *arrow.Schema {
	meta := schema.Metadata()
	return arrow.NewSchema(append(slices.Clone(schema.Fields()), column), &meta)
}

// KeepText returns the projection that reads CSV as text, for an output that is CSV: 2.50 stays 2.50. Keys are read
// with their types, too, in further columns that are not written.
func (p Projection) KeepText() Projection {
	columns := p.KeyColumns()
	verbatim, typed := p.csv.Verbatim(columns)
	kept := Projection{Schema: verbatim.Arrow(), all: verbatim.Arrow(), csv: verbatim, Keys: slices.Clone(p.Keys),
		Partitions: p.Partitions}
	types := slices.Clone(kept.Schema.Fields())
	copy(types, p.Schema.Fields())
	kept.types = arrow.NewSchema(types, nil)
	for i := range p.Schema.NumFields() {
		kept.Written = append(kept.Written, i)
	}
	for i, key := range p.Keys {
		if at := ColumnOf(p.Schema, key); at >= 0 {
			kept.Keys[i].Path, kept.Keys[i].At = "", arrowsort.Column(typed[slices.Index(columns, at)])
		}
	}
	return kept
}

// WrittenSchema returns the schema of the columns that are written, with their types even if written as text.
func (p Projection) WrittenSchema() *arrow.Schema { return arraydata.Pick(p.types, p.Written) }

// Memory returns about how many bytes a dataset's rows take.
func (p Projection) Memory(d *Dataset) int64 {
	if p.csv != nil {
		return p.csv.Bytes()
	}
	return d.Memory
}

// in returns the columns of a file to read, nil for all. The file has columns of the same names in any order; in the
// same order if names are not unique.
func (p Projection) in(schema *arrow.Schema) []int {
	if p.columns == nil || ColumnsEqual(p.all, schema) {
		return p.columns
	}
	var columns []int
	for _, c := range p.columns {
		columns = append(columns, schema.FieldIndices(p.all.Field(c).Name)...)
	}
	return columns
}

// WrittenKey returns a key as the metadata of the output name it: by its path, or by the position of its column among
// those that are written where the path would be read as a position, or is written twice. It returns false where the
// column is not written, of a field of one that is written twice, and of keys that go by row numbers.
func (p Projection) WrittenKey(key arrowsort.Key) (arrowsort.Key, bool) {
	column := ColumnOf(p.Schema, key)
	at, again := column, false
	if p.Written != nil {
		at = slices.Index(p.Written, column)
		again = at >= 0 && slices.Contains(p.Written[at+1:], column)
	}
	if again && key.Path != "" && !p.Schema.HasField(key.Path) {
		return key, false
	}
	position := strings.HasPrefix(key.Path, "#") && p.Schema.HasField(key.Path) // a column named "#1"
	if key.Path == "" || position || again {
		key.Path, key.At = "", arrowsort.Column(at)
	}
	return key, at >= 0
}

// ColumnOf returns the column of a key in a schema with it, -1 of a key that goes by row numbers.
func ColumnOf(schema *arrow.Schema, key arrowsort.Key) int {
	if key.Function.IsRandom() {
		return -1
	}
	columns := adapter.OfSchema(schema)
	found, err := keypath.Find(&columns, 0, keypath.Of(key.Path, key.At, 0, 0, "", ""))
	if err != nil {
		at, _ := key.At.Index()
		return at
	}
	return found.Path[0]
}
