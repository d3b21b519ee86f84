package arrowsort

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// A KeyColumn is a key that was found in a schema.
type KeyColumn struct {
	// Name is the path of the key, or the name of its column.
	Name string
	// Path is the position of the column in the schema, then the position of each field below it.
	Path []int
	// Type is the type of the column or field. A struct orders by its fields.
	Type arrow.DataType
	// Order and Nulls are those of the key.
	Order Order
	Nulls NullPlacement
}

// ResolveKeys returns the column of each key in data of a schema, for packages that compute with keys. It fails with
// ErrNoKeys, ErrColumn, ErrKeyType or ErrOption where Sort does.
func ResolveKeys(schema *arrow.Schema, keys []Key) ([]KeyColumn, error) {
	if schema == nil {
		return nil, fmt.Errorf("%w: the schema is nil", ErrOption)
	}
	d := dataset{shape: recordShape, schema: schema}
	d.Columns = columnsOf(schema)
	keys, err := d.checked(keys)
	if err != nil {
		return nil, err
	}
	columns := make([]KeyColumn, len(keys))
	for i, key := range keys {
		leaf, err := d.find(key)
		if err != nil {
			return nil, err
		}
		if _, err := expand(nil, sortKey{leaf, key.Order, key.Nulls}); err != nil {
			return nil, err
		}
		columns[i] = KeyColumn{leaf.Name, slices.Clone(leaf.Path), leaf.Type, key.Order, key.Nulls}
	}
	return columns, nil
}
