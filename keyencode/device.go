package keyencode

import "math/bits"

// Form is how an engine on a device turns a row's value into an ordered number. A device has no kinds: these forms
// and the numbers of a DeviceField describe a column there.
type Form uint8

// The forms.
const (
	FormNone      Form = iota // no values: every row is null
	FormInteger               // Width bytes
	FormFloat                 // Width bytes, IEEE
	FormRank                  // 4 bytes: a rank as in Chunk.Ranks, looked up by the caller; 0 is null
	FormBit                   // a bit
	FormBigEndian             // Width bytes, most significant first
	FormDecimal               // Width bytes, of which Limb is the number
	FormClass                 // whether a row is null; values are not read
)

// A DeviceColumn is the layout of a key column for a device, its rows in one chunk.
type DeviceColumn struct {
	Form     Form
	Width    int    // bytes of a number
	Stride   int    // bytes from a row to the next; 0 for bits
	SignBit  uint64 // what turns a number, a float in two's complement, into one that orders as unsigned
	Infinity uint64 // of floats: the pattern of +Inf
}

// A DeviceField makes some bits of a code word:
//
//	number = Bias + ((value - Base) >> Shift) * Mul    modulo 2^64, the difference modulo 2^(8 Width)
//	bits   = (number >> Down & Mask) << Up
//
// NaN and null have separate numbers. A float is taken as two's complement first. For FormDecimal, value and Base are
// of all limbs with the sign bit flipped, Last minus the shifted difference is taken if Descending, Mul is not used.
type DeviceField struct {
	DeviceColumn
	Column     int // position in the job's columns
	Base, Last [4]uint64
	Shift      uint
	Mul, Bias  uint64
	NaN, Null  uint64
	Limb       int
	Descending bool
	Down, Up   int
	Mask       uint64
}

// OnDevice is how a device reads the column as a key; false for strings, which it does not.
func (c *Column) OnDevice() (DeviceColumn, bool) {
	d := DeviceColumn{Form: FormInteger, Width: c.ValueBytes(), Stride: c.ValueBytes(), SignBit: c.Kind.signBit()}
	switch {
	case c.shape() == shapeBytes:
		return DeviceColumn{}, false
	case c.Kind == Null:
		d = DeviceColumn{Form: FormNone}
	case c.Kind == Bool:
		d = DeviceColumn{Form: FormBit, Width: 1}
	case c.Kind.isDictionary():
		d = DeviceColumn{Form: FormRank, Width: 4, Stride: 4}
	case c.Kind.isFloat():
		d.Form, d.Infinity = FormFloat, c.Kind.infinity()
	case c.Kind == FixedSizeBinary:
		d.Form = FormBigEndian
	case c.shape() == shapeWide:
		d.Form = FormDecimal
	}
	return d, true
}

// DeviceWord is a word of the codes as a device makes it: the sum of the fields' bits. It reports false for a word that
// holds bytes of strings, which Encode and EncodeRows make.
func (p *Plan) DeviceWord(word int) ([]DeviceField, bool) {
	s := p.segment(word)
	if s.open {
		return nil, false
	}
	fields := make([]DeviceField, 0, len(s.bitRanges))
	for i := range s.bitRanges {
		pc := &s.bitRanges[i]
		f := &p.fields[pc.field]
		d, ok := p.deviceField(f)
		if !ok {
			return nil, false
		}
		d.Down, d.Up, d.Mask = pc.down, pc.up, pc.mask
		fields = append(fields, d)
	}
	return fields, true
}

func (p *Plan) deviceField(f *field) (DeviceField, bool) {
	k := &p.keys[f.key]
	column := Column{Kind: k.kind, Width: k.width}
	d := DeviceField{
		Column: k.Column, Base: [4]uint64{f.base}, Shift: f.shift, Mul: f.mul, Bias: f.bias, NaN: f.nan, Null: f.null,
	}
	if f.part == partClass {
		d.Form = FormClass
		return d, true
	}
	layout, ok := column.OnDevice()
	d.DeviceColumn = layout
	switch {
	case f.part == partLimb:
		w := &k.wide
		d.Base, d.Last, d.Shift, d.Limb, d.Descending = w.base, w.last, w.shift, f.limb, w.descending
	case layout.Form == FormDecimal: // the values differ in the low limb only
		d.Form, d.Width = FormInteger, 8
	case layout.Form == FormInteger || layout.Form == FormFloat:
		d.Base[0] ^= layout.SignBit
	}
	return d, ok
}

// TypeWord makes one word of keys for a device, the most significant key first, that has a number for every row that
// their types allow. It returns the fields of the word, which add up, and its bits. It reports false where these are
// more than 64, and for keys that are not numbers.
func TypeWord(columns []Column, keys []Key) (fields []DeviceField, width int, ok bool) {
	fields = make([]DeviceField, len(keys))
	weight, greatest := uint64(1), uint64(0)
	for i := len(keys) - 1; i >= 0; i-- {
		k := keys[i]
		r, ok := columns[k.Column].typeRange(k.Nulls)
		over, last := bits.Mul64(r.last, weight)
		if !ok || weight == 0 || over != 0 || greatest+last < greatest {
			return nil, 0, false
		}
		l := r.linear(k.Order, r.values, 1)
		fields[i] = columns[k.Column].typeField(k, r.values, l.times(weight))
		greatest += last
		weight = greatest + 1 // 0: the word is full
	}
	return fields, bits.Len64(greatest), true
}

// TypeFields are the fields of keys for a device that finds the ranges of their values: it makes Mul and Bias. NaN is 1
// with nulls at the start. It is nil where a key is not numbers.
func TypeFields(columns []Column, keys []Key) []DeviceField {
	fields := make([]DeviceField, len(keys))
	for i, k := range keys {
		r, _ := columns[k.Column].typeRange(k.Nulls)
		if r.values == 0 {
			return nil
		}
		fields[i] = columns[k.Column].typeField(k, r.values, linear{})
		if k.Nulls == NullsAtStart {
			fields[i].NaN = 1
		}
	}
	return fields
}

// TypeWordWithNulls is the word of a key whose values take all numbers of 64 bits: nulls, at the end, share the last.
// It reports false for other keys.
func TypeWordWithNulls(columns []Column, k Key) (DeviceField, bool) {
	c := &columns[k.Column]
	r, _ := c.typeRange(k.Nulls)
	if r.values != ^uint64(0) || c.Kind.isFloat() || k.Nulls == NullsAtStart {
		return DeviceField{}, false
	}
	classes := classCodes{null: r.values}
	return c.typeField(k, r.values, classes.linear(k.Order, r.values, 1)), true
}

// typeField is a whole word of a device with the numbers of l.
func (c *Column) typeField(k Key, values uint64, l linear) DeviceField {
	layout, _ := c.OnDevice()
	return DeviceField{
		DeviceColumn: layout, Column: k.Column, Base: [4]uint64{layout.SignBit}, Last: [4]uint64{values},
		Mul: l.mul, Bias: l.bias, NaN: l.nan, Null: l.null, Descending: k.Order == Descending, Mask: ^uint64(0),
	}
}
