//go:build capi

package cdata

// #include "abi.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

const (
	flagOrdered    = C.ARROW_FLAG_DICTIONARY_ORDERED
	flagNullable   = C.ARROW_FLAG_NULLABLE
	flagKeysSorted = C.ARROW_FLAG_MAP_KEYS_SORTED
)

// deepest is the depth of nesting above which a schema is refused: one that refers to itself would never end.
const deepest = 64

// ImportField returns the field that a schema describes. The schema is borrowed. Extension types are their storage with
// the metadata that names them.
func ImportField(schema *Schema) (arrow.Field, error) { return importField(schema, 0) }

func importField(s *Schema, depth int) (f arrow.Field, err error) {
	switch {
	case s == nil:
		return f, fmt.Errorf("%w: a schema is NULL", errkind.ErrOption)
	case s.release == nil:
		return f, fmt.Errorf("%w: a schema was released already", errkind.ErrOption)
	case s.format == nil:
		return f, fmt.Errorf("%w: a schema has no format", errkind.ErrOption)
	case s.n_children < 0 || s.n_children > 0 && s.children == nil:
		return f, fmt.Errorf("%w: a schema has %d children that are NULL", errkind.ErrOption, s.n_children)
	case depth > deepest:
		return f, fmt.Errorf("%w: a schema is nested deeper than %d levels", errkind.ErrUnsupported, deepest)
	}
	if s.name != nil {
		f.Name = C.GoString(s.name)
	}
	defer func() {
		if err != nil && f.Name != "" {
			err = fmt.Errorf("field %q: %w", f.Name, err)
		}
	}()
	if f.Metadata, err = importMetadata(unsafe.Pointer(s.metadata)); err != nil {
		return f, err
	}
	f.Nullable = s.flags&flagNullable != 0
	children := make([]arrow.Field, int(s.n_children))
	for i, child := range unsafe.Slice(s.children, int(s.n_children)) {
		if children[i], err = importField(child, depth+1); err != nil {
			return f, err
		}
	}
	if f.Type, err = typeOf(C.GoString(s.format), int64(s.flags), children); err != nil || s.dictionary == nil {
		return f, err
	}
	if !arrow.IsInteger(f.Type.ID()) {
		return f, fmt.Errorf("%w: a dictionary has indices of type %s", errkind.ErrOption, f.Type)
	}
	entries, err := importField(s.dictionary, depth+1)
	f.Type = &arrow.DictionaryType{IndexType: f.Type, ValueType: entries.Type, Ordered: s.flags&flagOrdered != 0}
	return f, err
}

// importMetadata reads metadata: the number of pairs, then for each key and value its number of bytes and the bytes.
func importMetadata(at unsafe.Pointer) (none arrow.Metadata, err error) {
	if at == nil {
		return none, nil
	}
	number := func() (n int, err error) {
		if n = int(int32(binary.NativeEndian.Uint32(unsafe.Slice((*byte)(at), 4)))); n < 0 {
			return 0, fmt.Errorf("%w: metadata with a size of %d", errkind.ErrOption, n)
		}
		at = unsafe.Add(at, 4)
		return n, nil
	}
	pairs, err := number()
	var texts [2][]string // keys and values
	for i := 0; i < 2*pairs && err == nil; i++ {
		var n int
		if n, err = number(); err == nil {
			texts[i%2] = append(texts[i%2], string(unsafe.Slice((*byte)(at), n)))
			at = unsafe.Add(at, n)
		}
	}
	if err != nil {
		return none, err
	}
	return arrow.NewMetadata(texts[0], texts[1]), nil
}

func exportMetadata(m arrow.Metadata) (b []byte) {
	if m.Len() == 0 {
		return nil
	}
	b = binary.NativeEndian.AppendUint32(b, uint32(m.Len()))
	for i, key := range m.Keys() {
		for _, text := range []string{key, m.Values()[i]} {
			b = append(binary.NativeEndian.AppendUint32(b, uint32(len(text))), text...)
		}
	}
	return b
}

// ExportField makes a schema of a field. The schema must be zeroed; it is so after an error too.
func ExportField(f arrow.Field, out *Schema) error {
	err := exportField(f, out)
	if err != nil {
		C.cdata_schema_release(out)
		*out = Schema{}
	}
	return err
}

// exportField makes a schema whose children may be missing after an error.
func exportField(f arrow.Field, out *Schema) error {
	if ext, ok := f.Type.(arrow.ExtensionType); ok {
		f.Type = ext.StorageType()
		f.Metadata = withExtension(f.Metadata, ext)
	}
	format, err := formatOf(f.Type)
	if err != nil {
		return fmt.Errorf("field %q: %w", f.Name, err)
	}
	if strings.Contains(f.Name, "\x00") {
		return fmt.Errorf("%w: field %q: in the Arrow C Data Interface names end at a zero byte",
			errkind.ErrUnsupported, f.Name)
	}
	var children []arrow.Field
	if nested, ok := f.Type.(arrow.NestedType); ok {
		children = nested.Fields()
	}
	dictionary, isDictionary := f.Type.(*arrow.DictionaryType)
	metadata := exportMetadata(f.Metadata)
	formatC, nameC := []byte(format+"\x00"), []byte(f.Name+"\x00")
	if C.cdata_schema_init(out, (*C.char)(unsafe.Pointer(&formatC[0])), (*C.char)(unsafe.Pointer(&nameC[0])),
		unsafe.Pointer(unsafe.SliceData(metadata)), C.size_t(len(metadata)), C.int64_t(len(children)),
		boolean(isDictionary)) != 0 {
		return fmt.Errorf("%w: for a schema", errkind.ErrMemory)
	}
	if f.Nullable {
		out.flags |= flagNullable
	}
	if m, ok := f.Type.(*arrow.MapType); ok && m.KeysSorted {
		out.flags |= flagKeysSorted
	}
	for i, child := range unsafe.Slice(out.children, len(children)) {
		if err := exportField(children[i], child); err != nil {
			return err
		}
	}
	if isDictionary {
		if dictionary.Ordered {
			out.flags |= flagOrdered
		}
		return exportField(arrow.Field{Type: dictionary.ValueType, Nullable: true}, out.dictionary)
	}
	return nil
}

func boolean(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// withExtension adds the name and the parameters of an extension type to the metadata of its field.
func withExtension(m arrow.Metadata, ext arrow.ExtensionType) arrow.Metadata {
	keys, values := m.Keys(), m.Values()
	keys = append(keys[:len(keys):len(keys)], "ARROW:extension:name", "ARROW:extension:metadata")
	values = append(values[:len(values):len(values)], ext.ExtensionName(), ext.Serialize())
	return arrow.NewMetadata(keys, values)
}

// ReleaseSchema releases a schema, unless it is released already.
func ReleaseSchema(schema *Schema) { C.cdata_schema_release(schema) }
