package parquetsort

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/sorttest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// anyFormat are the formats of inputs.
var anyFormat = []tablefile.Format{tablefile.Parquet, tablefile.IPCFile, tablefile.IPCStream, tablefile.CSV}

// mixedFile is a file of a format with dictionaries, where the format has them, and the bytes of it.
func mixedFile(t *testing.T, format tablefile.Format, rows int) (path string, content []byte) {
	r := rand.New(rand.NewPCG(1, 2))
	rec := sorttest.Mixed(memory.DefaultAllocator, r, 0, rows)
	table := array.NewTableFromRecords(rec.Schema(), []arrow.Record{rec})
	path = filepath.Join(t.TempDir(), "in."+format.String())
	writeTable(t, path, table, tablefile.WriteOptions{Format: format})
	content = readFile(t, path)
	return path, content
}

// sorted are the bytes of an output.
func sorted(t *testing.T, input string, output tablefile.Format, opts Options) []byte {
	var out bytes.Buffer
	opts.Output.Format, opts.Output.Stdout = Format(output.String()), &out
	result := sortFiles(t, []string{input}, tablefile.Pipe, opts)
	require.Positive(t, result.BytesIn)
	return out.Bytes()
}

// TestPipesAreSortedAsFiles: what comes from standard input is sorted as a file is, in any format to any format, and
// nothing is left in the spill folder.
func TestPipesAreSortedAsFiles(t *testing.T) {
	for _, from := range anyFormat {
		path, content := mixedFile(t, from, 3000)
		for _, to := range anyFormat {
			t.Run(fmt.Sprintf("%v to %v", from, to), func(t *testing.T) {
				mem := arrowtest.Checked(t)
				spill := t.TempDir()
				opts := Options{Keys: []arrowsort.Key{{Path: "word"}, {Path: "at"}},
					Input: Input{Format: Format(from.String())}, Memory: Memory{SpillDir: spill},
					Run: Run{Allocator: mem}, Output: Output{RowGroupRows: 1000}}
				want := sorted(t, path, to, opts)
				opts.Input.Stdin = bytes.NewReader(content)
				got := sorted(t, tablefile.Pipe, to, opts)
				if to == tablefile.CSV {
					require.Equal(t, string(want), string(got))
				} else {
					requireSameTable(t, to, want, got)
				}
				requireEmpty(t, spill)
			})
		}
	}
}

// requireSameTable compares outputs whose record batches and dictionaries may differ.
func requireSameTable(t *testing.T, format tablefile.Format, want, got []byte) {
	var text [2]string
	var schemas [2]*arrow.Schema
	for i, b := range [][]byte{want, got} {
		in, err := tablefile.Read(t.Context(), tablefile.Pipe, tablefile.ReadOptions{Format: format,
			Stdin: bytes.NewReader(b)})
		require.NoError(t, err)
		var out bytes.Buffer
		writeTable(t, tablefile.Pipe, in.Table, tablefile.WriteOptions{Format: tablefile.CSV, Stdout: &out})
		text[i], schemas[i] = out.String(), in.Table.Schema()
		in.Table.Release()
	}
	require.True(t, schemas[0].Equal(schemas[1]), "%v\n%v", schemas[0], schemas[1])
	require.True(t, text[0] == text[1], "the rows differ")
}

// TestPipesThatBreakOff: an error, and nothing is left.
func TestPipesThatBreakOff(t *testing.T) {
	for _, format := range anyFormat {
		_, content := mixedFile(t, format, 3000)
		if format == tablefile.CSV {
			content = append(content, "\"a value that does not end"...)
		} else {
			content = content[:len(content)*2/3]
		}
		broken := io.MultiReader(bytes.NewReader(content[:len(content)/2]), failing{})
		for name, stdin := range map[string]io.Reader{"cut": bytes.NewReader(content), "fails": broken} {
			folder, spill := t.TempDir(), t.TempDir()
			_, err := Sort(t.Context(), []string{tablefile.Pipe}, filepath.Join(folder, "out.parquet"),
				Options{Keys: []arrowsort.Key{{Path: "word"}},
					Input: Input{Format: Format(format.String()), Stdin: stdin}, Memory: Memory{SpillDir: spill}})
			require.ErrorContains(t, err, "standard input: ", "%v %s", format, name)
			if name == "fails" {
				require.ErrorIs(t, err, errPipe)
			}
			for _, dir := range []string{folder, spill} {
				left, err := os.ReadDir(dir)
				require.NoError(t, err)
				require.Empty(t, left, "%v %s", format, name)
			}
		}
	}
}

var errPipe = errors.New("the pipe is broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errPipe }

// TestWaitingForAPipeEndsWithTheContext: also while nothing comes.
func TestWaitingForAPipeEndsWithTheContext(t *testing.T) {
	for _, format := range anyFormat {
		_, content := mixedFile(t, format, 3000)
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		go func() {
			w.Write(content[:len(content)/2])
			cancel()
		}()
		spill := t.TempDir()
		_, err := Check(ctx, []string{tablefile.Pipe}, CheckOptions{Keys: []arrowsort.Key{{Path: "word"}},
			Input: Input{Format: Format(format.String()), Stdin: r}, Memory: Memory{SpillDir: spill}})
		require.ErrorIs(t, err, context.Canceled, format)
		requireEmpty(t, spill)
		r.Close()
	}
}

// TestPipesInEveryFunction: Check, Merge, Explain, Plan and Argsort read standard input as they read files.
func TestPipesInEveryFunction(t *testing.T) {
	keys := []arrowsort.Key{{Path: "word"}, {Path: "at"}}
	for _, format := range anyFormat {
		path, _ := mixedFile(t, format, 3000)
		content := sorted(t, path, format, Options{Keys: keys, Input: Input{Format: Format(format.String())}})
		spill := t.TempDir()
		opts := func() Options {
			return Options{Keys: keys, Input: Input{Format: Format(format.String()), Stdin: bytes.NewReader(content)},
				Memory: Memory{SpillDir: spill}}
		}
		checked, err := Check(t.Context(), []string{tablefile.Pipe}, checking(opts()))
		require.NoError(t, err, format)
		require.Nil(t, checked.Violation)
		require.EqualValues(t, 3000, checked.Rows)
		require.EqualValues(t, len(content), checked.Bytes, format)
		out := filepath.Join(t.TempDir(), "out.csv")
		result, err := Merge(t.Context(), []string{tablefile.Pipe}, out, opts())
		require.NoError(t, err, format)
		require.EqualValues(t, 3000, result.Rows)
		result, err = Argsort(t.Context(), tablefile.Pipe, out, opts())
		require.NoError(t, err, format)
		require.EqualValues(t, 3000, result.Rows)
		d, err := Explain(t.Context(), []string{tablefile.Pipe}, opts())
		require.NoError(t, err, format)
		require.True(t, d.InOrder)
		planned, err := Plan(t.Context(), tablefile.Pipe, checking(opts()))
		require.NoError(t, err, format)
		require.EqualValues(t, 3000, planned.Rows)
		requireEmpty(t, spill)
	}
}

func TestStandardInputIsReadOnce(t *testing.T) {
	_, err := Sort(t.Context(), []string{tablefile.Pipe, tablefile.Pipe}, filepath.Join(t.TempDir(), "out.csv"),
		Options{Keys: []arrowsort.Key{{Path: "a"}},
			Input: Input{Format: "csv", Stdin: bytes.NewReader([]byte("a\n1\n"))}})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "standard input is named twice")
}
