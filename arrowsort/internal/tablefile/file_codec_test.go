package tablefile

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

const (
	someTSV = "k\tv\n2\tb\n1\ta\n"

	// someBzip2 is someTSV as bzip2 compresses it; Go has no encoder.
	someBzip2 = "BZh91AY&SY\x37\x51\x9f\x01\x00\x00\x05\x49\x80\x00\x30\x30\x00\x30\x08\x01\x00\x20\x00\x21\xa6\x83" +
		"\x6a\x10\xc0\x8b\xc9\x00\x42\x6f\xc5\xdc\x91\x4e\x14\x24\x0d\xd4\x67\xc0\x40"
)

// compressed is a text of some length, compressed by what newWriter returns.
func compressed[W io.WriteCloser](t *testing.T, newWriter func(io.Writer) (W, error), text string, times int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b)
	require.NoError(t, err)
	for range times {
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

func newGzip(w io.Writer) (*gzip.Writer, error)  { return gzip.NewWriter(w), nil }
func newZstd(w io.Writer) (*zstd.Encoder, error) { return zstd.NewWriter(w) }

func TestCompressedCSV(t *testing.T) {
	gz, folder := compressed(t, newGzip, someTSV, 1), t.TempDir()
	for name, b := range map[string][]byte{
		"x.tsv.gz": gz, "X.TSV.GZ": gz, "x.tsv": gz, "x.tsv.bz2": []byte(someBzip2),
		"x.tsv.zst":      compressed(t, newZstd, someTSV, 1),
		"members.tsv.gz": append(gz[:len(gz):len(gz)], compressed(t, newGzip, "", 1)...),
	} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		in, err := Read(t.Context(), path, ReadOptions{})
		require.NoError(t, err, name)
		require.EqualValues(t, 2, in.Table.NumRows(), name)
		require.EqualValues(t, 2, in.Table.NumCols(), name)
		require.EqualValues(t, len(b), in.Bytes, name)
		in.Table.Release()
		in, err = Read(t.Context(), Pipe, ReadOptions{Format: CSV, Delimiter: '\t', Stdin: bytes.NewReader(b)})
		require.NoError(t, err, name)
		require.EqualValues(t, 2, in.Table.NumRows(), name)
		in.Table.Release()
	}
}

// TestCompressedCSVThatIsBroken is an error wherever it breaks off or a bit is wrong, but for bits that say nothing.
func TestCompressedCSVThatIsBroken(t *testing.T) {
	for name, b := range map[string][]byte{
		"gzip": compressed(t, newGzip, someTSV, 1), "bzip2": []byte(someBzip2),
		"zstd": compressed(t, newZstd, someTSV, 1),
	} {
		for end := len("BZh91AY&SY7Q") + 1; end < len(b); end++ {
			_, err := Read(t.Context(), Pipe, ReadOptions{Format: CSV, Delimiter: '\t',
				Stdin: bytes.NewReader(b[:end])})
			require.ErrorIs(t, err, ErrCorrupt, "%s to byte %d", name, end)
			require.ErrorContains(t, err, name)
		}
	}
}

// TestCompressedBombs: text that is far longer than the file is an error, before it is in memory.
func TestCompressedBombs(t *testing.T) {
	const text = 64 << 20
	for name, b := range map[string][]byte{
		"gzip": compressed(t, newGzip, strings.Repeat("1\n", 1<<19), text>>20),
		"zstd": compressed(t, newZstd, strings.Repeat("1\n", 1<<19), text>>20),
	} {
		path := filepath.Join(t.TempDir(), "x.csv")
		require.NoError(t, os.WriteFile(path, b, 0o600))
		require.Less(t, textLimit(int64(len(b))), int64(text/2))
		_, err := Read(t.Context(), path, ReadOptions{})
		require.ErrorContains(t, err, path+": is compressed with "+name+", and its text takes more than ")
		require.ErrorContains(t, err, " MiB, the limit for this file: decompress it first")
	}
}

// TestOtherCompressedFiles are errors that say what to do.
func TestOtherCompressedFiles(t *testing.T) {
	gz := string(compressed(t, newGzip, someTSV, 1))
	for _, c := range []struct {
		text   string
		format Format
		want   string
	}{
		{gz, Parquet, "is compressed with gzip: decompress it first, or pipe it: gzip -dc FILE | arrowsort ... " +
			"--format parquet -"},
		{gz, IPCStream, "--format arrows -"},
		{someBzip2, IPCFile, "is compressed with bzip2: "},
		{"\xfd7zXZ\x00\x00\x04", CSV, "is compressed with xz: decompress it first, or pipe it: xz -dc FILE |"},
	} {
		_, err := Read(t.Context(), Pipe, ReadOptions{Format: c.format, Stdin: strings.NewReader(c.text)})
		require.ErrorContains(t, err, "standard input: ")
		require.ErrorContains(t, err, c.want)
	}
	format, err := Auto.Resolve("x.parquet.gz")
	require.NoError(t, err)
	require.Equal(t, Parquet, format)
	require.ErrorContains(t, CheckWrite("x.csv.gz", WriteOptions{}),
		"files are not written compressed as a whole: leave "+
			"out .gz, or pipe: --output-format csv -o - | gzip > FILE")
}
