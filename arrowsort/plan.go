package arrowsort

import (
	"encoding/json"

	"github.com/arrowsort/arrowsort/keyencode"
)

// A Plan describes the codes that are sorted in place of the rows: the bits of each key in them. It can be written as
// text and as JSON. The zero value is no plan.
type Plan struct{ codes *keyencode.Plan }

// String describes the plan in words, on one line.
func (p Plan) String() string {
	if p.codes == nil {
		return ""
	}
	return p.codes.String()
}

// Lines describes the plan in words: a line for each key with the bits that it takes, then one for the whole code.
func (p Plan) Lines() []string {
	if p.codes == nil {
		return nil
	}
	return p.codes.Lines()
}

// MarshalJSON writes the plan in numbers, as an object with the fields keys, words, sorted and reversed that
// docs/json.md describes; no plan is null.
func (p Plan) MarshalJSON() ([]byte, error) {
	if p.codes == nil {
		return []byte("null"), nil
	}
	d := planDetails{Words: p.codes.Words(), Sorted: p.codes.Sorted(), Reversed: p.codes.Reversed()}
	for i, k := range p.codes.Keys() {
		s := p.codes.Statistics(i)
		d.Keys = append(d.Keys, keyDetails{
			Column: k.Name, Type: k.Type, Collation: k.Collation, Bits: p.codes.KeyBits(i),
			Nulls: s.Nulls, NaNs: s.NaNs,
			Descending: k.Order == Descending, NullsFirst: k.Nulls == NullsAtStart,
		})
	}
	return json.Marshal(d)
}

type planDetails struct {
	Keys     []keyDetails `json:"keys"`
	Words    int          `json:"words"` // of 64 bits that a code takes; long strings take more where rows tie
	Sorted   bool         `json:"sorted"`
	Reversed bool         `json:"reversed"`
}

type keyDetails struct {
	Column     string `json:"column"`
	Type       string `json:"type"`
	Collation  string `json:"collation,omitempty"`
	Bits       int    `json:"bits"` // of the code; of long strings those of its first part
	Descending bool   `json:"descending"`
	NullsFirst bool   `json:"nulls_first"`
	Nulls      int    `json:"nulls"`
	NaNs       int    `json:"nans"`
}
