package writer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/page"
)

// Encodings are those of the values of columns of numbers and text. The zero value tries the encodings that the
// readers in docs/parquet.md have, and takes for each column of a row group the one of the fewest bytes.
type Encodings struct {
	Compatible bool           // no others than plain and dictionary
	Columns    map[string]int // by the name of a flat column: its encoding, in place of the one that would be chosen
}

// An encodingChoice is how the encoding of the values of a column is chosen.
type encodingChoice struct {
	dictionary bool  // they may have a dictionary, where it pays
	encoding   int   // of data pages without one
	trials     []int // the encodings that are tried in place of both
}

// flatChoice returns how the encoding of a flat column is chosen: the one that is named for it, or else as for others.
func (p *properties) flatChoice(f arrow.Field, leaf int) encodingChoice {
	encoding, named := p.opts.Encodings.Columns[f.Name]
	switch {
	case named && encoding == page.RLEDictionary:
		return encodingChoice{dictionary: true}
	case named:
		return encodingChoice{encoding: encoding}
	}
	return p.choice(f.Name, leaf, trialEncodings(parquetType(f.Type)))
}

// choice returns how the encoding of a leaf column is chosen: with a dictionary if it may have one, and one of those
// that are tried.
func (p *properties) choice(path string, leaf int, trials []int) encodingChoice {
	choice := encodingChoice{dictionary: p.writer.DictionaryEnabledFor(path)}
	if !p.opts.Encodings.Compatible && !p.dictionaries[leaf] {
		choice.trials = trials
	}
	return choice
}

// appendDictionaries appends for each leaf column of a type whether the Arrow schema of a file has it as a dictionary.
// Arrow C++ reads such columns from plain values and dictionaries only.
func appendDictionaries(leaves []bool, typ arrow.DataType) []bool {
	typ = arraydata.Storage(typ)
	if nested, ok := typ.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			leaves = appendDictionaries(leaves, f.Type)
		}
		return leaves
	}
	return append(leaves, typ.ID() == arrow.DICTIONARY)
}

// The encodings that are tried: see trialEncodings.
var (
	numberTrials = []int{page.DeltaBinaryPacked}
	textTrials   = []int{page.DeltaLengthByteArray, page.DeltaByteArray}
)

// trialEncodings are the encodings that are tried for a type, the fastest to read first: those that the readers in
// docs/parquet.md have.
func trialEncodings(typ arrow.DataType) []int {
	switch typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.LARGE_STRING, arrow.LARGE_BINARY:
		return textTrials
	case arrow.INT8, arrow.INT16, arrow.UINT8, arrow.UINT16, arrow.INT32, arrow.INT64, arrow.UINT32, arrow.UINT64,
		arrow.DATE32, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION:
		return numberTrials
	}
	return nil
}

// ParseEncoding returns the number of an encoding of values by its name in parquet.thrift.
func ParseEncoding(name string) (int, error) {
	i := slices.IndexFunc(encodings, func(e int) bool { return encodingName(e) == strings.ToUpper(name) })
	if i < 0 {
		return 0, fmt.Errorf("there is no encoding %q: use %s", name, encodingNames(encodings))
	}
	return encodings[i], nil
}

// encodings are all encodings that values of some type are written in.
var encodings = []int{page.Plain, page.RLEDictionary, page.DeltaBinaryPacked, page.DeltaLengthByteArray,
	page.DeltaByteArray, page.ByteStreamSplit}

// encodingsOf returns the encodings that a type can have.
func encodingsOf(typ parquet.Type) []int {
	return slices.DeleteFunc(slices.Clone(encodings), func(e int) bool {
		return e != page.Plain && e != page.RLEDictionary && !page.Converts(e, typ)
	})
}

func encodingName(e int) string { return parquet.Encoding(e).String() }

// encodingNames lists encodings.
func encodingNames(encodings []int) string {
	var names []string
	for _, e := range encodings {
		names = append(names, encodingName(e))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// checkEncodings makes sure that the columns for which an encoding is named exist and can have it.
func (p *properties) checkEncodings(data *arrow.Schema) error {
	for _, name := range slices.Sorted(maps.Keys(p.opts.Encodings.Columns)) {
		flag := "--encoding " + name + "=" + encodingName(p.opts.Encodings.Columns[name])
		columns := data.FieldIndices(name)
		if len(columns) == 0 {
			return unsupported("%s: the output has no column %q%s", flag, name,
				nearest.Hint(arraydata.ColumnNames(data), name))
		}
		for _, column := range columns {
			if err := p.checkEncoding(flag, data.Field(column), column); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEncoding makes sure that a column can have the encoding that is named for it. flag begins errors.
func (p *properties) checkEncoding(flag string, f arrow.Field, column int) error {
	sc, err := p.columnSchema(column)
	if err != nil {
		return err
	}
	typ := sc.Column(0).PhysicalType()
	if arraydata.IsNested(f.Type) || !writesFlat(parquetType(f.Type), typ) {
		return unsupported("%s: encodings of columns of type %s cannot be named: leave it out", flag, f.Type)
	}
	if can := encodingsOf(typ); !slices.Contains(can, p.opts.Encodings.Columns[f.Name]) {
		return unsupported("%s: values of type %s are stored as %s: use %s", flag, f.Type, typ,
			encodingNames(can))
	}
	return nil
}

// unsupported returns an ErrUnsupported with a text.
func unsupported(format string, args ...any) error {
	return errkind.Reword(errkind.ErrUnsupported, fmt.Sprintf(format, args...))
}
