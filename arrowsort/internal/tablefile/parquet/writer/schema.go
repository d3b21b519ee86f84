package writer

import (
	"bytes"
	"encoding/base64"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	arrowipc "github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
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
	origin, err := EncodeSchema(convert.ToSchema(arraydata.WithTypes(e.schema, namedType)))
	if err != nil {
		return nil, err
	}
	if err := w.AppendKeyValueMetadata(ArrowSchemaKey, origin); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p, err := parseEncoded(file.Bytes())
	if err == nil {
		err = e.decimalsAsStored(p.Footer, 0)
	}
	return p.Footer, err
}

// EncodeSchema returns the value of ArrowSchemaKey for a schema: what Parquet's own schema does not say.
func EncodeSchema(sc *arrow18.Schema) (string, error) {
	var message bytes.Buffer
	err := arrowipc.NewWriter(&message, arrowipc.WithSchema(sc)).Close()
	return base64.StdEncoding.EncodeToString(message.Bytes()), err
}
