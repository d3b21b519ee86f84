//go:build cuda && linux && amd64

package gpu

import (
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// statisticsBytes is the size of the structure Statistics.
const statisticsBytes = int(unsafe.Sizeof(abi.Statistics{}))

// measure computes the statistics of the keys in one read, of strings on the host, and plans the codes. It may sort the
// rows: then s.order is set, and there is no plan if the keys were read as numbers of the whole range of their types.
func (s *sorter) measure() error {
	keys := s.job.Keys
	if layout, ok := s.canScanKey(); ok {
		if err := s.scanKey(keys[0], layout); s.plan != nil || s.order != 0 || err != nil {
			return err
		}
	} else if s.scanWord(); s.order != 0 || s.Failed() {
		return s.Err
	}
	stats, err := s.measureKeys()
	if err != nil {
		return err
	}
	s.plan, err = keyencode.NewPlan(s.job.Columns, keys, stats)
	return err
}

// measureKeys computes the statistics of the keys, and begins to upload the other columns.
func (s *sorter) measureKeys() ([]keyencode.Statistics, error) {
	keys := s.job.Keys
	stats := make([]keyencode.Statistics, len(keys))
	block := s.zeros(statisticsBytes * len(keys))
	measured := make([]bool, len(keys))
	for i, key := range keys {
		measured[i] = s.rows > 0 && s.launchStatistics(key, block+driver.Ptr(statisticsBytes*i))
	}
	s.prefetch()
	for i, key := range keys {
		if !measured[i] {
			stats[i] = s.measureOnHost(key)
		}
	}
	found := make([]abi.Statistics, len(keys))
	if slices.Contains(measured, true) {
		s.Download(buffers.Bytes(abi.Words(found)), block)
	}
	if err := s.Wait(); err != nil {
		return nil, err
	}
	for i, key := range keys {
		if measured[i] {
			stats[i] = s.statistics(key, &found[i])
		}
	}
	return stats, nil
}

// canScanKey reports whether there is a single key, of a type that the key scan reads.
func (s *sorter) canScanKey() (layout keyLayout, ok bool) {
	if len(s.job.Keys) != 1 || !s.canScan(s.rows) {
		return layout, false
	}
	layout, ok = layoutOf(&s.job.Columns[s.job.Keys[0].Column])
	return layout, ok && isNumber(layout)
}

// scanKey scans the single key, and sorts by it if the device accepts. If the device declined early there are no
// statistics: the key is sorted by all bits of its type, unless these and its classes do not fit a word or a plan is
// wanted. Then neither s.order nor s.plan is set.
func (s *sorter) scanKey(key keyencode.Key, layout keyLayout) error {
	if s.sortDeclined(layout) {
		return s.Err
	}
	in := s.keyInput(key, layout)
	in.ChecksOrder = !s.job.Plan
	s.order = s.scanAndSort(in, s.rows, s.prefetch)
	if s.order != 0 && !s.job.Plan {
		return s.Err
	}
	switch report := s.waitForReport(); {
	case s.Failed():
	case report.Decision.Early != 0:
		if fields, width, ok := typeWord(s.job.Columns, s.job.Keys); ok && !s.job.Plan {
			s.order = s.binner.sort(source{field: s.field(&fields[0]), varying: varying(&report, width)}, width)
		}
	default:
		s.plan, s.Err = keyencode.NewPlan(s.job.Columns, s.job.Keys,
			[]keyencode.Statistics{s.statistics(key, &report.Statistics)})
	}
	return s.Err
}

// sortDeclined sorts the single key by all bits of its type, if a cooperative launch has declined it and it has 4
// bytes: a key scan would cost more than it saves.
func (s *sorter) sortDeclined(layout keyLayout) bool {
	fields, width, ok := typeWord(s.job.Columns, s.job.Keys)
	if !s.binner.declined || layout.width != 4 || !ok {
		return false
	}
	field := s.field(&fields[0])
	s.prefetch()
	s.order = s.binner.sort(source{field: field}, width)
	return true
}

// scanWord sorts by all keys in one number, if there is one and the device accepts. It needs no statistics if the types
// of the keys fit 64 bits; for many rows a sample finds ranges of values that do.
func (s *sorter) scanWord() {
	if s.job.Plan || !s.canScan(s.rows) {
		return
	}
	fields, width, known := typeWord(s.job.Columns, s.job.Keys)
	if !known && s.rows > s.tuning.KeysRows {
		fields, width = typeFields(s.job.Columns, s.job.Keys), 64
	}
	if fields == nil || width <= strategy.BucketCodeBits {
		return
	}
	deviceFields := s.fields(fields)
	var codes driver.Ptr
	var in abi.KeySource
	if s.rows > s.tuning.KeysRows && asOneColumn(fields) {
		in = abi.Keys(put(s.task, deviceFields...), len(deviceFields), width)
	} else if known {
		codes = s.encodeFields(deviceFields, 0, s.rows)
		if _, _, small := s.smallSortKernel(s.rows); small {
			s.prefetch()
			s.order = s.binner.sort(source{field: abi.CodesField(codes), codes: codes, scan: abi.Codes(codes, width)},
				width)
			return
		}
		in = *abi.Codes(codes, width)
	} else {
		return
	}
	if s.order = s.scanAndSort(in, s.rows, s.prefetch); s.order != 0 {
		s.free(codes)
		return
	}
	switch report := s.waitForReport(); {
	case s.Failed():
	case report.Decision.Reason == abi.ReasonOrdered:
		s.order = s.iota(s.rows, report.Statistics.Falls != 0)
	case report.Decision.Early != 0 && known:
		if codes == 0 {
			codes = s.encodeFields(deviceFields, 0, s.rows)
		}
		src := source{field: abi.CodesField(codes), codes: codes, varying: varying(&report, width)}
		s.order = s.binner.sort(src, width)
		return
	}
	s.free(codes)
}

// launchStatistics launches the statistics of a key, and reports whether the device computes them.
func (s *sorter) launchStatistics(key keyencode.Key, out driver.Ptr) bool {
	src := &s.job.Columns[key.Column]
	layout, ok := layoutOf(src)
	if !ok || layout.form == abi.FormNone {
		return false
	}
	kernel := "statistics"
	if layout.form == abi.FormDecimal {
		kernel = "statistics_decimal"
	}
	column := put(s.task, s.keyColumn(key, layout))
	s.launch(kernel, s.blocks(s.rows), uint64(column), uint64(s.rows), uint64(out))
	s.Moves(s.rows * layout.stride)
	return true
}

// keyColumn describes a key column for kernels.
func (s *sorter) keyColumn(key keyencode.Key, layout keyLayout) abi.Column {
	return abi.Column{
		ColumnValues: s.values(key.Column, layout),
		SignBit:      layout.signBit, Descending: uint64(key.Order), NullsAtStart: uint64(key.Nulls),
	}
}

// keyInput returns a key column as it lies on the device. The column must be one of numbers (isNumber).
func (s *sorter) keyInput(key keyencode.Key, layout keyLayout) abi.KeySource {
	return abi.KeySource{Column: s.keyColumn(key, layout), Bits: 8 * layout.width, ChecksOrder: true}
}

// values uploads a key column, a dictionary as ranks, and describes it for kernels.
func (s *sorter) values(at int, layout keyLayout) abi.ColumnValues {
	c := s.column(at)
	v := abi.ColumnValues{
		Values: uint64(c.values), Validity: uint64(c.validity), Bit: c.bit, ValueBit: c.valueBit,
		Form: layout.form, Width: uint64(layout.width), Stride: uint64(layout.stride),
		Sign: layout.signBit, Infinity: layout.infinity,
	}
	if layout.form != abi.FormRank {
		return v
	}
	ranks, ok := s.rankColumns[at]
	if !ok {
		ranks = s.ranks(&s.job.Columns[at], c)
		s.rankColumns[at] = ranks
	}
	v.Values, v.Validity, v.Bit = uint64(ranks), 0, 0
	return v
}

// statistics converts the result of the kernel for the plan.
func (s *sorter) statistics(key keyencode.Key, found *abi.Statistics) keyencode.Statistics {
	rises, ties, falls := found.Rises != 0, found.Ties != 0, found.Falls != 0
	st := keyencode.Statistics{
		Rows: s.rows, Nulls: int(found.Nulls), NaNs: int(found.Nans),
		Sorted: !falls, Rising: !falls && !ties, Reversed: !rises && !ties,
	}
	if st.Values() == 0 {
		return st
	}
	limbs := 1
	if c := &s.job.Columns[key.Column]; c.Kind == keyencode.Decimal128 || c.Kind == keyencode.Decimal256 {
		limbs = c.ValueBytes() / 8
	}
	for i := range limbs {
		st.Min[i], st.Max[i] = ^found.NotMin[i], found.Max[i]
	}
	st.Or, st.And = found.Any, ^found.NotAll
	return st
}

// measureOnHost computes the statistics of a key that the device does not read.
func (s *sorter) measureOnHost(key keyencode.Key) keyencode.Statistics {
	tile := s.tuning.MeasureRows
	src := &s.job.Columns[key.Column]
	parts := make([]keyencode.Statistics, max(1, (s.rows+tile-1)/tile))
	parts[0] = keyencode.Measure(src, key, 0, 0)
	s.Fail(s.workers.Tiles(s.rows, tile, func(lo, hi int) {
		parts[lo/tile] = keyencode.Measure(src, key, lo, hi)
	}))
	for i := range parts[1:] {
		parts[0].Merge(&parts[i+1])
	}
	return parts[0]
}

// field describes a summand of a code word for kernels.
func (s *sorter) field(f *keyField) abi.Field {
	return abi.Field{
		ColumnValues: s.values(f.Column, f.layout),
		Base:         f.Base, Last: f.Last, Shift: uint64(f.Shift), Mul: f.Mul, Bias: f.Bias, Nan: f.NaN, Null: f.Null,
		Limb: uint64(f.Limb), Down: uint64(f.Down), Up: uint64(f.Up), Mask: f.Mask,
		Descending: abi.Bool(f.Descending),
	}
}

// fields describes the summands of a code word for kernels.
func (s *sorter) fields(keyFields []keyField) []abi.Field {
	fields := make([]abi.Field, len(keyFields))
	for i := range keyFields {
		fields[i] = s.field(&keyFields[i])
	}
	return fields
}
