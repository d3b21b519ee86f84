package main

import "github.com/arrowsort/arrowsort/keyencode"

// A planReport is the plan of the keys in numbers.
type planReport struct {
	Keys     []planKey `json:"keys"`
	Words    int       `json:"words"` // of 64 bits that a code takes; long strings take more where rows tie
	Sorted   bool      `json:"sorted"`
	Reversed bool      `json:"reversed"`
}

// A planKey is what a key comes down to.
type planKey struct {
	Column     string `json:"column"`
	Type       string `json:"type"`
	Bits       int    `json:"bits"` // of the code; of long strings those of its first part
	Descending bool   `json:"descending"`
	NullsFirst bool   `json:"nulls_first"`
	Nulls      int    `json:"nulls"`
	NaNs       int    `json:"nans"`
}

func planDetails(plan *keyencode.Plan) *planReport {
	r := &planReport{Words: plan.Words(), Sorted: plan.Sorted(), Reversed: plan.Reversed()}
	for i, k := range plan.Keys() {
		s := plan.Statistics(i)
		r.Keys = append(r.Keys, planKey{
			Column: k.Name, Type: k.Type, Bits: plan.KeyBits(i), Nulls: s.Nulls, NaNs: s.NaNs,
			Descending: k.Order == keyencode.Descending, NullsFirst: k.Nulls == keyencode.NullsAtStart,
		})
	}
	return r
}
