package keyencode

import "math/bits"

// A typeRange has numbers, 0 to last, for all ordered words that the values of a type can have, 0 to values, and for
// NaN and null where they can be: no statistics are needed.
type typeRange struct {
	classCodes
	values, last uint64
}

// typeRange reports false for a column that is not numbers of up to 64 bits, and where last would be 2^64.
func (c *Column) typeRange(nulls NullPlacement) (r typeRange, ok bool) {
	switch {
	case c.Kind == Bool:
		r.values = 1
	case c.Kind.isDictionary():
		r.values = 1<<32 - 2
	case Int8 <= c.Kind && c.Kind <= Float64:
		r.values = lowBits(8 * c.ValueBytes())
	default:
		return r, false
	}
	if c.Kind.isFloat() { // no value has the first two words or the last two: those of NaN with and without a sign
		r.classCodes = placeClasses(&Statistics{Rows: 3, NaNs: 1, Nulls: 1}, nulls, r.values-2)
		r.first, r.extra = 0, 0
	} else if c.nullable() || c.Kind.isDictionary() { // entries of dictionaries can be null
		r.classCodes = placeClasses(&Statistics{Rows: 2, Nulls: 1}, nulls, r.values)
	}
	r.last = r.values + r.extra
	return r, r.last >= r.values
}

// nullable reports whether rows can be null.
func (c *Column) nullable() bool {
	for i := range c.Chunks {
		if c.Chunks[i].Rows > 0 && c.Chunks[i].Validity != nil {
			return true
		}
	}
	return false
}

// EncodeWords writes order-preserving words of rows lo..lo+len(dst)-1 of a key column without statistics and without a
// plan: as they compare, so do the rows. It is for sorts too small to measure first. It reports false, and writes
// nothing, for a column that is not one chunk of integers or floats without a validity bitmap. The words are part of
// the format of docs/rows.md and do not change.
func EncodeWords(dst []uint64, c *Column, k Key, lo int) bool {
	l, ok := c.typeWord(k)
	if !ok || len(c.Chunks) != 1 {
		return false
	}
	r := reader{column: c}
	b := r.block(&c.Chunks[0], lo, len(dst))
	l.encode(dst, &b)
	return true
}

// NewWordPlan is a plan whose codes are these words, without statistics: for a single key whose sampled values vary in
// nearly all bits, so that statistics would not make the codes shorter. The order of the rows is unknown. It
// reports false for a column that is not integers or floats, or has a validity bitmap.
func NewWordPlan(columns []Column, k Key) (*Plan, bool) {
	c := &columns[k.Column]
	l, ok := c.typeWord(k)
	if !ok {
		return nil, false
	}
	rows := c.Rows()
	p := &Plan{
		rows: rows,
		keys: []keyPlan{
			{
				Key: k, reader: newReader(c), kind: c.Kind, width: c.ValueBytes(), shape: c.shape(),
				stats: &Statistics{Rows: rows},
			},
		},
	}
	p.addField(field{part: partWord, top: lowBits(8 * c.ValueBytes()), linear: l})
	p.pack(0)
	return p, true
}

// typeWord makes the numbers of a column of valid integers or floats.
func (c *Column) typeWord(k Key) (linear, bool) {
	if c.Kind < Int8 || c.Kind > Float64 || c.nullable() {
		return linear{}, false
	}
	r, _ := c.typeRange(k.Nulls)
	return r.linear(k.Order, r.values, 1), true
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
