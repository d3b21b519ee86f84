package tablefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/corpus"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestHostileFiles: small files that declare large things, of testdata/hostile, end in an error soon and with little
// memory.
func TestHostileFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/hostile/*.parquet")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		for name, read := range map[string]func() error{
			"read": func() error { _, err := Read(t.Context(), path, ReadOptions{}); return err },
			"scan": func() error { return scanToEnd(t, path, ReadOptions{}) },
		} {
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				err := read()
				runtime.ReadMemStats(&after)
				require.Error(t, err)
				require.True(t, errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLimit) ||
					errors.Is(err, ErrUnsupported), "%v", err)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))
				require.Less(t, time.Since(began), 10*time.Second)
			})
		}
	}
}

func scanToEnd(t *testing.T, path string, opts ReadOptions) error {
	s, err := Scan(path, 1<<20, opts)
	if err != nil {
		return err
	}
	defer s.Close()
	for {
		table, err := s.Next(t.Context())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		table.Release()
	}
}

// TestLimitOfSmallFiles: a file of few bytes takes no more than leastLimit, unless the limit is set.
func TestLimitOfSmallFiles(t *testing.T) {
	const rows = 1 << 20
	zeros := array.NewInt64Data(array.NewData(arrow.PrimitiveTypes.Int64, rows,
		[]*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 8*rows))}, nil, 0, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}}, nil)
	batch := array.NewRecord(schema, []arrow.Array{zeros}, rows)
	const batches = 1 + leastLimit/(8*rows)
	for _, format := range testrun.Sample(3, binaryFormats) {
		path := filepath.Join(t.TempDir(), "zeros."+format.String())
		w, err := Create(t.Context(), path, schema, WriteOptions{Compression: Compression{Codec: "zstd"}})
		require.NoError(t, err)
		table := array.NewTableFromRecords(schema, []arrow.Record{batch})
		for range batches {
			require.NoError(t, w.Write(t.Context(), table))
		}
		require.NoError(t, w.Finish())
		_, err = w.Commit()
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Less(t, info.Size(), int64(1<<20))
		require.ErrorIs(t, scanToEnd(t, path, ReadOptions{}), ErrLimit, format)
		require.NoError(t, scanToEnd(t, path, ReadOptions{MemoryLimit: 64 << 20}), format)
		_, err = Read(t.Context(), path, ReadOptions{MemoryLimit: 64 << 20})
		require.ErrorIs(t, err, ErrLimit, format)
	}
}

// samples are small files of every format and kind of content.
func samples(t testing.TB) map[string][]byte {
	flat, nested, dict := flatTable(t, memory.DefaultAllocator, 20, 1), nestedTable(t, memory.DefaultAllocator),
		dictionaryTable(t, memory.DefaultAllocator)
	defer flat.Release()
	defer nested.Release()
	defer dict.Release()
	out := map[string][]byte{}
	for name, table := range map[string]arrow.Table{"flat": flat, "nested": nested, "dictionary": dict} {
		for _, format := range binaryFormats {
			out[format.String()+"/"+name] = writeBytes(t, table, format, WriteOptions{})
			out[format.String()+"/"+name+" zstd"] = writeBytes(t, table, format,
				WriteOptions{Compression: Compression{Codec: "zstd"}})
		}
		out["parquet/"+name+" snappy"] = writeBytes(t, table, Parquet,
			WriteOptions{Compression: Compression{Codec: "snappy"}, RowGroupRows: 3})
		out["parquet/"+name+" none"] = writeBytes(t, table, Parquet,
			WriteOptions{Compression: Compression{Codec: "none"}})
		out["arrows/"+name+" lz4"] = writeBytes(t, table, IPCStream,
			WriteOptions{Compression: Compression{Codec: "lz4"}})
	}
	out["csv/text"] = []byte("a,b,c\n1,x,2021-01-02\n2,\"y,\"\"\",\n3,z,2021-01-03\n")
	return out
}

// readHarmless reads bytes that may be broken: a table or one line of error that names the file, no panic. A table that
// is returned is walked, so that it must be sound.
func readHarmless(t testing.TB, format Format, b []byte) error {
	if format == Parquet {
		if err := readHarmlessly(t, b, ReadOptions{Format: format, Dictionaries: true}); err != nil {
			return err
		}
	}
	return readHarmlessly(t, b, ReadOptions{Format: format})
}

func readHarmlessly(t testing.TB, b []byte, opts ReadOptions) error {
	opts.MemoryLimit, opts.Threads, opts.Stdin = 64<<20, 1, bytes.NewReader(b)
	in, err := Read(context.Background(), Pipe, opts)
	if err != nil {
		require.True(t, strings.HasPrefix(err.Error(), "standard input: "), err.Error())
		require.NotContains(t, err.Error(), "\n")
		return err
	}
	textOf(t, in.Table)
	in.Table.Release()
	return nil
}

func formatOfSample(name string) Format {
	format, _, _ := strings.Cut(name, "/")
	f, err := ParseFormat(format)
	if err != nil {
		panic(err)
	}
	return f
}

func TestTruncatedFilesAreErrors(t *testing.T) {
	for name, b := range samples(t) {
		if strings.HasPrefix(name, "csv") {
			continue // a CSV file that ends early is a shorter CSV file
		}
		t.Run(name, func(t *testing.T) {
			step := max(1, len(b)/80)
			for n := 0; n < len(b); n += step {
				require.Error(t, readHarmless(t, formatOfSample(name), b[:n]), "%d of %d bytes", n, len(b))
			}
			require.NoError(t, readHarmless(t, formatOfSample(name), b))
		})
	}
}

func TestTruncatedCSVIsHarmless(t *testing.T) {
	b := samples(t)["csv/text"]
	require.Error(t, readHarmless(t, CSV, nil))
	for n := range b {
		_ = readHarmless(t, CSV, b[:n])
	}
	require.Error(t, readHarmless(t, CSV, b[:bytes.Index(b, []byte("2021"))-1]), "a row with too few fields")
}

// repeats is the number of random changes to each sample.
func repeats() int {
	if testrun.Long() {
		return 100
	}
	return 25
}

func TestFlippedBitsAreHarmless(t *testing.T) {
	for name, b := range samples(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(testrun.Seed()+1, 2))
			for range repeats() {
				broken := bytes.Clone(b)
				for range 1 + r.IntN(3) {
					broken[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
				_ = readHarmless(t, formatOfSample(name), broken)
			}
		})
	}
}

func TestOverwrittenWordsAreHarmless(t *testing.T) {
	for name, b := range samples(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(testrun.Seed()+3, 4))
			words := []uint32{0, 1, 0x7f, 0x7fffffff, 0x80000000, 0xffffffff, 0x01000000}
			for range repeats() {
				broken := bytes.Clone(b)
				at, word := r.IntN(max(1, len(b)-4)), words[r.IntN(len(words))]
				for i := range min(4, len(b)-at) {
					broken[at+i] = byte(word >> (8 * i))
				}
				_ = readHarmless(t, formatOfSample(name), broken)
			}
		})
	}
}

func TestFilesOfOtherFormatsAreErrors(t *testing.T) {
	all := samples(t)
	for name, b := range all {
		for _, format := range binaryFormats {
			if format != formatOfSample(name) {
				require.Error(t, readHarmless(t, format, b), "%s as %s", name, format)
			}
		}
	}
}

func FuzzReadParquet(f *testing.F)   { fuzz(f, Parquet, "parquet") }
func FuzzReadIPCFile(f *testing.F)   { fuzz(f, IPCFile, "arrow") }
func FuzzReadIPCStream(f *testing.F) { fuzz(f, IPCStream, "arrows") }
func FuzzReadCSV(f *testing.F)       { fuzz(f, CSV, "csv", "tsv") }

// fuzz feeds broken files to the reader and the scanner of a format: samples and the files of other writers, which the
// fuzzer changes, and after it mutate. Whatever comes, they return sound tables or one line of error, soon and within
// little memory.
func fuzz(f *testing.F, format Format, extensions ...string) {
	seed := func(b []byte) {
		f.Add(b, uint8(0), uint32(0), uint64(0))
		for kind := range uint8(mutations) {
			f.Add(b, kind, uint32(len(b)-len(b)/(2+int(kind))), uint64(1)<<31-1)
		}
	}
	for name, b := range samples(f) {
		if formatOfSample(name) == format {
			seed(b)
		}
	}
	for _, file := range corpus.Files(f, extensions...) {
		b, err := os.ReadFile(file.Path)
		require.NoError(f, err)
		seed(b)
	}
	path := filepath.Join(f.TempDir(), fmt.Sprint(os.Getpid()))
	f.Fuzz(func(t *testing.T, b []byte, kind uint8, at uint32, value uint64) {
		b = mutate(b, kind, at, value)
		withLittle(t, func() { _ = readHarmless(t, format, b) })
		require.NoError(t, os.WriteFile(path, b, 0o600))
		withLittle(t, func() {
			if err := scanToEnd(t, path, ReadOptions{Format: format, Threads: 1, MemoryLimit: 64 << 20}); err != nil {
				require.NotContains(t, err.Error(), "\n")
			}
		})
	})
}

// mutations is the number of changes that mutate makes.
const mutations = 7

// mutate changes a file in one place: a flipped bit, an end, or another length of 1, 4 or 8 bytes or of the varints of
// Thrift; or nothing.
func mutate(b []byte, kind uint8, at uint32, value uint64) []byte {
	if len(b) == 0 {
		return b
	}
	b, i := bytes.Clone(b), int(at)%len(b)
	switch kind % mutations {
	case 1:
		b[i] ^= 1 << (value % 8)
	case 2:
		b = b[:i]
	case 3:
		b[i] = byte(value)
	case 4:
		copy(b[i:], binary.LittleEndian.AppendUint32(nil, uint32(value)))
	case 5:
		copy(b[i:], binary.LittleEndian.AppendUint64(nil, value))
	case 6:
		end := i
		for end < len(b)-1 && b[end] >= 0x80 {
			end++
		}
		b = bytes.Join([][]byte{b[:i], binary.AppendUvarint(nil, value), b[end+1:]}, nil)
	}
	return b
}

// withLittle requires that f takes no more than ten seconds and allocates no more than four times the limit of
// readHarmless, which is more than it can have at a time.
func withLittle(t *testing.T, f func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	f()
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*64<<20))
	require.Less(t, time.Since(began), 10*time.Second)
}
