package tablefile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

func TestFormatsByName(t *testing.T) {
	for path, want := range map[string]Format{
		"a.parquet": Parquet, "a.PQ": Parquet, "x/y.arrow": IPCFile, "a.feather": IPCFile, "a.ipc": IPCFile,
		"a.arrows": IPCStream, "a.csv": CSV, "a.tsv": CSV, Pipe: IPCStream,
	} {
		f, err := Auto.Resolve(path)
		require.NoError(t, err, path)
		require.Equal(t, want, f, path)
	}
	for _, path := range []string{"", "a", "a.txt", "parquet"} {
		_, err := Auto.Resolve(path)
		require.ErrorIs(t, err, ErrFormat, path)
		f, err := CSV.Resolve(path)
		require.NoError(t, err)
		require.Equal(t, CSV, f)
	}
}

func TestParseFormatReadsItsOwnNames(t *testing.T) {
	for _, f := range []Format{Parquet, IPCFile, IPCStream, CSV} {
		got, err := ParseFormat(f.String())
		require.NoError(t, err)
		require.Equal(t, f, got)
	}
	_, err := ParseFormat("orc")
	require.ErrorIs(t, err, ErrFormat)
}

func TestAFileThatIsNotThereHasNoUnknownFormat(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := Read(t.Context(), missing, ReadOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = Scan(missing, 0, ReadOptions{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, os.WriteFile(missing, []byte("a\n"), 0o644))
	_, err = Read(t.Context(), missing, ReadOptions{})
	require.ErrorIs(t, err, ErrFormat)
}

func TestInputsOfAnotherFormat(t *testing.T) {
	table := dictionaryTable(t, memory.DefaultAllocator)
	defer table.Release()
	formats := append(binaryFormats, CSV)
	for _, is := range formats {
		b := writeBytes(t, table, is, WriteOptions{})
		require.Equal(t, is, sniff(b[:min(len(b), headSize)]))
		for _, said := range formats {
			if said == is {
				continue
			}
			want := "this is not " + titles[said] + ", it looks like " + titles[is] + "; give --format " + is.String()
			_, err := Read(t.Context(), Pipe, ReadOptions{Format: said, Stdin: bytes.NewReader(b)})
			require.EqualError(t, err, "standard input: "+want)
			_, err = readBytes(t, b, ReadOptions{Format: said})
			require.ErrorContains(t, err, want)
		}
	}
}

// TestTextThatBeginsAsParquet is a broken Parquet file where it is read as one, and CSV where as CSV. Where it is read
// as Arrow, the error does not guess which of them it is.
func TestTextThatBeginsAsParquet(t *testing.T) {
	text := []byte("PAR1 and no more of it\n")
	_, err := readBytes(t, text, ReadOptions{Format: Parquet})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "the Parquet footer is missing, the file is cut off")
	_, err = readBytes(t, []byte("\x00\x01\x02 not the first bytes, but the last: PAR1"), ReadOptions{Format: Parquet})
	require.ErrorIs(t, err, ErrCorrupt)
	require.ErrorContains(t, err, "the beginning of the Parquet file is missing")
	in, err := readBytes(t, text, ReadOptions{Format: CSV})
	require.NoError(t, err)
	in.Table.Release()
	for _, format := range []Format{IPCFile, IPCStream} {
		_, err = readBytes(t, text, ReadOptions{Format: format})
		require.ErrorIs(t, err, ErrCorrupt)
		require.NotContains(t, err.Error(), "looks like")
	}
}

func TestResembles(t *testing.T) {
	for head, want := range map[string]Format{
		"": Auto, "PAR1": Auto, "a\n": Auto, "PAR1\x15\x04": Parquet, "PAR1,b\n": Auto, "ARROW1\x00\x00": IPCFile,
		"\xff\xff\xff\xff\x10\x00": IPCStream,
		"\xef\xbb\xbfa,b\n":        CSV, "caf\xe9,b": Auto, "name\xc3": CSV, "a,b\x00c": Auto,
		"\x1f\x8b\x08\x00\x00": Auto,
	} {
		require.Equal(t, want, sniff([]byte(head)), "%q", head)
	}
}

func TestInterruptibleReadsAll(t *testing.T) {
	text := strings.Repeat("0123456789", pipeStep/4)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)),
		iotest.DataErrReader(strings.NewReader(text))} {
		b, err := io.ReadAll(Interruptible(t.Context(), r))
		require.NoError(t, err)
		require.Equal(t, text, string(b))
	}
	broken := errors.New("broken")
	_, err := io.ReadAll(Interruptible(t.Context(), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
}

func TestInterruptibleStopsWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	cancel()
	_, err := Read(ctx, Pipe, ReadOptions{Stdin: r})
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithCancel(t.Context())
	go func() {
		_, _ = w.Write([]byte{0xff}) // the reader has begun
		cancel()
	}()
	_, err = Read(ctx, Pipe, ReadOptions{Stdin: r})
	require.ErrorIs(t, err, context.Canceled)
}

// toTable18 is a table for pqarrow.
func toTable18(t testing.TB, table arrow.Table) arrow18.Table {
	schema := convert.ToSchema(table.Schema())
	columns := make([]arrow18.Column, table.NumCols())
	for i := range columns {
		data := convert.ToChunked(table.Column(i).Data(), schema.Field(i).Type)
		columns[i] = *arrow18.NewColumn(schema.Field(i), data)
	}
	return array18.NewTable(schema, columns, table.NumRows())
}

// toBatch18 is a record for pqarrow.
func toBatch18(rec arrow.Record, schema *arrow18.Schema) arrow18.RecordBatch {
	columns := make([]arrow18.Array, rec.NumCols())
	for i := range columns {
		columns[i] = convert.ToArray(rec.Column(i), schema.Field(i).Type)
	}
	return array18.NewRecordBatch(schema, columns, rec.NumRows())
}
