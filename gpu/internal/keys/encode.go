//go:build cuda && linux && amd64

package keys

import (
	"math"
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumn describes a key column for kernels.
func (s *Columns) keyColumn(key keyencode.Key, layout Layout) abi.Column {
	return abi.Column{
		ColumnValues: s.values(key.Column, layout),
		SignBit:      layout.signBit, Descending: uint64(key.Order), NullsAtStart: uint64(key.Nulls),
	}
}

// KeyInput returns a key column as it lies on the device. The column must be one of numbers (IsNumber).
func (s *Columns) KeyInput(key keyencode.Key) abi.KeySource {
	layout, _ := LayoutOf(&s.Job.Columns[key.Column])
	return abi.KeySource{Column: s.keyColumn(key, layout), Bits: 8 * layout.Width, ChecksOrder: true}
}

// values uploads a key column, a dictionary as ranks, and describes it for kernels.
func (s *Columns) values(at int, layout Layout) abi.ColumnValues {
	c := s.Column(at)
	v := abi.ColumnValues{
		Values: uint64(c.Values), Validity: uint64(c.Validity), Bit: c.Bit, ValueBit: c.ValueBit,
		Form: layout.Form, Width: uint64(layout.Width), Stride: uint64(layout.stride),
		Sign: layout.signBit, Infinity: layout.infinity,
	}
	if layout.Form != abi.FormRank {
		return v
	}
	ranks, ok := s.ranks[at]
	if !ok {
		ranks = s.uploadRanks(&s.Job.Columns[at], c)
		s.ranks[at] = ranks
	}
	v.Values, v.Validity, v.Bit = uint64(ranks), 0, 0
	return v
}

// Field describes a summand of a code word for kernels.
func (s *Columns) Field(f *Field) abi.Field {
	return abi.Field{
		ColumnValues: s.values(f.Column, f.Layout),
		Base:         f.Base, Last: f.Last, Shift: uint64(f.Shift), Mul: f.Mul, Bias: f.Bias, Nan: f.NaN, Null: f.Null,
		Limb: uint64(f.Limb), Down: uint64(f.Down), Up: uint64(f.Up), Mask: f.Mask,
		Descending: abi.Bool(f.Descending),
	}
}

// Fields describes the summands of a code word for kernels.
func (s *Columns) Fields(keyFields []Field) []abi.Field {
	fields := make([]abi.Field, len(keyFields))
	for i := range keyFields {
		fields[i] = s.Field(&keyFields[i])
	}
	return fields
}

// WholeField returns a Field that maps every value of the key's type to a number. The numbers order as the key does.
func (s *Columns) WholeField(key keyencode.Key) abi.Field {
	in := s.KeyInput(key)
	f := in.Field()
	if key.Order == keyencode.Descending {
		f.Bias = math.MaxUint64 // numbers have 64 bits
	}
	return f
}

// EncodeFields encodes a word from its fields.
func (s *Columns) EncodeFields(fields []abi.Field, rows driver.Ptr, n int) driver.Ptr {
	codes := s.Alloc(8 * n)
	LaunchEncode(s.Task, fields, rows, n, codes)
	bytes := 8 * n
	for i := range fields {
		bytes += n * int(fields[i].Stride)
	}
	s.Moves(bytes)
	return codes
}

// LaunchEncode makes codes the sums of fields of rows.
func LaunchEncode(t *device.Task, fields []abi.Field, rows driver.Ptr, n int, codes driver.Ptr) {
	t.Launch("encode", t.Blocks(n), uint64(device.Put(t, fields...)), uint64(len(fields)), uint64(n), uint64(rows),
		uint64(codes))
}

// ScanOfField returns the column of a field; nil for a single key, which has been scanned before.
func (s *Columns) ScanOfField(f *Field) *abi.KeySource {
	if len(s.Job.Keys) == 1 {
		return nil
	}
	key := s.Job.Keys[slices.IndexFunc(s.Job.Keys, func(k keyencode.Key) bool { return k.Column == f.Column })]
	src := s.KeyInput(key)
	return &src
}
