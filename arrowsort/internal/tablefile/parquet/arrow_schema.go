package parquet

import (
	"bytes"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow-go/v18/parquet/schema"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/parquet/writer"
)

func withoutFieldID(meta arrow.Metadata) arrow.Metadata {
	if i := meta.FindKey(ipc.FieldIDKey); i < 0 || meta.Values()[i] != "-1" {
		return meta
	}
	var keys, values []string
	for i, k := range meta.Keys() {
		if k != ipc.FieldIDKey {
			keys, values = append(keys, k), append(values, meta.Values()[i])
		}
	}
	return arrow.NewMetadata(keys, values)
}

// originSchema is the Arrow schema that a writer left in the file's metadata, a stream of one message in base64 with or
// without padding; nil for none, or one of another number of columns.
func originSchema(pairs metadata.KeyValueMetadata, columns int, mem memory.Allocator) (*arrow.Schema, error) {
	encoded := pairs.FindValue(writer.ArrowSchemaKey)
	if encoded == nil {
		return nil, nil
	}
	b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*encoded, "="))
	if err != nil {
		return nil, fileerror.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	r, err := ipc.OpenStream(bytes.NewReader(b), int64(len(b)), mem)
	if errors.Is(err, fileerror.ErrUnsupported) {
		return nil, err
	} else if err != nil {
		return nil, fileerror.Corrupt("the Arrow schema in the metadata: %v", err)
	}
	defer r.Release()
	if r.Schema().NumFields() != columns {
		return nil, nil
	}
	return r.Schema(), nil
}

// readableSchema makes the variants of a schema plain groups, which they are read as: pqarrow refuses some that are
// shredded, such as those with optional groups. Maps whose keys are optional, as old Presto wrote them, become lists of
// keys and values.
func readableSchema(meta *metadata.FileMetaData) error {
	elements, changes := slices.Clone(meta.FileMetaData.Schema), 0
	for i, e := range elements {
		changed := *e
		switch logical := e.LogicalType; {
		case logical != nil && logical.IsSetVARIANT():
			changed.LogicalType = nil
		case (logical != nil && logical.IsSetMAP() || e.ConvertedType != nil &&
			int(*e.ConvertedType) == int(schema.ConvertedTypes.Map)) && i+2 < len(elements) &&
			elements[i+2].GetNumChildren() == 0 &&
			int(elements[i+2].GetRepetitionType()) == int(parquet.Repetitions.Optional):
			changed.LogicalType = nil
			setNumber(&changed.ConvertedType, int64(schema.ConvertedTypes.List))
		default:
			continue
		}
		elements[i] = &changed
		changes++
	}
	if changes == 0 {
		return nil
	}
	root, err := schema.FromParquet(elements)
	if err != nil {
		return fileerror.Corrupt("%v", err)
	}
	meta.Schema = schema.NewSchema(root.(*schema.GroupNode))
	return nil
}

// openLeaves opens a file with pqarrow, which finds the types of the origin in its metadata, but no extension types: it
// refuses some. All metadata of the fields come from the origin itself.
func openLeaves(r *file.Reader, origin *arrow.Schema, mem memory.Allocator) (*pqarrow.FileReader, error) {
	meta := r.MetaData()
	pairs, whole := meta.FileMetaData.KeyValueMetadata, meta.Schema
	defer func() { meta.FileMetaData.KeyValueMetadata, meta.Schema = pairs, whole }()
	if err := readableSchema(meta); err != nil {
		return nil, err
	}
	var only metadata.KeyValueMetadata
	if origin != nil {
		layout, err := writer.EncodeSchema(convert.ToLayout(origin))
		if err != nil {
			return nil, err
		}
		if err := only.Append(writer.ArrowSchemaKey, layout); err != nil {
			return nil, err
		}
	}
	meta.FileMetaData.KeyValueMetadata = only
	return pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, mem)
}
