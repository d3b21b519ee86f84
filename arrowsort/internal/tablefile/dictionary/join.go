package dictionary

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// joined are several dictionaries as one.
type joined struct {
	entries arrow.Array
	places  [][]int // by dictionary, where its entries are; nil: where they were
}

// joinDictionaries makes one dictionary of several. Equal texts and numbers become one entry.
func joinDictionaries(mem memory.Allocator, typ arrow.DataType, values []arrow.ArrayData) (joined, error) {
	arrays := make([]arrow.Array, len(values))
	for i, d := range values {
		arrays[i] = array.MakeFromData(d)
		defer arrays[i].Release()
	}
	if equalDictionaries(arrays) {
		arrays[0].Retain()
		return joined{entries: arrays[0], places: make([][]int, len(arrays))}, nil
	}
	switch typ.ID() {
	case arrow.LARGE_STRING, arrow.LARGE_BINARY, arrow.STRING_VIEW, arrow.BINARY_VIEW:
		return joinTexts(mem, typ, arrays), nil
	case arrow.NULL, arrow.BOOL, arrow.DICTIONARY, arrow.EXTENSION:
		return joinAll(mem, arrays)
	}
	if _, nested := typ.(arrow.NestedType); nested {
		return joinAll(mem, arrays)
	}
	return joinEqual(mem, typ, arrays)
}

func equalDictionaries(arrays []arrow.Array) bool {
	for i, a := range arrays[1:] {
		if a.Data() != arrays[i].Data() && !array.Equal(arrays[i], a) {
			return false
		}
	}
	return true
}

// joinAll concatenates dictionaries.
func joinAll(mem memory.Allocator, arrays []arrow.Array) (j joined, err error) {
	start := 0
	for _, a := range arrays {
		places := make([]int, a.Len())
		for i := range places {
			places[i] = start + i
		}
		start += len(places)
		j.places = append(j.places, places)
	}
	j.entries, err = array.Concatenate(arrays, mem)
	return j, err
}

// joinEqual joins dictionaries whose equal entries Arrow finds.
func joinEqual(mem memory.Allocator, typ arrow.DataType, arrays []arrow.Array) (j joined, err error) {
	unifier, err := array.NewDictionaryUnifier(mem, typ)
	if err != nil {
		return j, err
	}
	defer unifier.Release()
	for _, a := range arrays {
		b, err := unifier.UnifyAndTranspose(a)
		if err != nil {
			return j, err
		}
		places := make([]int, a.Len())
		for i, place := range arrow.Int32Traits.CastFromBytes(b.Bytes()) {
			places[i] = int(place)
		}
		b.Release()
		j.places = append(j.places, places)
	}
	j.entries, err = unifier.GetResultWithIndexType(arrow.PrimitiveTypes.Int64)
	return j, err
}

// joinTexts joins dictionaries of strings or bytes of a type that Arrow cannot join.
func joinTexts(mem memory.Allocator, typ arrow.DataType, arrays []arrow.Array) (j joined) {
	b := array.NewBuilder(mem, typ)
	defer b.Release()
	placeOf, null := map[string]int{}, -1
	for _, a := range arrays {
		places := make([]int, a.Len())
		for i := range places {
			if a.IsNull(i) {
				if null < 0 {
					null = b.Len()
					b.AppendNull()
				}
				places[i] = null
				continue
			}
			text := entryAt(a, i)
			place, found := placeOf[text]
			if !found {
				place = b.Len()
				placeOf[text] = place
				appendEntry(b, text)
			}
			places[i] = place
		}
		j.places = append(j.places, places)
	}
	j.entries = b.NewArray()
	return j
}

func entryAt(a arrow.Array, i int) string {
	switch a := a.(type) {
	case interface{ Value(int) string }:
		return a.Value(i)
	case interface{ Value(int) []byte }:
		return string(a.Value(i))
	}
	panic("dictionary: an array without texts")
}

func appendEntry(b array.Builder, text string) {
	switch b := b.(type) {
	case interface{ Append(string) }:
		b.Append(text)
	case interface{ Append([]byte) }:
		b.Append([]byte(text))
	default:
		panic("dictionary: a builder without texts")
	}
}
