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
// They hold for the rows of the file that they are in, so that no output takes them over from an input.
type CurveOrder struct {
	Curve string   `json:"curve"` // hilbert or zorder
	Keys  []string `json:"keys"`  // as they are typed on the command line
	Grid  []byte   `json:"-"`     // the cells of the keys
}

const (
	curveKey = "arrowsort.curve"
	gridKey  = curveKey + ".grid"
)

// isCurvePair reports whether a key of metadata is one of a curve.
func isCurvePair(key string) bool { return key == curveKey || strings.HasPrefix(key, curveKey+".") }

// WithoutCurve returns a schema whose metadata do not name a curve.
func WithoutCurve(schema *arrow.Schema) *arrow.Schema {
	meta := schema.Metadata()
	if !slices.ContainsFunc(meta.Keys(), isCurvePair) {
		return schema
	}
	var keys, values []string
	for i, key := range meta.Keys() {
		if !isCurvePair(key) {
			keys, values = append(keys, key), append(values, meta.Values()[i])
		}
	}
	kept := arrow.NewMetadata(keys, values)
	return arrow.NewSchema(schema.Fields(), &kept)
}

// takeCurve takes the pairs of a curve out of the metadata of a file.
func takeCurve(meta *metadata.FileMetaData) map[string]string {
	pairs, taken := meta.FileMetaData.KeyValueMetadata, map[string]string{}
	kept := pairs[:0:0]
	for _, pair := range pairs {
		if isCurvePair(pair.Key) {
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

// setCurve adds the pairs of a curve to a footer.
func setCurve(footer *metadata.FileMetaData, c *CurveOrder) error {
	takeCurve(footer)
	if c == nil {
		return nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	for _, pair := range [][2]string{{curveKey, string(text)}, {gridKey, base64.StdEncoding.EncodeToString(c.Grid)}} {
		pairs := grow(slices.Clone(footer.FileMetaData.KeyValueMetadata))
		last := pairs[len(pairs)-1]
		last.Key, last.Value = pair[0], &pair[1]
		footer.FileMetaData.KeyValueMetadata = pairs
	}
	return nil
}

// Curve returns the curve that the metadata name; nil for none.
func (t *Template) Curve() (*CurveOrder, error) {
	text, named := t.curve[curveKey]
	if !named {
		return nil, nil
	}
	c := &CurveOrder{}
	err := json.Unmarshal([]byte(text), c)
	if err == nil {
		c.Grid, err = base64.StdEncoding.DecodeString(t.curve[gridKey])
	}
	if err != nil {
		return nil, errkind.Corrupt("the metadata %s: %v", curveKey, err)
	}
	return c, nil
}
