package tablefile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A bytesElsewhere is a file of a store. It returns its last bytes with io.EOF, as io.ReaderAt allows; and failure in
// place of bytes from a place on.
type bytesElsewhere struct {
	b       []byte
	from    int64
	failure error
}

func (f bytesElsewhere) ReadAt(p []byte, at int64) (n int, err error) {
	if f.failure != nil && at+int64(len(p)) > f.from {
		return 0, f.failure
	}
	if n = copy(p, f.b[min(at, f.Size()):]); at+int64(n) == f.Size() {
		err = io.EOF
	}
	return n, err
}

func (f bytesElsewhere) Size() int64  { return int64(len(f.b)) }
func (f bytesElsewhere) Close() error { return nil }

func (f bytesElsewhere) open(string) (File, error) { return f, nil }

// TestLastBytesWithTheEnd: files of a store whose reads of the last bytes return io.EOF are read as local ones, and
// have the same errors.
func TestLastBytesWithTheEnd(t *testing.T) {
	table := listsAndText(300)
	for _, extension := range []string{".parquet", ".arrow", ".arrows"} {
		path := filepath.Join(t.TempDir(), "x"+extension)
		writeFile(t, path, table, WriteOptions{})
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		in, err := Read(t.Context(), path, ReadOptions{Open: bytesElsewhere{b: b}.open})
		require.NoError(t, err, path)
		require.Equal(t, textOf(t, table), textOf(t, in.Table), path)
		in.Table.Release()
		_, err = Inspect(t.Context(), path, ReadOptions{Open: bytesElsewhere{b: b}.open})
		require.NoError(t, err, path)
	}
	in, err := Read(t.Context(), "x.csv", ReadOptions{Open: bytesElsewhere{b: []byte("a\n1\n2")}.open})
	require.NoError(t, err)
	require.Equal(t, int64(2), in.Table.NumRows())
	in.Table.Release()
	for _, extension := range []string{".parquet", ".arrow", ".arrows", ".csv"} {
		path := filepath.Join(t.TempDir(), "x"+extension)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		_, want := Read(t.Context(), path, ReadOptions{})
		_, err := Read(t.Context(), path, ReadOptions{Open: bytesElsewhere{}.open})
		require.Error(t, want)
		require.EqualError(t, err, want.Error())
	}
}

// TestCompressedTextThatCannotBeRead fails with the error of the store. It is not the file that is corrupted.
func TestCompressedTextThatCannotBeRead(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintln(w, "a")
	for i := range 100_000 {
		fmt.Fprintln(w, i*i)
	}
	require.NoError(t, w.Close())
	unavailable := errors.New("503 Service Unavailable")
	for _, from := range []int64{headSize, 4096} {
		file := bytesElsewhere{packed.Bytes(), from, unavailable}
		_, err := Read(t.Context(), "x.csv.gz", ReadOptions{Open: file.open})
		require.ErrorIs(t, err, unavailable)
		require.NotErrorIs(t, err, ErrCorrupt)
	}
	cut := bytesElsewhere{b: packed.Bytes()[:4096]}
	_, err := Read(t.Context(), "x.csv.gz", ReadOptions{Open: cut.open})
	require.ErrorIs(t, err, ErrCorrupt)
}
