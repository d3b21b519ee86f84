//go:build capi

package capi

// #include "request.h"
import "C"

import (
	"context"
	"encoding/json"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// A job is what a function of one input works on.
type job struct {
	*settings
	data arrowsort.Data
}

// with reads the arguments of a function of one input, and does its work.
func (r *request) with(work func(ctx context.Context, j job) error) (err error) {
	var j job
	if j.settings, err = settingsOf(r); err != nil {
		return err
	}
	if j.data, err = dataOf(r.data, "data"); err != nil {
		return err
	}
	defer j.data.Release()
	return work(j.context(), j)
}

// do is with for a function whose result is data, of which it makes a handle.
func (r *request) do(work func(ctx context.Context, j job) (arrowsort.Data, error)) error {
	return r.with(func(ctx context.Context, j job) error {
		result, err := work(ctx, j)
		if err != nil {
			return err
		}
		return putData(r.out, result)
	})
}

// column makes an array a column, and takes it over.
func column[A arrow.Array](a A, err error) (arrowsort.Data, error) {
	if err != nil {
		return nil, err
	}
	defer a.Release()
	return arrow.NewChunked(a.DataType(), []arrow.Array{a}), nil
}

func sortData(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		return arrowsort.Sort(ctx, j.data, j.keys, j.steps().Options)
	})
}

func sortIndices(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		switch r.parameter {
		case 32:
			return column(arrowsort.SortIndices32(ctx, j.data, j.keys, j.steps().Options))
		case 64:
			return column(arrowsort.SortIndices(ctx, j.data, j.keys, j.steps().Options))
		}
		return nil, optionErrorf("row numbers of %d bits: give 32 or 64", r.parameter)
	})
}

func takeRows(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		rows, err := dataOf(r.other, "rows")
		if err != nil {
			return nil, err
		}
		defer rows.Release()
		numbers, err := oneArray(rows, "rows")
		if err != nil {
			return nil, err
		}
		defer numbers.Release()
		return arrowsort.Take(ctx, j.data, numbers, j.Options)
	})
}

func isSorted(r *request) error {
	return r.with(func(ctx context.Context, j job) error {
		_, row, err := arrowsort.IsSorted(ctx, j.data, j.keys, j.Options)
		if err != nil {
			return err
		}
		return r.putNumber(int64(row))
	})
}

func rankRows(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		ties := map[C.int32_t]arrowsort.TieBreaker{
			C.ARROWSORT_TIES_FIRST: arrowsort.TiesFirst, C.ARROWSORT_TIES_MIN: arrowsort.TiesMin,
			C.ARROWSORT_TIES_MAX: arrowsort.TiesMax, C.ARROWSORT_TIES_DENSE: arrowsort.TiesDense,
		}
		if breaker, ok := ties[r.parameter]; ok {
			return column(arrowsort.Rank(ctx, j.data, j.keys, breaker, j.steps().Options))
		}
		if r.parameter == C.ARROWSORT_TIES_AVERAGE {
			return column(arrowsort.RankAverage(ctx, j.data, j.keys, j.steps().Options))
		}
		return nil, optionErrorf("ties is %d, which is none of arrowsort_ties", r.parameter)
	})
}

func searchSorted(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		values, err := dataOf(r.other, "values")
		if err != nil {
			return nil, err
		}
		defer values.Release()
		side := arrowsort.Left
		if r.parameter != 0 {
			side = arrowsort.Right
		}
		return column(arrowsort.SearchSorted(ctx, j.data, values, j.keys, side, j.Options))
	})
}

func findGroups(r *request) error {
	return r.do(func(ctx context.Context, j job) (arrowsort.Data, error) {
		return column(arrowsort.Groups(ctx, j.data, j.keys, j.Options))
	})
}

func mergeData(r *request) error {
	s, err := settingsOf(r)
	if err != nil {
		return err
	}
	if r.n_inputs < 0 || r.n_inputs > 0 && r.inputs == nil {
		return optionErrorf("there are %d inputs, or their pointer is NULL", r.n_inputs)
	}
	var inputs []arrowsort.Data
	defer func() { arraydata.Release(inputs) }()
	for _, handle := range unsafe.Slice(r.inputs, int(r.n_inputs)) {
		input, err := dataOf(handle, "an input")
		if err != nil {
			return err
		}
		inputs = append(inputs, input)
	}
	merged, err := arrowsort.Merge(s.context(), inputs, s.keys, s.steps().Options)
	if err != nil {
		return err
	}
	return putData(r.out, merged)
}

func explainSort(r *request) error {
	return r.with(func(ctx context.Context, j job) error {
		plan, err := arrowsort.Explain(ctx, j.data, j.keys, j.Options)
		if err != nil {
			return err
		}
		text, err := json.Marshal(plan)
		if err != nil {
			return err
		}
		return r.putText(text)
	})
}

// putText passes a text to C, which frees it.
func (r *request) putText(text []byte) error {
	if r.out_text == nil {
		return optionErrorf("the pointer to the text is NULL")
	}
	*r.out_text = C.CString(string(text))
	return nil
}
