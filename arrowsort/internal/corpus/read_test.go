package corpus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// TestRead reads every file: names, types and values are those that the writer says.
func TestRead(t *testing.T) {
	for _, file := range Files(t) {
		t.Run(file.Name, func(t *testing.T) {
			in, err := tablefile.Read(t.Context(), file.Path, tablefile.ReadOptions{})
			if file.Unsupported() {
				require.ErrorIs(t, err, tablefile.ErrUnsupported)
				require.ErrorContains(t, err, "not supported")
				require.ErrorContains(t, err, `"column"`)
				return
			}
			require.NoError(t, err)
			defer in.Table.Release()
			require.EqualValues(t, len(file.Columns), in.Table.NumCols())
			for i, want := range file.Columns {
				field := in.Schema.Field(i)
				require.Equal(t, want.Name, field.Name)
				require.Equal(t, want.Type, TypeName(field), want.Name)
				values := append([]string{}, arrowtest.Values(in.Table.Column(i).Data())...)
				require.Equal(t, want.Values, values, want.Name)
			}
		})
	}
}
