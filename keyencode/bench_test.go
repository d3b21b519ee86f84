package keyencode

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchmarkColumn returns a column of random values, a tenth of them null if asked for.
func benchmarkColumn(kind Kind, nulls bool) Column {
	const rows = 1 << 18
	rng := rand.New(rand.NewPCG(1, uint64(kind)))
	cells := make([]cell, rows)
	for i := range cells {
		if nulls && rng.IntN(10) == 0 {
			cells[i].null = true
			continue
		}
		style := 0
		if kind == Binary || kind == BinaryView {
			style = 3
		}
		cells[i].raw = randomValue(rng, kind, 8, style, nil)
		if kind.isDictionary() {
			cells[i].raw = []byte{byte(rng.Uint32()), 0, 0, 0}
		}
	}
	return build(rng, kind, 8, 0, nil, cells)
}

var benchmarkKinds = map[string]Kind{
	"bool": Bool, "int8": Int8, "int32": Int32, "int64": Int64, "float32": Float32, "float64": Float64,
	"decimal128": Decimal128,
	"fixed8":     FixedSizeBinary, "string": Binary, "view": BinaryView, "dictionary32": Dictionary32,
}

func benchmark(b *testing.B, f func(b *testing.B, c *Column)) {
	for name, kind := range benchmarkKinds {
		for _, nulls := range []bool{false, true} {
			b.Run(fmt.Sprintf("type=%s/nulls=%v", name, nulls), func(b *testing.B) {
				c := benchmarkColumn(kind, nulls)
				f(b, &c)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Rows()), "ns/row")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Column) {
		p := planOf(b, []Column{*c}, []Key{{}})
		dst := make([]uint64, 1024)
		for b.Loop() {
			for lo := 0; lo < c.Rows(); lo += len(dst) {
				p.Encode(dst, lo)
			}
		}
	})
}

func BenchmarkEncodeRows(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Column) {
		p := planOf(b, []Column{*c}, []Key{{}})
		rng := rand.New(rand.NewPCG(1, 2))
		rows := make([]uint32, c.Rows())
		for i := range rows {
			rows[i] = uint32(rng.IntN(c.Rows()))
		}
		dst := make([]uint64, len(rows))
		for b.Loop() {
			p.EncodeRows(dst, 0, rows)
		}
	})
}

func BenchmarkMeasure(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Column) {
		for b.Loop() {
			Measure(c, Key{}, 0, c.Rows())
		}
	})
}

// BenchmarkEncodeKeys packs an int64 of 11 bits, a float64 and an int32 into two words and encodes the leading one.
func BenchmarkEncodeKeys(b *testing.B) {
	const rows = 1 << 18
	columns := []Column{benchmarkColumn(Int64, true), benchmarkColumn(Float64, true), benchmarkColumn(Int32, false)}
	narrow := int64Cells(rows, func(i int) int64 { return int64(i) * 2654435761 >> 8 & 0x7ff })
	columns[0] = build(rand.New(rand.NewPCG(1, 1)), Int64, 0, 0, nil, narrow)
	p := planOf(b, columns, []Key{{Column: 0}, {Column: 2}, {Column: 1}})
	dst := make([]uint64, 1024)
	for b.Loop() {
		for lo := 0; lo < rows; lo += len(dst) {
			p.Encode(dst, lo)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
}

// BenchmarkPlan is what a sort of a hundred rows pays before its first code.
func BenchmarkPlan(b *testing.B) {
	c := build(
		rand.New(rand.NewPCG(1, 1)), Int64, 0, 0, nil,
		int64Cells(100, func(i int) int64 { return int64(i) * 2654435761 % 1000003 }),
	)
	columns, keys := []Column{c}, []Key{{Name: "k"}}
	b.ReportAllocs()
	for b.Loop() {
		s := Measure(&columns[0], keys[0], 0, 100)
		if _, err := NewPlan(columns, keys, []Statistics{s}); err != nil {
			b.Fatal(err)
		}
	}
}
