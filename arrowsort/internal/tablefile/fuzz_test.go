package tablefile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/corpus"
)

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
