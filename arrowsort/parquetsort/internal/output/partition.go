package output

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// Partitions name the folder of a row by its values of some columns, as Hive does: origin=ORD/year=2001. The escapes of
// values and names are those of Hive's FileUtils.escapePathName.
type Partitions struct {
	columns []int
	names   []string // of the columns
}

// nullPartition is the value that stands for null in the name of a folder.
const nullPartition = "__HIVE_DEFAULT_PARTITION__"

// NewPartitions returns the partitions of tables of a schema by some of their columns, from the outer folder to the
// inner one. A column whose type or name cannot name folders is an error.
func NewPartitions(schema *arrow.Schema, columns []int) (*Partitions, error) {
	p := &Partitions{columns: columns}
	for i, c := range columns {
		f := schema.Field(c)
		switch {
		case slices.Contains(columns[:i], c):
			return nil, fmt.Errorf("%w: PartitionBy names column %q twice", errkind.ErrFileOption, f.Name)
		case f.Name == "":
			return nil, fmt.Errorf("%w: PartitionBy: column %s cannot name folders, as it has no name",
				errkind.ErrFileOption, arraydata.Label(c))
		case isHidden(f.Name):
			return nil, fmt.Errorf("%w: PartitionBy: column %q cannot name folders, as readers leave out names that "+
				"begin with _ or a dot: rename it first", errkind.ErrFileOption, f.Name)
		case !namesFolders(f.Type):
			return nil, fmt.Errorf("%w: PartitionBy: column %q of type %s cannot name folders: partition by integers, "+
				"text, booleans, dates, decimals or timestamps without a time zone, or cast it to one of these",
				errkind.ErrFileOption, f.Name, f.Type)
		}
		p.names = append(p.names, f.Name)
	}
	return p, nil
}

// namesFolders reports whether values of a type are one text each, which readers of folders turn into the same value.
func namesFolders(typ arrow.DataType) bool {
	switch typ := arraydata.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return namesFolders(typ.ValueType)
	case *arrow.TimestampType:
		return typ.TimeZone == ""
	default:
		id := typ.ID()
		return arrow.IsInteger(id) || arrow.IsDecimal(id) || slices.Contains([]arrow.Type{arrow.BOOL, arrow.STRING,
			arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.DATE32, arrow.DATE64}, id)
	}
}

// Of returns the names of the folders of a table's rows.
func (p *Partitions) Of(table arrow.Table) extsort.PartNames {
	values := make([]func(row int64) (string, error), len(p.columns))
	for i, c := range p.columns {
		values[i] = valuesOf(table.Column(c).Data())
	}
	return func(row int64) (string, error) {
		var path strings.Builder
		for i, value := range values {
			text, err := value(row)
			if err != nil {
				return "", fmt.Errorf("%w: column %q: %w", errkind.ErrFileOption, p.names[i], err)
			}
			if i > 0 {
				path.WriteRune(filepath.Separator)
			}
			path.WriteString(escapePath(p.names[i]) + "=" + text)
		}
		return path.String(), nil
	}
}

// valuesOf returns the function that names a value of a column in a folder.
func valuesOf(column *arrow.Chunked) func(row int64) (string, error) {
	chunks, text := column.Chunks(), make([]func(row int) string, len(column.Chunks()))
	ends := make([]int64, len(chunks))
	end := int64(0)
	for i, c := range chunks {
		end += int64(c.Len())
		ends[i] = end
	}
	return func(row int64) (string, error) {
		i := sort.Search(len(ends), func(i int) bool { return row < ends[i] })
		chunk, at := chunks[i], int(row-ends[i])+chunks[i].Len()
		if arraydata.IsNull(chunk, at) {
			return nullPartition, nil
		}
		if text[i] == nil {
			text[i] = valuetext.Formatter(chunk)
		}
		return partitionValue(chunk.DataType(), text[i](at))
	}
}

// partitionValue returns the text of a value as it is in the name of a folder. Text that readers would take for null,
// or could not read, is an error, and so are dates outside of the years that have four digits.
func partitionValue(typ arrow.DataType, text string) (string, error) {
	switch {
	case isDay(typ) && (strings.IndexByte(text, '-') != 4):
		return "", fmt.Errorf("%s is outside of the years 0 to 9999, which the names of folders can have", text)
	case isDay(typ):
		return escapePath(strings.Replace(text, "T", " ", 1)), nil
	case text == nullPartition:
		return "", fmt.Errorf("the text %s stands for null in the names of folders: replace it first", text)
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%q is no UTF-8 text, and cannot be in the name of a folder", text)
	case strings.ContainsRune(text, 0):
		return "", errors.New("text with a zero byte cannot be in the name of a folder")
	}
	return escapePath(text), nil
}

// isDay reports whether values of a type are texts that begin with a year.
func isDay(typ arrow.DataType) bool {
	typ = arraydata.Storage(typ)
	if d, ok := typ.(*arrow.DictionaryType); ok {
		return isDay(d.ValueType)
	}
	return slices.Contains([]arrow.Type{arrow.DATE32, arrow.DATE64, arrow.TIMESTAMP}, typ.ID())
}

// escaped are the characters that Hive escapes in the names of folders, besides those below the space.
const escaped = "\"#%'*/:=?\\\x7f{[]^"

// escapePath returns a name or value of a column as Hive writes it in the name of a folder: as %2F for a slash.
func escapePath(text string) string {
	var path strings.Builder
	for i := range len(text) {
		if c := text[i]; c < ' ' || strings.IndexByte(escaped, c) >= 0 {
			fmt.Fprintf(&path, "%%%02X", c)
		} else {
			path.WriteByte(c)
		}
	}
	return path.String()
}

// partitionFolders are the folders of the partitions of an output.
type partitionFolders struct {
	tree *atomicfile.Tree // nil: there are no partitions, or it was not begun
	name string           // of the last folder, below the output; empty: there is none yet
	at   string           // where its files are written
}

// Prepare keeps other sorts out of the folder of partitions, before the rows are sorted.
func (f *Files) Prepare() (err error) {
	if f.content.Partitions != nil {
		f.folders.tree, err = atomicfile.NewTree(f.Path, f.Overwrite)
	}
	return err
}

// enter makes the folder of the rows of a table, unless it is the last one.
func (f *partitionFolders) enter(p *Partitions, table arrow.Table) (entered bool, err error) {
	name, err := p.Of(table)(0)
	if err != nil || name == f.name {
		return false, err
	}
	if f.at, err = f.tree.Folder(name); err != nil {
		return false, err
	}
	f.name = name
	return true, nil
}

// file returns the name of a file of the last folder, by its number, and where it is written.
func (f *partitionFolders) file(t *Target, number int) (path, at string) {
	ext := t.Write.Format.String()
	if t.Write.Format == tablefile.CSV && t.Write.Delimiter == '\t' {
		ext = "tsv" // which is read without --delimiter
	}
	name := fmt.Sprintf("part-%05d.%s", number, ext)
	return filepath.Join(t.Path, f.name, name), filepath.Join(f.at, name)
}
