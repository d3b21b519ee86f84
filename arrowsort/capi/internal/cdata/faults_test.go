//go:build capi

package cdata

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

func firstChild(a *Array) *Array { return *a.children }

func bufferOf(a *Array, i int) *unsafe.Pointer {
	return &unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(a.buffers)), i+1)[i]
}

// TestArraysThatDoNotFitTheirTypeAreErrors, and are released once.
func TestArraysThatDoNotFitTheirTypeAreErrors(t *testing.T) {
	i8 := arrow.PrimitiveTypes.Int8
	text, list := arrow.BinaryTypes.String, arrow.ListOf(i8)
	dictionary := &arrow.DictionaryType{IndexType: i8, ValueType: text}
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, i8)
	fixed, row := arrow.FixedSizeListOf(3, i8), arrow.StructOf(arrow.Field{Name: "x", Type: i8})
	for name, test := range map[string]struct {
		typ    arrow.DataType
		values string
		spoil  func(a *Array)
		as     arrow.DataType // what it is taken for; nil: its type
	}{
		"negative length":      {i8, `[1]`, func(a *Array) { a.length = -1 }, nil},
		"negative offset":      {i8, `[1]`, func(a *Array) { a.offset = -1 }, nil},
		"huge length":          {i8, `[1]`, func(a *Array) { a.length = math.MaxInt64 }, nil},
		"huge length of text":  {text, `["a"]`, func(a *Array) { a.length = math.MaxInt64/2 - 1 }, nil},
		"more nulls than rows": {i8, `[1]`, func(a *Array) { a.null_count = 2 }, nil},
		"nulls below -1":       {i8, `[1]`, func(a *Array) { a.null_count = -2 }, nil},
		"nulls without bitmap": {i8, `[1]`, func(a *Array) { *bufferOf(a, 0) = nil; a.null_count = 1 }, nil},
		"no values":            {i8, `[1]`, func(a *Array) { *bufferOf(a, 1) = nil }, nil},
		"no buffers":           {i8, `[1]`, func(a *Array) { a.n_buffers = 0 }, nil},
		"negative buffers":     {i8, `[1]`, func(a *Array) { a.n_buffers = -2 }, nil},
		"null buffers":         {i8, `[1]`, func(a *Array) { a.buffers = nil }, nil},
		"too many buffers":     {i8, `[1]`, func(*Array) {}, text},
		"too few buffers":      {text, `["a"]`, func(*Array) {}, i8},
		"text without bytes":   {text, `["a"]`, func(a *Array) { *bufferOf(a, 2) = nil }, nil},
		"text without offsets": {text, `["a"]`, func(a *Array) { *bufferOf(a, 1) = nil }, nil},
		"falling offsets":      {text, `["a","b"]`, func(a *Array) { setOffset(a, 2, -5) }, nil},
		"child too short":      {list, `[[1],[2]]`, func(a *Array) { setOffset(a, 2, 99) }, nil},
		"child missing":        {list, `[[1],[2]]`, func(a *Array) { a.n_children = 0 }, nil},
		"null children":        {list, `[[1],[2]]`, func(a *Array) { a.children = nil }, nil},
		"null child":           {list, `[[1],[2]]`, func(a *Array) { *a.children = nil }, nil},
		"field too short":      {row, `[{"x":1}]`, func(a *Array) { firstChild(a).length = 0 }, nil},
		"elements too few":     {fixed, `[[1,2,3]]`, func(a *Array) { firstChild(a).length = 2 }, nil},
		"faulty child":         {list, `[[1],[2]]`, func(a *Array) { firstChild(a).n_buffers = 1 }, nil},
		"no dictionary":        {i8, `[1]`, func(*Array) {}, dictionary},
		"runs too short":       {runs, `[1,1,2]`, func(a *Array) { a.length = 4 }, nil},
		"another type":         {list, `[[1],[2]]`, func(*Array) {}, row},
		"views without sizes": {arrow.BinaryTypes.StringView, `["a text that is not in its view"]`,
			func(a *Array) { *bufferOf(a, 3) = nil }, nil},
	} {
		mem := memory.NewCheckedAllocator(new(Memory))
		values := arrowtest.FromJSON(t, test.typ, test.values)
		var c Array
		released := 0
		counted := &counting{ArrayData: values.Data(), released: &released}
		require.NoError(t, ExportArray(counted, &c), name)
		test.spoil(&c)
		as := test.as
		if as == nil {
			as = test.typ
		}
		_, err := ImportArray(&c, as)
		require.ErrorIs(t, err, errkind.ErrOption, name)
		require.Regexp(t, `array of type `, err.Error(), name)
		require.Nil(t, c.release, name)
		require.Equal(t, 1, released, name)
		mem.AssertSize(t, 0)
	}
}

func setOffset(a *Array, i int, to int32) {
	copyOf := make([]int32, i+1) // the buffer may be one of Go that others share
	copy(copyOf, unsafe.Slice((*int32)(*bufferOf(a, 1)), i+1))
	copyOf[i] = to
	block := new(Memory).Allocate(4 * (i + 1))
	copy(unsafe.Slice((*int32)(unsafe.Pointer(&block[0])), i+1), copyOf)
	*bufferOf(a, 1) = unsafe.Pointer(&block[0])
	leaked = append(leaked, block)
}

// leaked are the blocks of setOffset, which a spoilt array does not release.
var leaked [][]byte

// counting is data that counts its releases.
type counting struct {
	arrow.ArrayData
	released *int
}

func (c *counting) Retain() {}

func (c *counting) Release() { *c.released++ }

func TestStructuresThatWereReleasedAreErrors(t *testing.T) {
	_, err := ImportArray(new(Array), arrow.Null)
	require.ErrorIs(t, err, errkind.ErrOption)
	_, err = ImportArray(nil, arrow.Null)
	require.ErrorIs(t, err, errkind.ErrOption)
	_, err = ImportField(new(Schema))
	require.ErrorIs(t, err, errkind.ErrOption)
	_, err = ImportField(nil)
	require.ErrorIs(t, err, errkind.ErrOption)
	_, err = Import(new(Stream))
	require.ErrorIs(t, err, errkind.ErrOption)
	_, err = Import(nil)
	require.ErrorIs(t, err, errkind.ErrOption)
	require.ErrorIs(t, LastError(nil), errkind.ErrOption)
}

func TestASchemaThatHoldsItselfIsAnError(t *testing.T) {
	var c Schema
	list := arrow.Field{Name: "a", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}
	require.NoError(t, ExportField(list, &c))
	defer ReleaseSchema(&c)
	was := *c.children
	*c.children = &c
	_, err := ImportField(&c)
	require.ErrorIs(t, err, errkind.ErrUnsupported)
	*c.children = was
}

// TestBuffersOfArraysWithoutRowsMayBeNull, and those without nulls may not say how many they have.
func TestBuffersOfArraysWithoutRowsMayBeNull(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		if strings.Contains(typ.String(), "extension") {
			continue // an array of C has the type of its storage
		}
		empty := arraydata.Nulls(memory.DefaultAllocator, typ, 0)
		var c Array
		require.NoError(t, ExportArray(empty.Data(), &c))
		for i := range int(c.n_buffers) {
			*bufferOf(&c, i) = nil
		}
		c.null_count, c.offset = -1, 3
		if typ.ID() == arrow.NULL {
			c.null_count = 0
		}
		data, err := ImportArray(&c, typ)
		require.NoError(t, err, typ)
		values := array.MakeFromData(data)
		data.Release()
		require.Zero(t, values.Len())
		require.Zero(t, values.NullN())
		values.Release()
	}
}

// A stub is a source of arrays of int8 that fails at last.
type stub struct {
	arrays   int
	err      error
	panics   bool
	released *int
}

func (s *stub) Field() arrow.Field { return arrow.Field{Name: "", Type: arrow.PrimitiveTypes.Int8} }

func (s *stub) Next() (arrow.ArrayData, error) {
	if s.arrays == 0 {
		if s.panics {
			s.panics = false // the stream does not ask again
			panic("out of order")
		}
		return nil, s.err
	}
	s.arrays--
	return array.NewData(s.Field().Type, 1, []*memory.Buffer{nil, memory.NewBufferBytes([]byte{7})}, nil, 0, 0), nil
}

func (s *stub) Release() { *s.released++ }

func TestStreamsEndOrFailInTheMiddle(t *testing.T) {
	broken := errors.New("the disk is on fire")
	for _, source := range []stub{{arrays: 3}, {arrays: 2, err: broken}, {err: broken}, {arrays: 1, panics: true}} {
		released := 0
		source.released = &released
		var c Stream
		fails := source.err != nil || source.panics
		want := source.arrays
		require.NoError(t, Export(&source, &c))
		r, err := Import(&c)
		require.NoError(t, err)
		require.Nil(t, c.release)
		for range want {
			data, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, byte(7), data.Buffers()[1].Bytes()[0])
			data.Release()
		}
		for range 2 { // an error stays, and so does the end
			data, err := r.Next()
			require.Nil(t, data)
			if !fails {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, ErrStream)
			require.Error(t, LastError(r.stream))
			if source.err != nil {
				require.ErrorIs(t, LastError(r.stream), broken)
				require.ErrorContains(t, err, "the disk is on fire")
			} else {
				require.ErrorIs(t, LastError(r.stream), ErrPanic)
				require.ErrorContains(t, err, "out of order")
			}
		}
		r.Retain()
		r.Release()
		require.Zero(t, released)
		r.Release()
		require.Equal(t, 1, released)
	}
}
