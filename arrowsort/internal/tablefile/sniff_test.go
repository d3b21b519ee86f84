package tablefile

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

func TestInputsOfAnotherFormat(t *testing.T) {
	table := dictionaryTable(t, memory.DefaultAllocator)
	defer table.Release()
	formats := append(binaryFormats, CSV)
	for _, is := range formats {
		b := writeBytes(t, table, is, WriteOptions{})
		require.Equal(t, is, resembles(b[:min(len(b), headSize)]))
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

func TestResembles(t *testing.T) {
	for head, want := range map[string]Format{
		"": Auto, "PAR1": Auto, "a\n": Auto, "PAR1\x15\x04": Parquet, "PAR1,b\n": CSV, "ARROW1\x00\x00": IPCFile,
		"\xff\xff\xff\xff\x10\x00": IPCStream,
		"\xef\xbb\xbfa,b\n":        CSV, "caf\xe9,b": Auto, "name\xc3": CSV, "a,b\x00c": Auto,
		"\x1f\x8b\x08\x00\x00": Auto,
	} {
		require.Equal(t, want, resembles([]byte(head)), "%q", head)
	}
}
