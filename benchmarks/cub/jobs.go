//go:build cuda && cub && linux && amd64

package cub

// #include "api.h"
import "C"

import "fmt"

// A distribution is one of kernels/test/distributions.h.
type distribution int

func (d distribution) String() string { return C.GoString(C.distribution_name(C.int(d))) }

var distributions = int(C.distribution_count())

// A recipe is what is in a column: a Recipe of api.h.
type recipe struct {
	Type
	distribution
	nullsPercent, nanPermille, zeroPermille int
	anyBits                                 bool
	variant                                 uint64
}

// A job is what is sorted, and how many times CUB's speed is asked for.
type job struct {
	keys  []recipe
	asked [4]float64 // for 2^28, 2^24, 2^20, 2^16 rows; 0: not in the table
	mode  int        // 1: descending, 2: nulls at the start
	alone bool       // keys only: values are sorted, without row numbers
	name  string     // empty: the distribution's
	byKey bool       // CUB sorts by one key after the other, from the last on, and not by codes of 64 bits
}

var jobRows = []int{28, 24, 20, 16}

func single(r recipe, mode int) job { return job{keys: []recipe{r}, mode: mode} }

func (j job) String() string {
	r := j.keys[0]
	switch {
	case len(j.keys) > 1:
		return j.name
	case j.name != "":
		return r.Type.String() + " " + j.name
	}
	name := r.Type.String() + " " + r.distribution.String()
	if r.nullsPercent > 0 {
		name += fmt.Sprintf(", %d %% null", r.nullsPercent)
	}
	if j.mode&1 != 0 {
		name += ", desc"
	}
	if j.alone {
		name += ", keys only"
	}
	return name
}

// valueJobs are the rows of the table for keys only: uniform keys, and the paper's AND of uniform numbers.
func valueJobs() (jobs []job) {
	add := func(asked [4]float64, t Type, mode int, distributions ...distribution) {
		for _, d := range distributions {
			jobs = append(jobs, job{keys: []recipe{{Type: t, distribution: d}}, asked: asked, mode: mode, alone: true})
		}
	}
	uniform32, uniform64, low := [4]float64{2, 1.8, 1.5}, [4]float64{4, 3.6, 2.5}, [4]float64{1.4, 1.4}
	add(uniform32, U32, 0, C.UNIFORM)
	add(uniform32, I32, 1, C.UNIFORM)
	add(uniform64, U64, 0, C.UNIFORM)
	add(uniform64, I64, 1, C.UNIFORM)
	for _, t := range []Type{U32, U64} {
		add(low, t, 0, C.AND2, C.AND4, C.AND8, C.AND16)
	}
	return jobs
}

// tableJobs are the rows of the table.
func tableJobs() (jobs []job) {
	add := func(t Type, asked [4]float64, distributions ...distribution) {
		for _, d := range distributions {
			jobs = append(jobs, job{keys: []recipe{{Type: t, distribution: d}}, asked: asked})
		}
	}
	named := func(name string, mode int, asked [4]float64, keys ...recipe) {
		jobs = append(jobs, job{keys: keys, asked: asked, mode: mode, name: name})
	}
	for _, t := range []Type{U32, I32, F32} {
		add(t, [4]float64{2, 2, 2.2, 2.2}, C.UNIFORM)
	}
	for _, t := range []Type{I64, U64, F64} {
		add(t, [4]float64{4, 4, 4, 3.5}, C.UNIFORM)
	}
	add(U32, [4]float64{1.25, 1.25, 1, 1}, C.AND2, C.AND4, C.AND8, C.AND16, C.CONSTANT, C.FIVE_VALUES, C.HALF_ONES,
		C.RUNS, C.RANGE16, C.RANGE24, C.HOT_BUCKET, C.VALUES17, C.VALUES22, C.ZIPF)
	hard32, hard64 := [4]float64{1.45, 1.3, 1.15}, [4]float64{2.2, 1.8, 1.3}
	for _, d := range []distribution{C.JITTER, C.CLOSE_JITTER} {
		add(U32, hard32, d)
		add(I64, hard64, d)
	}
	add(U32, hard32, C.VALUES20, C.ZIPF_IDS, C.MAGNITUDES32)
	add(F32, [4]float64{1.5, 1.5, 1.3}, C.NORMAL, C.LOGNORMAL)
	add(F32, hard32, C.PRICES, C.READINGS)
	plain := len(jobs)
	add(I64, hard64, C.VALUES20, C.VALUES24, C.ZIPF_IDS, C.ZIPF_RANKS, C.CLUSTERS10, C.CLUSTERS10000, C.MAGNITUDES,
		C.POWERS, C.FEW_OUTLIERS, C.BELOW1000, C.SAWTOOTH, C.HALF_ONES)
	add(F64, hard64, C.NORMAL, C.LOGNORMAL, C.PRICES, C.READINGS)
	for _, j := range jobs[plain:] { // the same with nulls, in the other order
		r := j.keys[0]
		r.nullsPercent = 30
		jobs = append(jobs, job{keys: []recipe{r}, asked: j.asked, mode: 1})
	}
	add(I64, [4]float64{2.5, 2}, C.SWAPPED)
	add(U32, hard32, C.SWAPPED)
	add(I64, [4]float64{1.5, 1.5}, C.AND2, C.AND4, C.AND8, C.AND16, C.TIES, C.CONSTANT, C.TWO_VALUES, C.FIVE_VALUES,
		C.PREFIXES)
	add(I64, [4]float64{4, 4}, C.LIVE20, C.LIVE32, C.HOUR)
	for mode, name := range []string{"5 % null, 1 % NaN, zeros", "the same, descending", "the same, nulls first",
		"the same, both"} {
		named(name, mode, [4]float64{3.5, 3.5}, recipe{Type: F64, nullsPercent: 5, nanPermille: 10, zeroPermille: 10})
	}
	named("two keys: i32, i32", 0, [4]float64{3.5, 3.5}, recipe{Type: I32}, recipe{Type: I32})
	named("two keys: i16, 40 bits", 0, [4]float64{3.5, 3.5}, recipe{Type: I16},
		recipe{Type: I64, distribution: C.LIVE40})
	jobs = append(jobs, wideJobs()...)
	for _, t := range []Type{I64, F64} {
		if t.isFloat() {
			named("0.4 % zeros", 0, [4]float64{2, 2}, recipe{Type: t, zeroPermille: 4})
		}
		named("25 % nulls", 0, [4]float64{2, 2}, recipe{Type: t, nullsPercent: 25})
		add(t, [4]float64{2, 2}, C.HOT_VALUE, C.SHARED40, C.OUTLIERS)
	}
	for _, t := range []Type{U32, I64} {
		add(t, [4]float64{8, 8}, C.SORTED, C.REVERSED)
	}
	return append(jobs, valueJobs()...)
}

// wideJobs are sorts by keys of more than 64 bits.
func wideJobs() (jobs []job) {
	category, date := recipe{Type: I32, distribution: C.CATEGORIES}, recipe{Type: I32, distribution: C.DATES}
	time := recipe{Type: I64, distribution: C.LIVE40}
	for _, j := range []job{
		{name: "two keys: i32 category, f64", keys: []recipe{category, {Type: F64}}},
		{name: "two keys: i32 category, lognormal f64",
			keys: []recipe{category, {Type: F64, distribution: C.LOGNORMAL}}},
		{name: "two keys: i64 user, i64 time", keys: []recipe{{Type: I64}, time}},
		{name: "two keys: i64 of 2^20 users, i64 time", keys: []recipe{{Type: I64, distribution: C.VALUES20}, time}},
		{name: "three keys: i16, date32, i32", keys: []recipe{{Type: I16}, date, {Type: I32}}},
	} {
		j.asked, j.byKey = [4]float64{2, 1.8, 1.3}, true
		jobs = append(jobs, j)
	}
	return jobs
}
