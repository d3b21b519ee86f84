package parquet

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/metadata"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// A CurveOrder is the order of the rows of a file along a space-filling curve. No field of Parquet holds it; the
// key-value metadata do:
//
//	arrowsort.curve        {"curve":"hilbert","keys":["origin","date:desc"]}
//	arrowsort.curve.grid   the cells of the keys, in base64
//
// They hold for the rows of the file that they are in, so that no output takes them over from an input. Other programs
// that write the rows again may do so: the pairs of their files are not read.
type CurveOrder struct {
	Curve string   `json:"curve"` // hilbert or zorder
	Keys  []string `json:"keys"`  // as they are typed on the command line
	Grid  []byte   `json:"-"`     // the cells of the keys
}

// A RowOrder is the order of the rows of a file by keys. The zero value is none.
type RowOrder struct {
	Sorting []SortingColumn // as far as Parquet has a name for it
	Keys    *KeyOrder       // all of it; nil: as Sorting. The file names it where its sorting columns do not
}

// A KeyOrder is an order of keys that sorting columns cannot name: of text that is not in the order of bytes, of
// columns with NaN, or of ones that are several columns of Parquet. The key-value metadata hold it in the same way:
//
//	arrowsort.order        {"keys":["name:collate=de","date:desc"],"cldr":"23"}
type KeyOrder struct {
	Keys []string `json:"keys"`           // as they are typed on the command line
	CLDR string   `json:"cldr,omitempty"` // the version of the rules of locales
}

const (
	curveKey = "arrowsort.curve"
	gridKey  = curveKey + ".grid"
	orderKey = "arrowsort.order"
)

// isOrderPair reports whether a key of metadata is one of a curve or an order.
func isOrderPair(key string) bool {
	return key == curveKey || strings.HasPrefix(key, curveKey+".") || key == orderKey
}

// WithoutOrder returns a schema whose metadata name neither a curve nor an order.
func WithoutOrder(schema *arrow.Schema) *arrow.Schema {
	meta := schema.Metadata()
	if !slices.ContainsFunc(meta.Keys(), isOrderPair) {
		return schema
	}
	var keys, values []string
	for i, key := range meta.Keys() {
		if !isOrderPair(key) {
			keys, values = append(keys, key), append(values, meta.Values()[i])
		}
	}
	kept := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(schema.Fields(), &kept)
}

// takeOrder takes the pairs of a curve and of an order out of the metadata of a file.
func takeOrder(meta *metadata.FileMetaData) map[string]string {
	pairs, taken := meta.FileMetaData.KeyValueMetadata, map[string]string{}
	kept := pairs[:0:0]
	for _, pair := range pairs {
		if isOrderPair(pair.Key) {
			taken[pair.Key] = pair.GetValue()
		} else {
			kept = append(kept, pair)
		}
	}
	if len(taken) > 0 {
		meta.FileMetaData.KeyValueMetadata = kept
	}
	return taken
}

// setOrder adds the pairs of a curve or an order to a footer; nil for none.
func setOrder(footer *metadata.FileMetaData, c *CurveOrder, o *KeyOrder) error {
	takeOrder(footer)
	var all [][2]string
	if c != nil {
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		all = append(all, [2]string{curveKey, string(text)},
			[2]string{gridKey, base64.StdEncoding.EncodeToString(c.Grid)})
	}
	if o != nil {
		text, err := json.Marshal(o)
		if err != nil {
			return err
		}
		all = append(all, [2]string{orderKey, string(text)})
	}
	for _, pair := range all {
		pairs := grow(slices.Clone(footer.FileMetaData.KeyValueMetadata))
		last := pairs[len(pairs)-1]
		last.Key, last.Value = pair[0], &pair[1]
		footer.FileMetaData.KeyValueMetadata = pairs
	}
	return nil
}

// Curve returns the curve that the metadata name; nil for none.
func (t *Template) Curve() (*CurveOrder, error) {
	text, named := t.order[curveKey]
	if !named {
		return nil, nil
	}
	c := &CurveOrder{}
	err := json.Unmarshal([]byte(text), c)
	if err == nil {
		c.Grid, err = base64.StdEncoding.DecodeString(t.order[gridKey])
	}
	if err != nil {
		return nil, errkind.Corrupt("the metadata %s: %v", curveKey, err)
	}
	return c, nil
}

// KeyOrder returns the order of keys that the metadata name; nil for none.
func (t *Template) KeyOrder() (*KeyOrder, error) {
	text, named := t.order[orderKey]
	if !named {
		return nil, nil
	}
	o := &KeyOrder{}
	if err := json.Unmarshal([]byte(text), o); err != nil {
		return nil, errkind.Corrupt("the metadata %s: %v", orderKey, err)
	}
	return o, nil
}
