package arrow18

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	v15 "github.com/apache/arrow/go/v15/arrow"
	ipc15 "github.com/apache/arrow/go/v15/arrow/ipc"
)

// FromSchema converts a schema of v18. An extension type that is registered in v18 only becomes its storage type, with
// its name and parameters in the metadata of the field.
func FromSchema(sc *arrow.Schema) (*v15.Schema, error) {
	var message bytes.Buffer
	w := ipc.NewWriter(&message, ipc.WithSchema(sc))
	if err := w.Close(); err != nil {
		return nil, err
	}
	r, err := ipc15.NewReader(&message)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return r.Schema(), nil
}

// FromField converts a field of v18, see FromSchema.
func FromField(f arrow.Field) (v15.Field, error) {
	sc, err := FromSchema(arrow.NewSchema([]arrow.Field{f}, nil))
	if err != nil {
		return v15.Field{}, err
	}
	return sc.Field(0), nil
}
