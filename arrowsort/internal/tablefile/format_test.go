package tablefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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
