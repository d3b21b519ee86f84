package writer

import (
	"bytes"
	"encoding/base64"

	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// ArrowSchemaKey is the metadata of a file that has the Arrow schema.
const ArrowSchemaKey = "ARROW:schema"

// EmptyFooter is the footer of a file with all columns and no rows.
func (e *Encoder) EmptyFooter() (*metadata.FileMetaData, error) {
	var file bytes.Buffer
	w, err := pqarrow.NewFileWriter(e.columns, &file, e.props, e.arrowProps)
	if err != nil {
		return nil, err
	}
	if err := storeSchema(w, arraydata.WithTypes(e.schema, namedType), e.opts.Allocator); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p, err := parseEncoded(file.Bytes())
	return p.Footer, err
}

// storeSchema leaves the Arrow schema in the file's metadata, for what Parquet's own schema does not say.
func storeSchema(w *pqarrow.FileWriter, sc *arrow.Schema, mem memory.Allocator) error {
	var message bytes.Buffer
	if err := arrowipc.NewWriter(&message, arrowipc.WithSchema(sc), arrowipc.WithAllocator(mem)).Close(); err != nil {
		return err
	}
	return w.AppendKeyValueMetadata(ArrowSchemaKey, base64.StdEncoding.EncodeToString(message.Bytes()))
}
