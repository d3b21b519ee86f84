package ipc

import (
	"fmt"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// Members of the union Type of the Arrow format, as far as the checks differ.
const (
	typeInt           = 2
	typeDecimal       = 7
	typeInterval      = 11
	typeUnion         = 14
	typeFixedSizeList = 16
	typeMap           = 17
	typeRunEndEncoded = 22
	typeBinaryView    = 23
	typeStringView    = 24
	lastType          = 26 // LargeListView; the Arrow library does not have what the format gained later
)

// Field numbers of the tables that describe a type in Schema.fbs, and what they are by default.
const (
	intBits, intSigned                             = 0, 1
	encodingID, encodingIndexType                  = 0, 1
	decimalPrecision, decimalScale, decimalBits    = 0, 1, 2
	listSize                                       = 0
	defaultIntBits, defaultDecimalBits             = 0, 128
	narrowestDecimal, widestDecimal, widestInteger = 128, 256, 64
)

// supported refuses a column whose type the Arrow library does not have, or reads wrongly.
func (c *flatChecker) supported(field int, name string) error {
	kind, typ := c.byte(field, fieldTypeType), c.table(field, fieldType)
	if kind == 0 || typ == 0 {
		return errkind.Corrupt("column %q has no type", name)
	}
	if unknown := c.unknownType(kind, typ); unknown != "" {
		return errkind.Unsupported("column %q: type %s", name, unknown)
	}
	if c.bigEndian && kind >= typeRunEndEncoded { // Arrow leaves their bytes as they are
		names := [...]string{"run_end_encoded", "binary_view", "string_view", "list_view", "large_list_view"}
		return errkind.Unsupported("column %q: type %s in big-endian byte order", name, names[kind-typeRunEndEncoded])
	}
	for _, child := range c.tables(field, fieldChildren) {
		if (kind == typeRunEndEncoded || kind == typeMap) && c.isDescribed(child) {
			return errkind.Unsupported("column %q: metadata, such as an extension type, of the values of runs or of "+
				"the entries of a map", name)
		}
	}
	encoding := c.table(field, fieldDictionary)
	if encoding == 0 {
		return nil
	}
	index := c.table(encoding, encodingIndexType)
	if index == 0 {
		return errkind.Unsupported("column %q: type dictionary without a type of its indices", name)
	}
	if unknown := c.unknownType(typeInt, index); unknown != "" {
		return errkind.Unsupported("column %q: type dictionary with indices of type %s", name, unknown)
	}
	// Arrow reads dictionaries as if they were of the first version of the format, where these had a validity bitmap.
	if c.holds(field, maxNesting, typeUnion, typeRunEndEncoded) {
		return errkind.Unsupported("column %q: type dictionary of unions or run-end-encoded values", name)
	}
	return nil
}

// isDescribed reports whether a field has metadata other than a number, which some writers give to all columns of a
// Parquet file: Arrow C++ reads it to metadata, that of the entries of maps too.
func (c *flatChecker) isDescribed(field int) bool {
	return slices.ContainsFunc(c.tables(field, fieldMetadata), func(pair int) bool {
		key, _ := c.text(pair, pairKey)
		return key != FieldIDKey
	})
}

// unknownType names a type that the Arrow library does not have; empty for one that it has.
func (c *flatChecker) unknownType(kind byte, typ int) string {
	switch kind {
	case typeInt:
		bits := c.int32(typ, intBits, defaultIntBits)
		if bits != 8 && bits != 16 && bits != 32 && bits != widestInteger {
			return fmt.Sprintf("%s%d", []string{"uint", "int"}[c.byte(typ, intSigned)&1], bits)
		}
	case typeDecimal:
		bits := c.int32(typ, decimalBits, defaultDecimalBits)
		if bits != narrowestDecimal && bits != widestDecimal {
			precision, scale := c.int32(typ, decimalPrecision, 0), c.int32(typ, decimalScale, 0)
			return fmt.Sprintf("decimal%d(%d, %d)", bits, precision, scale)
		}
	case typeFixedSizeList:
		if size := c.int32(typ, listSize, 0); size < 1 {
			return fmt.Sprintf("fixed_size_list[%d]", size)
		}
	}
	if kind > lastType {
		return fmt.Sprintf("number %d of the Arrow format", kind)
	}
	return ""
}

// holds reports whether a field or one inside it, down to a depth, is of one of the kinds. What does not fit its bytes
// is found elsewhere.
func (c *flatChecker) holds(field, depth int, kinds ...byte) (found bool) {
	for _, kind := range kinds {
		found = found || c.byte(field, fieldTypeType) == kind
	}
	if depth > 0 {
		_ = c.each(field, fieldChildren, func(child int) error {
			found = found || c.holds(child, depth-1, kinds...)
			return nil
		})
	}
	return found
}

// viewArrays are the numbers of arrays of string or binary views in messages of a schema.
type viewArrays struct {
	batch        int           // in a record batch
	dictionaries map[int64]int // in the entries of a dictionary, by its id
}

// viewArrays counts the arrays of views of a schema.
func (c *flatChecker) viewArrays(schema int) *viewArrays {
	views := &viewArrays{dictionaries: map[int64]int{}}
	var count func(field int) int
	count = func(field int) (n int) {
		if kind := c.byte(field, fieldTypeType); kind == typeBinaryView || kind == typeStringView {
			n++
		}
		for _, child := range c.tables(field, fieldChildren) {
			n += count(child)
		}
		if encoding := c.table(field, fieldDictionary); encoding != 0 {
			views.dictionaries[c.int64(encoding, encodingID)] = n
			return 0
		}
		return n
	}
	for _, field := range c.tables(schema, schemaFields) {
		views.batch += count(field)
	}
	return views
}

// maxNesting is the deepest schema that is read; Arrow's own readers stop at 64.
const maxNesting = 64

func (c *flatChecker) noChildren(int) error { return nil }

func (c *flatChecker) schema(table int) error {
	if err := c.each(table, schemaMetadata, c.noChildren); err != nil {
		return err
	}
	c.bigEndian = c.byte(table, schemaEndianness) != 0
	return c.each(table, schemaFields, func(field int) error { return c.field(field, "", 1) })
}

// field checks a column or, where parent is not empty, a column inside the one of that name.
func (c *flatChecker) field(table int, parent string, depth int) error {
	if depth > maxNesting {
		return errkind.Corrupt("the schema nests deeper than %d", maxNesting)
	}
	if err := c.each(table, fieldMetadata, c.noChildren); err != nil {
		return err
	}
	name, err := c.text(table, fieldName)
	if err != nil {
		return err
	}
	if parent != "" {
		name = parent + "." + name
	}
	if err := c.supported(table, name); err != nil {
		return err
	}
	if typ := c.table(table, fieldType); typ != 0 && c.byte(table, fieldTypeType) == typeUnion {
		if _, _, err := c.vector(typ, unionTypeIDs, 4); err != nil {
			return err
		}
	}
	return c.each(table, fieldChildren, func(child int) error { return c.field(child, name, depth+1) })
}
