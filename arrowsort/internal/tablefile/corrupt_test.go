package tablefile

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

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
