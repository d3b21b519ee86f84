package icebergsort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/iceberg-go"
)

// fileMetrics are the metrics of a data file, as a manifest has them.
type fileMetrics struct {
	rows          int64
	sizes, values map[int]int64 // by the id of the field
	nulls, nans   map[int]int64
	lower, upper  map[int][]byte
	splitOffsets  []int64
	// Of all floating-point columns, whatever metrics are kept: the number of NaN, and whether there are -0.0 or NaN
	// with a sign.
	nanCount map[int]int64
	signed   map[int]bool
}

// A metricsMode says which metrics of a column are kept: the table's property write.metadata.metrics.
type metricsMode struct {
	counts, bounds bool
	most           int // of characters of a bound; 0: all
}

const (
	metricsDefault = "write.metadata.metrics.default"
	metricsColumn  = "write.metadata.metrics.column."
)

// parseMetricsMode reads none, counts, truncate(N) or full.
func parseMetricsMode(property, text string) (m metricsMode, err error) {
	switch mode := strings.ToLower(strings.TrimSpace(text)); {
	case mode == "none":
		return metricsMode{}, nil
	case mode == "counts":
		return metricsMode{counts: true}, nil
	case mode == "full":
		return metricsMode{counts: true, bounds: true}, nil
	case strings.HasPrefix(mode, "truncate(") && strings.HasSuffix(mode, ")"):
		n, err := strconv.Atoi(mode[len("truncate(") : len(mode)-1])
		if err == nil && n > 0 {
			return metricsMode{counts: true, bounds: true, most: n}, nil
		}
	}
	return m, fmt.Errorf("%w: the table's property %s is %q: none, counts, truncate(N) or full", ErrUnsupported,
		property, text)
}

// metricsModes returns the mode of each column by the id of its field.
func metricsModes(sc *iceberg.Schema, properties iceberg.Properties) (map[int]metricsMode, error) {
	base, err := parseMetricsMode(metricsDefault, properties.Get(metricsDefault, "truncate(16)"))
	if err != nil {
		return nil, err
	}
	modes := map[int]metricsMode{}
	for _, id := range sc.FieldIDs() {
		name, _ := sc.FindColumnName(id)
		modes[id] = base
		if own, ok := properties[metricsColumn+name]; ok {
			if modes[id], err = parseMetricsMode(metricsColumn+name, own); err != nil {
				return nil, err
			}
		}
	}
	return modes, nil
}

// readMetrics reads the metrics of a Parquet file: from its footer, and from the values of floating-point columns, of
// which a footer does not count NaN.
func readMetrics(r *file.Reader, sc *iceberg.Schema, modes map[int]metricsMode) (*fileMetrics, error) {
	m := &fileMetrics{rows: r.NumRows(), sizes: map[int]int64{}, values: map[int]int64{}, nulls: map[int]int64{},
		nans: map[int]int64{}, lower: map[int][]byte{}, upper: map[int][]byte{}, nanCount: map[int]int64{},
		signed: map[int]bool{}}
	columns := r.MetaData().Schema
	for g := range r.NumRowGroups() {
		offset, err := firstPage(r.RowGroup(g).MetaData())
		if err != nil {
			return nil, err
		}
		m.splitOffsets = append(m.splitOffsets, offset)
	}
	for c := range columns.NumColumns() {
		column := columns.Column(c)
		id := int(column.SchemaNode().FieldID())
		field, ok := sc.FindFieldByID(id)
		if !ok {
			return nil, fmt.Errorf("column %s has field id %d, which the table's schema lacks", column.Path(), id)
		}
		if err := m.addColumn(r, c, column, field, modes[id]); err != nil {
			return nil, fmt.Errorf("column %s: %w", column.Path(), err)
		}
	}
	return m, nil
}

// firstPage returns the offset with which a row group begins.
func firstPage(group *metadata.RowGroupMetaData) (int64, error) {
	chunk, err := group.ColumnChunk(0)
	if err != nil {
		return 0, err
	}
	if at := chunk.DictionaryPageOffset(); chunk.HasDictionaryPage() && at > 0 && at < chunk.DataPageOffset() {
		return at, nil
	}
	return chunk.DataPageOffset(), nil
}

// addColumn adds the metrics of one column of values. Values in lists and maps have a size and nothing else: their
// number in a footer counts empty lists, too.
func (m *fileMetrics) addColumn(r *file.Reader, number int, column *schema.Column, field iceberg.NestedField,
	mode metricsMode) error {
	id := field.ID
	chunks := columnChunks{typ: field.Type, physical: column.PhysicalType(), counted: true, bounded: true}
	for g := range r.NumRowGroups() {
		chunk, err := r.RowGroup(g).MetaData().ColumnChunk(number)
		if err != nil {
			return err
		}
		if err := chunks.add(chunk); err != nil {
			return err
		}
	}
	if mode.counts {
		m.sizes[id] = chunks.size
	}
	if column.MaxRepetitionLevel() > 0 {
		return nil
	}
	if floating(column.PhysicalType()) {
		if err := m.addFloats(r, number, column, id, &chunks, mode); err != nil {
			return err
		}
	}
	if mode.counts {
		m.values[id] = chunks.values
		if chunks.counted {
			m.nulls[id] = chunks.nulls
		}
	}
	if mode.bounds && chunks.bounded && chunks.low != nil {
		m.setBounds(field, chunks.low, chunks.high, mode.most)
	}
	return nil
}

// addFloats counts NaN in a column, and takes its bounds from its values.
func (m *fileMetrics) addFloats(r *file.Reader, number int, column *schema.Column, id int, chunks *columnChunks,
	mode metricsMode) error {
	var f floatScan
	if err := f.column(r, number); err != nil {
		return err
	}
	if mode.counts {
		m.nans[id] = f.nans
	}
	m.nanCount[id], m.signed[id] = f.nans, f.signed
	chunks.low, chunks.high, chunks.bounded = nil, nil, true
	if f.numbers > 0 {
		chunks.low, chunks.high = plainFloat(column.PhysicalType(), f.low), plainFloat(column.PhysicalType(), f.high)
	}
	return nil
}

func (m *fileMetrics) setBounds(field iceberg.NestedField, low, high []byte, most int) {
	if most > 0 {
		low = truncateLower(field.Type, low, most)
		var ok bool
		if high, ok = truncateUpper(field.Type, high, most); ok {
			m.upper[field.ID] = high
		}
	} else {
		m.upper[field.ID] = high
	}
	m.lower[field.ID] = low
}

// columnChunks sums up the chunks of a column.
type columnChunks struct {
	typ                 iceberg.Type
	physical            parquet.Type
	size, values, nulls int64
	counted, bounded    bool // whether all chunks have a number of nulls, and bounds of what values they have
	low, high           []byte
}

func (c *columnChunks) add(chunk *metadata.ColumnChunkMetaData) error {
	c.size += chunk.TotalCompressedSize()
	c.values += chunk.NumValues()
	statistics, err := chunk.Statistics()
	if err != nil {
		return err
	}
	if statistics == nil || !statistics.HasNullCount() {
		c.counted, c.bounded = false, false
		return nil
	}
	c.nulls += statistics.NullCount()
	if statistics.NullCount() == chunk.NumValues() {
		return nil
	}
	if !statistics.HasMinMax() {
		c.bounded = false
		return nil
	}
	low, okLow := storedBound(c.typ, c.physical, statistics.EncodeMin())
	high, okHigh := storedBound(c.typ, c.physical, statistics.EncodeMax())
	if !okLow || !okHigh {
		c.bounded = false
		return nil
	}
	if c.low == nil || c.before(low, c.low) {
		c.low = low
	}
	if c.high == nil || c.before(c.high, high) {
		c.high = high
	}
	return nil
}

func (c *columnChunks) before(a, b []byte) bool {
	return bytes.Compare(orderedBytes(c.typ, a), orderedBytes(c.typ, b)) < 0
}

func floating(physical parquet.Type) bool {
	return physical == parquet.Types.Float || physical == parquet.Types.Double
}

// A floatScan is what the values of a floating-point column come down to.
type floatScan struct {
	numbers, nans int64
	signed        bool // whether there are -0.0, or NaN with a sign
	low, high     float64
}

func (f *floatScan) add(v float64) {
	f.signed = f.signed || math.Signbit(v) && (v == 0 || v != v)
	if v != v {
		f.nans++
		return
	}
	if f.numbers == 0 || v < f.low || v == f.low && math.Signbit(v) {
		f.low = v
	}
	if f.numbers == 0 || v > f.high || v == f.high && !math.Signbit(v) {
		f.high = v
	}
	f.numbers++
}

// column reads all values of a column.
func (f *floatScan) column(r *file.Reader, number int) error {
	for g := range r.NumRowGroups() {
		chunk, err := r.RowGroup(g).Column(number)
		if err != nil {
			return err
		}
		switch chunk := chunk.(type) {
		case *file.Float32ColumnChunkReader:
			err = addChunk(f, chunk)
		case *file.Float64ColumnChunkReader:
			err = addChunk(f, chunk)
		default:
			err = fmt.Errorf("%v is no type of floating-point values", chunk.Type())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A floatChunk reads floating-point values of a column chunk.
type floatChunk[T float32 | float64] interface {
	file.ColumnChunkReader
	ReadBatch(size int64, values []T, definitions, repetitions []int16) (rows int64, read int, err error)
}

func addChunk[T float32 | float64](f *floatScan, chunk floatChunk[T]) error {
	const batch = 8192
	values, levels := make([]T, batch), make([]int16, batch)
	for chunk.HasNext() {
		_, read, err := chunk.ReadBatch(batch, values, levels, nil)
		if err != nil {
			return err
		}
		for _, v := range values[:read] {
			f.add(float64(v))
		}
	}
	return chunk.Err()
}

// plainFloat is a number as Parquet and Iceberg store it.
func plainFloat(physical parquet.Type, v float64) []byte {
	if physical == parquet.Types.Float {
		return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
}
