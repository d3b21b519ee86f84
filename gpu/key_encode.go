//go:build cuda && linux && amd64

package gpu

import (
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumn describes a key column for kernels.
func (s *keyColumns) keyColumn(key keyencode.Key, layout keyLayout) abi.Column {
	return abi.Column{
		ColumnValues: s.values(key.Column, layout),
		SignBit:      layout.signBit, Descending: uint64(key.Order), NullsAtStart: uint64(key.Nulls),
	}
}

// keyInput returns a key column as it lies on the device. The column must be one of numbers (isNumber).
func (s *keyColumns) keyInput(key keyencode.Key, layout keyLayout) abi.KeySource {
	return abi.KeySource{Column: s.keyColumn(key, layout), Bits: 8 * layout.width, ChecksOrder: true}
}

// values uploads a key column, a dictionary as ranks, and describes it for kernels.
func (s *keyColumns) values(at int, layout keyLayout) abi.ColumnValues {
	c := s.column(at)
	v := abi.ColumnValues{
		Values: uint64(c.values), Validity: uint64(c.validity), Bit: c.bit, ValueBit: c.valueBit,
		Form: layout.form, Width: uint64(layout.width), Stride: uint64(layout.stride),
		Sign: layout.signBit, Infinity: layout.infinity,
	}
	if layout.form != abi.FormRank {
		return v
	}
	ranks, ok := s.ranks[at]
	if !ok {
		ranks = s.uploadRanks(&s.job.Columns[at], c)
		s.ranks[at] = ranks
	}
	v.Values, v.Validity, v.Bit = uint64(ranks), 0, 0
	return v
}

// field describes a summand of a code word for kernels.
func (s *keyColumns) field(f *keyField) abi.Field {
	return abi.Field{
		ColumnValues: s.values(f.Column, f.layout),
		Base:         f.Base, Last: f.Last, Shift: uint64(f.Shift), Mul: f.Mul, Bias: f.Bias, Nan: f.NaN, Null: f.Null,
		Limb: uint64(f.Limb), Down: uint64(f.Down), Up: uint64(f.Up), Mask: f.Mask,
		Descending: abi.Bool(f.Descending),
	}
}

// fields describes the summands of a code word for kernels.
func (s *keyColumns) fields(keyFields []keyField) []abi.Field {
	fields := make([]abi.Field, len(keyFields))
	for i := range keyFields {
		fields[i] = s.field(&keyFields[i])
	}
	return fields
}

// wholeField returns a Field that maps every value of the key's type to a number. The numbers order as the key does.
func (s *keyColumns) wholeField(key keyencode.Key, layout keyLayout) abi.Field {
	in := s.keyInput(key, layout)
	f := in.Field()
	if key.Order == keyencode.Descending {
		f.Bias = math.MaxUint64 // numbers have 64 bits
	}
	return f
}

// encodeFields encodes a word from its fields.
func (s *keyColumns) encodeFields(fields []abi.Field, rows driver.Ptr, n int) driver.Ptr {
	codes := s.Alloc(8 * n)
	launchEncode(s.Task, fields, rows, n, codes)
	bytes := 8 * n
	for i := range fields {
		bytes += n * int(fields[i].Stride)
	}
	s.Moves(bytes)
	return codes
}

// launchEncode makes codes the sums of fields of rows.
func launchEncode(t *device.Task, fields []abi.Field, rows driver.Ptr, n int, codes driver.Ptr) {
	t.Launch("encode", t.Blocks(n), uint64(device.Put(t, fields...)), uint64(len(fields)), uint64(n), uint64(rows),
		uint64(codes))
}

// scanOfField returns the column of a field; nil for a single key, which has been scanned before.
func (s *keyColumns) scanOfField(f *keyField) *abi.KeySource {
	if len(s.job.Keys) == 1 {
		return nil
	}
	key := s.job.Keys[slices.IndexFunc(s.job.Keys, func(k keyencode.Key) bool { return k.Column == f.Column })]
	src := s.keyInput(key, f.layout)
	return &src
}
