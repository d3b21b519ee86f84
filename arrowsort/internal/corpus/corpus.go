// Package corpus has small files by other writers, and what these say that the files hold. Folder make has the programs
// that wrote them.
package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"
)

// A File is a file of the corpus.
type File struct {
	Path    string
	Name    string // WRITER/TABLE.VARIANT.EXTENSION
	Columns []Column

	InParquet []Column // the same after it was written to Parquet, but for views and the indices of dictionaries
}

// A Column is what the writer says of a column. The type of a column that cannot be null ends with an exclamation mark.
type Column struct {
	Name, Type string
	Values     []string // as arrowtest.Values
}

// Unsupported reports whether the file has a type that cannot be read, in a column named column.
func (f *File) Unsupported() bool { return strings.Contains(f.Name, ".unsupported.") }

// Files are all files of the corpus, or those with one of some extensions.
func Files(t testing.TB, extensions ...string) (files []File) {
	t.Helper()
	folder := testdata(t)
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	require.NoError(t, err)
	for _, path := range paths {
		extension := filepath.Ext(path)
		if extension == ".json" || len(extensions) > 0 && !slices.Contains(extensions, extension[1:]) {
			continue
		}
		name, err := filepath.Rel(folder, path)
		require.NoError(t, err)
		file := File{Path: path, Name: filepath.ToSlash(name)}
		if !file.Unsupported() {
			file.Columns = describe(t, path)
			file.InParquet = describe(t, strings.TrimSuffix(path, extension)+".parquet")
		}
		files = append(files, file)
	}
	require.NotEmpty(t, files)
	return files
}

// testdata is the folder of the corpus, found from the folder of the test: -trimpath leaves no path in a binary.
func testdata(t testing.TB) string {
	at, err := filepath.Abs(".")
	require.NoError(t, err)
	for {
		folder := filepath.Join(at, "arrowsort", "internal", "corpus", "testdata")
		if _, err := os.Stat(folder); err == nil {
			return folder
		}
		require.NotEqual(t, filepath.Dir(at), at, "the repository's folder was not found")
		at = filepath.Dir(at)
	}
}

// describe reads the description of a file: TABLE.json, and columns that differ from TABLE.EXTENSION.json and
// TABLE.VARIANT.json.
func describe(t testing.TB, path string) (columns []Column) {
	folder, name := filepath.Split(path)
	parts := strings.Split(name, ".")
	table, variant, extension := folder+parts[0], parts[1], parts[2]
	columns = read(t, table+".json")
	for _, name := range []string{table + "." + extension + ".json", table + "." + variant + ".json"} {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		for _, column := range read(t, name) {
			at := slices.IndexFunc(columns, func(c Column) bool { return c.Name == column.Name })
			columns[at] = column
		}
	}
	return columns
}

func read(t testing.TB, path string) (columns []Column) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &columns), path)
	return columns
}

// TypeName is the type of a field as descriptions name it.
func TypeName(f arrow.Field) string {
	name := typeName(f.Type)
	if !f.Nullable {
		name += "!"
	}
	return name
}

func typeName(typ arrow.DataType) string {
	switch typ := typ.(type) {
	case arrow.ExtensionType:
		return typeName(typ.StorageType())
	case *arrow.MapType:
		return "map<" + typeName(typ.KeyType()) + "," + TypeName(typ.ItemField()) + ">"
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("fixed_size_list<%s>[%d]", TypeName(typ.ElemField()), typ.Len())
	case *arrow.LargeListType:
		return "large_list<" + TypeName(typ.ElemField()) + ">"
	case arrow.ListLikeType:
		return "list<" + TypeName(typ.ElemField()) + ">"
	case *arrow.StructType:
		var fields []string
		for _, f := range typ.Fields() {
			fields = append(fields, f.Name+":"+TypeName(f))
		}
		return "struct<" + strings.Join(fields, ",") + ">"
	case *arrow.DictionaryType:
		return "dictionary<" + typeName(typ.IndexType) + "," + typeName(typ.ValueType) + ">"
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("fixed_size_binary[%d]", typ.ByteWidth)
	}
	return typ.String()
}
