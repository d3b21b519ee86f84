package foreign

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

// writeCorpus is given where the corpus is made: see arrowsort/internal/corpus.
var writeCorpus = flag.Bool("write-corpus", false, "write the files of parquet-go to the corpus")

const corpusRows = 13

// A row has a column of each type.
type row struct {
	K     int64             `parquet:"k"`
	Bool  *bool             `parquet:"bool,optional"`
	I8    *int8             `parquet:"i8,optional"`
	U16   *uint16           `parquet:"u16,optional"`
	I32   *int32            `parquet:"i32,optional"`
	U32   *uint32           `parquet:"u32,optional"`
	I64   *int64            `parquet:"i64,optional"`
	U64   *uint64           `parquet:"u64,optional,dict"`
	F32   *float32          `parquet:"f32,optional"`
	F64   *float64          `parquet:"f64,optional"`
	Text  *string           `parquet:"text,optional,dict"`
	Delta string            `parquet:"delta,delta"`
	Step  int32             `parquet:"step,delta"`
	Split float64           `parquet:"split,split"`
	Zstd  string            `parquet:"zstd,zstd"`
	ID    uuid.UUID         `parquet:"id,uuid"`
	Price int64             `parquet:"price,decimal(2:12)"`
	Day   int32             `parquet:"day,date"`
	Time  int64             `parquet:"time,time(microsecond)"`
	At    int64             `parquet:"at,timestamp(millisecond)"`
	Tags  []string          `parquet:"tags,list"`
	Pair  *pair             `parquet:"pair,optional"`
	Map   map[string]string `parquet:"map"`
}

type pair struct {
	A int32   `parquet:"a"`
	B *string `parquet:"b,optional"`
}

func makeRow(i int) row {
	text := strings.Repeat("text ", i%4)
	r := row{K: int64(5 * i % corpusRows), Delta: text, Step: int32(i * i), Split: 1 / float64(i),
		Zstd: text, ID: uuid.UUID{0: byte(i), 15: 0xFF}, Price: int64(100*i - 500), Day: int32(i - 5),
		Time: int64(i) * 3600e6, At: int64(i-5) * 1e9, Map: map[string]string{}}
	for n := range i % 3 {
		r.Tags = append(r.Tags, fmt.Sprint("tag", n))
		r.Map = map[string]string{"key": text}
	}
	if i%5 == 4 {
		return r
	}
	boolean, i8, u16, i32, u32 := i%2 == 0, int8(i-128), uint16(65535-i), int32(i-6)<<28, uint32(i)<<28
	i64, u64, f32 := math.MinInt64+int64(i), math.MaxUint64-uint64(i), float32(i)/2
	f64 := []float64{math.NaN(), math.Copysign(0, -1), 0, 1.5}[i%4]
	r.Bool, r.I8, r.U16, r.I32, r.U32 = &boolean, &i8, &u16, &i32, &u32
	r.I64, r.U64, r.F32, r.F64 = &i64, &u64, &f32, &f64
	r.Text, r.Pair = &text, &pair{A: i32}
	if i%2 == 0 {
		r.Pair.B = &text
	}
	return r
}

type column struct {
	Name   string   `json:"name"`
	Type   string   `json:"type"`
	Values []string `json:"values"`
}

// text writes a value as arrowtest.Value does.
func text(v any) string {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err)
	}
	return hex.EncodeToString(b)
}

func optional[T any](v *T) string {
	if v == nil {
		return "null"
	}
	if s, ok := any(*v).(string); ok {
		return fmt.Sprintf("%q", s)
	}
	if b, ok := any(*v).(bool); ok {
		return fmt.Sprint(b)
	}
	return text(*v)
}

func (r *row) pair() string {
	if r.Pair == nil {
		return "null"
	}
	return "{" + text(r.Pair.A) + "," + optional(r.Pair.B) + "}"
}

func (r *row) entries() string {
	var entries []string
	for key, value := range r.Map { // one at most
		entries = append(entries, fmt.Sprintf("{%q,%q}", key, value))
	}
	return "[" + strings.Join(entries, "") + "]"
}

func (r *row) tags() string {
	var tags []string
	for _, tag := range r.Tags {
		tags = append(tags, fmt.Sprintf("%q", tag))
	}
	return "[" + strings.Join(tags, ",") + "]"
}

func describe(all []row) []column {
	columns := []struct {
		name, typ string
		value     func(r *row) string
	}{
		{"k", "int64!", func(r *row) string { return text(r.K) }},
		{"bool", "bool", func(r *row) string { return optional(r.Bool) }},
		{"i8", "int8", func(r *row) string { return optional(r.I8) }},
		{"u16", "uint16", func(r *row) string { return optional(r.U16) }},
		{"i32", "int32", func(r *row) string { return optional(r.I32) }},
		{"u32", "uint32", func(r *row) string { return optional(r.U32) }},
		{"i64", "int64", func(r *row) string { return optional(r.I64) }},
		{"u64", "uint64", func(r *row) string { return optional(r.U64) }},
		{"f32", "float32", func(r *row) string { return optional(r.F32) }},
		{"f64", "float64", func(r *row) string { return optional(r.F64) }},
		{"text", "utf8", func(r *row) string { return optional(r.Text) }},
		{"delta", "utf8!", func(r *row) string { return optional(&r.Delta) }},
		{"step", "int32!", func(r *row) string { return text(r.Step) }},
		{"split", "float64!", func(r *row) string { return text(r.Split) }},
		{"zstd", "utf8!", func(r *row) string { return optional(&r.Zstd) }},
		{"id", "fixed_size_binary[16]!", func(r *row) string { return fmt.Sprintf("%q", r.ID[:]) }},
		{"price", "decimal(12, 2)!", func(r *row) string { return text([2]int64{r.Price, r.Price >> 63}) }},
		{"day", "date32!", func(r *row) string { return text(r.Day) }},
		{"time", "time64[us]!", func(r *row) string { return text(r.Time) }},
		{"at", "timestamp[ms, tz=UTC]!", func(r *row) string { return text(r.At) }},
		{"tags", "list<utf8!>!", (*row).tags},
		{"pair", "struct<a:int32!,b:utf8>", (*row).pair},
		{"map", "map<utf8,utf8!>!", (*row).entries},
	}
	var described []column
	for _, c := range columns {
		values := []string{}
		for i := range all {
			values = append(values, c.value(&all[i]))
		}
		described = append(described, column{c.name, c.typ, values})
	}
	return described
}

// TestCorpus: the files of parquet-go in the corpus are those that it writes, with what they hold.
func TestCorpus(t *testing.T) {
	folder := filepath.Join("..", "..", "internal", "corpus", "testdata", "parquet-go")
	keep := func(name string, made []byte) {
		if path := filepath.Join(folder, name); *writeCorpus {
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(path, made, 0o644))
		} else {
			kept, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, made, kept, name)
		}
	}
	var all []row
	for i := range corpusRows {
		all = append(all, makeRow(i))
	}
	for name, rows := range map[string][]row{"rows": all, "empty": nil} {
		b, err := json.Marshal(describe(rows))
		require.NoError(t, err)
		keep(name+".json", append([]byte(strings.ReplaceAll(string(b), "},{\"name", "},\n{\"name")), '\n'))
		for version := 1; version <= 2; version++ {
			var file bytes.Buffer
			require.NoError(t, parquet.Write(&file, rows, parquet.DataPageVersion(version),
				parquet.MaxRowsPerRowGroup(7), parquet.PageBufferSize(64), parquet.Compression(&parquet.Snappy)))
			keep(fmt.Sprintf("%s.v%d.parquet", name, version), file.Bytes())
		}
	}
}
