package parquet

import (
	"encoding/base64"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

func TestTypesOfTheArrowSchemaThatAreNotSupportedAreNamed(t *testing.T) {
	stream, err := os.ReadFile("../ipc/testdata/unsupported_decimal32.arrows")
	require.NoError(t, err)
	meta := metadata.NewKeyValueMetadata()
	require.NoError(t, meta.Append(writer.ArrowSchemaKey, base64.StdEncoding.EncodeToString(stream)))
	_, err = arrowSchemaOfWriter(meta, 1, memory.DefaultAllocator)
	require.ErrorIs(t, err, errkind.ErrUnsupported)
	require.NotErrorIs(t, err, errkind.ErrCorrupt)
	require.ErrorContains(t, err, "type decimal32")
}
