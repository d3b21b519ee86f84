package tablefile

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Keys of metadata that Arrow keeps in Parquet files and in the fields read from them.
const (
	arrowSchemaKey = "ARROW:schema"
	fieldIDKey     = "PARQUET:field_id"
)

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
	encoded := meta.FindValue(arrowSchemaKey)
	if encoded == nil {
		return nil
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*encoded, "="))
	if err != nil {
		return corrupt("the Arrow schema in the metadata: %v", err)
	}
	m := &messages{r: bytes.NewReader(b), remaining: int64(len(b)), mem: mem}
	defer m.Release()
	if _, err := m.Message(); err != nil {
		return corrupt("the Arrow schema in the metadata: %v", err)
	}
	return nil
}

// storeSchema leaves the Arrow schema in the file's metadata, for what Parquet's own schema does not say.
func storeSchema(w *pqarrow.FileWriter, sc *arrow.Schema, mem memory.Allocator) error {
	var message bytes.Buffer
	if err := ipc.NewWriter(&message, ipc.WithSchema(sc), ipc.WithAllocator(mem)).Close(); err != nil {
		return err
	}
	return w.AppendKeyValueMetadata(arrowSchemaKey, base64.StdEncoding.EncodeToString(message.Bytes()))
}

// checkNested refuses dictionaries inside nested columns, which pqarrow writes wrongly.
func checkNested(sc *arrow.Schema) error {
	for _, f := range sc.Fields() {
		if nested, ok := f.Type.(arrow.NestedType); ok && hasDictionary(nested) {
			return fmt.Errorf("column %q: a dictionary inside a nested column cannot be written to Parquet", f.Name)
		}
	}
	return nil
}

func hasDictionary(typ arrow.DataType) bool {
	if nested, ok := typ.(arrow.NestedType); ok {
		return slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return hasDictionary(f.Type) })
	}
	return typ.ID() == arrow.DICTIONARY
}
