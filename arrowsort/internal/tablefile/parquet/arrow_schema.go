package parquet

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

// fieldIDKey is the metadata of a field that Arrow reads the number of a column to.
const fieldIDKey = "PARQUET:field_id"

func withoutFieldID(meta arrow.Metadata) arrow.Metadata {
	if i := meta.FindKey(fieldIDKey); i < 0 || meta.Values()[i] != "-1" {
		return meta
	}
	var keys, values []string
	for i, k := range meta.Keys() {
		if k != fieldIDKey {
			keys, values = append(keys, k), append(values, meta.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// checkArrowSchema checks the Arrow schema that a writer left in the file's metadata, a stream of one message in base64
// with or without padding, before pqarrow reads it unchecked.
func checkArrowSchema(meta metadata.KeyValueMetadata, mem memory.Allocator) error {
	encoded := meta.FindValue(writer.ArrowSchemaKey)
	if encoded == nil {
		return nil
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*encoded, "="))
	if err != nil {
		return fileerror.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	if err := ipc.CheckMessage(b, mem); errors.Is(err, fileerror.ErrUnsupported) {
		return err
	} else if err != nil {
		return fileerror.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	return nil
}
