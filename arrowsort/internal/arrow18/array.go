package arrow18

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"
	memory15 "github.com/apache/arrow/go/v15/arrow/memory"
)

// ToArray returns an array of v18 with the buffers of one of v15. typ is the type of the array as ToSchema converts it.
// The caller releases the result; the buffers are held until then.
func ToArray(a v15.Array, typ arrow.DataType) arrow.Array {
	var dicts Dictionaries
	defer dicts.Release()
	return dicts.ToArray(a, typ)
}

// ToArray is ToArray with the dictionaries that were converted before, at every level: those that are one in v15 are
// one in v18, which otherwise would compare their values.
func (dicts *Dictionaries) ToArray(a v15.Array, typ arrow.DataType) arrow.Array {
	data := dicts.toData(a.Data(), typ)
	defer data.Release()
	return array.MakeFromData(data)
}

func (dicts *Dictionaries) toData(d v15.ArrayData, typ arrow.DataType) arrow.ArrayData {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = dicts.shared.original(b)
			defer buffers[i].Release()
		}
	}
	children, fields := make([]arrow.ArrayData, len(d.Children())), fieldsOf(typ)
	for i, c := range d.Children() {
		children[i] = dicts.toData(c, fields[i].Type)
		defer children[i].Release()
	}
	data := array.NewData(typ, d.Len(), buffers, children, d.NullN(), d.Offset())
	if dictionary, ok := storage(typ).(*arrow.DictionaryType); ok {
		entries := dicts.of(d.Dictionary(), dictionary.ValueType)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}

// ToChunked converts the chunks of a column, see ToArray.
func ToChunked(rows *v15.Chunked, typ arrow.DataType) *arrow.Chunked {
	var dicts Dictionaries
	defer dicts.Release()
	return dicts.ToChunked(rows, typ)
}

// ToChunked is ToChunked with the dictionaries that were converted before.
func (dicts *Dictionaries) ToChunked(rows *v15.Chunked, typ arrow.DataType) *arrow.Chunked {
	chunks := make([]arrow.Array, len(rows.Chunks()))
	for i, c := range rows.Chunks() {
		chunks[i] = dicts.ToArray(c, typ)
		defer chunks[i].Release()
	}
	return arrow.NewChunked(typ, chunks)
}

// FromArray returns an array of v15 with the buffers of one of v18. typ is the type of the array as FromLayout
// converts it. The caller releases the result; the buffers are held until then.
func FromArray(a arrow.Array, typ v15.DataType) v15.Array {
	var none *BufferMap
	return none.FromArray(a, typ)
}

func (m *BufferMap) fromData(d arrow.ArrayData, typ v15.DataType) v15.ArrayData {
	buffers := make([]*memory15.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = m.share(b)
			defer buffers[i].Release()
		}
	}
	children, fields := make([]v15.ArrayData, len(d.Children())), fieldsOf15(typ)
	for i, c := range d.Children() {
		children[i] = m.fromData(c, fields[i].Type)
		defer children[i].Release()
	}
	data := array15.NewData(typ, d.Len(), buffers, children, d.NullN(), d.Offset())
	if dictionary, ok := storage15(typ).(*v15.DictionaryType); ok {
		entries := m.fromData(d.Dictionary(), dictionary.ValueType)
		defer entries.Release()
		data.SetDictionary(entries)
	}
	return data
}

func storage(typ arrow.DataType) arrow.DataType {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		return storage(ext.StorageType())
	}
	return typ
}

func storage15(typ v15.DataType) v15.DataType {
	if ext, ok := typ.(v15.ExtensionType); ok {
		return storage15(ext.StorageType())
	}
	return typ
}

// fieldsOf returns the fields of a nested type: a copy, which is made once for all children.
func fieldsOf(typ arrow.DataType) []arrow.Field {
	if nested, ok := storage(typ).(arrow.NestedType); ok {
		return nested.Fields()
	}
	return nil
}

func fieldsOf15(typ v15.DataType) []v15.Field {
	if nested, ok := storage15(typ).(v15.NestedType); ok {
		return nested.Fields()
	}
	return nil
}

// An owner is the allocator of a buffer that shares the memory of a buffer of the other version: to free the former
// is to release the latter.
type owner struct{ buffer interface{ Release() } }

func (o owner) Free([]byte) { o.buffer.Release() }

func (owner) Allocate(int) []byte { panic("a shared buffer cannot grow") }

func (owner) Reallocate(int, []byte) []byte { panic("a shared buffer cannot grow") }

// A BufferMap finds the buffer of v18 whose memory a buffer of v15 shares, so that results have the original buffers:
// data that is sorted again and again would otherwise be wrapped once more each time. The zero value is empty, and nil
// stays so.
type BufferMap struct {
	buffers map[*memory15.Buffer]*memory.Buffer
}

// FromArray is the function FromArray that adds the buffers to the map.
func (m *BufferMap) FromArray(a arrow.Array, typ v15.DataType) v15.Array {
	data := m.fromData(a.Data(), typ)
	defer data.Release()
	return array15.MakeFromData(data)
}

// Dictionaries returns Dictionaries without any yet, whose arrays have the original buffers.
func (m *BufferMap) Dictionaries() Dictionaries { return Dictionaries{shared: m} }

// share returns a buffer of v15 that shares the memory of one of v18 and holds it. The caller releases it.
func (m *BufferMap) share(b *memory.Buffer) *memory15.Buffer {
	b.Retain()
	shared := memory15.NewBufferWithAllocator(b.Bytes(), owner{b})
	if m != nil {
		if m.buffers == nil {
			m.buffers = map[*memory15.Buffer]*memory.Buffer{}
		}
		m.buffers[shared] = b
	}
	return shared
}

// original returns the buffer of v18 that was shared, or one that shares the memory of the buffer of v15 and holds it.
// The caller releases it.
func (m *BufferMap) original(b *memory15.Buffer) *memory.Buffer {
	if m != nil {
		if own, ok := m.buffers[b]; ok {
			own.Retain()
			return own
		}
	}
	b.Retain()
	return memory.NewBufferWithAllocator(b.Bytes(), owner{b})
}

// Dictionaries are dictionaries and what they were converted to. The zero value has none.
type Dictionaries struct {
	used, before map[v15.ArrayData]arrow.ArrayData // since the last call of Forget, and before it
	shared       *BufferMap                        // the buffers that results may have again; nil: none
}

// of returns the converted dictionary, which the caller releases.
func (dicts *Dictionaries) of(d v15.ArrayData, typ arrow.DataType) arrow.ArrayData {
	if dicts.used == nil {
		dicts.used = map[v15.ArrayData]arrow.ArrayData{}
	}
	converted, ok := dicts.used[d]
	if !ok {
		if converted, ok = dicts.before[d]; ok {
			delete(dicts.before, d)
		} else {
			converted = dicts.toData(d, typ)
			d.Retain() // so that no other takes its place
		}
		dicts.used[d] = converted
	}
	converted.Retain()
	return converted
}

// Forget releases the dictionaries that were not used since its last call.
func (dicts *Dictionaries) Forget() {
	for from, to := range dicts.before {
		from.Release()
		to.Release()
	}
	dicts.used, dicts.before = nil, dicts.used
}

// Release releases all dictionaries.
func (dicts *Dictionaries) Release() {
	dicts.Forget()
	dicts.Forget()
}
