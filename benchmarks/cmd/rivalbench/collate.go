package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// collateLocale is the language of the order of mode collate.
const collateLocale = "de"

// collateWork compares a sort by the rules of a language with what a Go program does without it: it sorts strings by
// CompareString of a collate.Collator, a part of them on each thread, and merges the parts. The strings are copied
// inside the clock, because they are sorted in place.
func collateWork(rec arrow.Record, keys []arrowsort.Key) (*work, error) {
	column, ok := rec.Column(0).(*array.String)
	if !ok || column.NullN() > 0 {
		return nil, fmt.Errorf("mode collate wants a first column of strings without nulls, got %s",
			rec.Column(0).DataType())
	}
	for i := range keys {
		keys[i].Collation = arrowsort.Locale(collateLocale, arrowsort.LocaleOptions{})
	}
	texts := make([]string, column.Len())
	for row := range texts {
		texts[row] = column.Value(row)
	}
	return &work{variants: []variant{
		{"arrowsort", func(ctx context.Context) (arrow.Record, measured, error) {
			return clock(func() (arrow.Record, error) { return arrowsort.Sort(ctx, rec, keys, arrowsort.Options{}) })
		}},
		{"collate", func(context.Context) (arrow.Record, measured, error) {
			return clock(func() (arrow.Record, error) {
				sortByLocale(slices.Clone(texts), runtime.GOMAXPROCS(0))
				return nil, nil
			})
		}},
	}}, nil
}

// sortByLocale returns the texts in order, sorted by some threads.
func sortByLocale(texts []string, threads int) []string {
	part := (len(texts) + threads - 1) / threads
	parts := slices.Collect(slices.Chunk(texts, max(part, 1)))
	var sorting sync.WaitGroup
	for _, p := range parts {
		sorting.Go(func() { slices.SortStableFunc(p, collator().CompareString) })
	}
	sorting.Wait()
	order := collator()
	for len(parts) > 1 {
		a, b := parts[0], parts[1]
		merged := make([]string, 0, len(a)+len(b))
		for len(a) > 0 && len(b) > 0 {
			if order.CompareString(b[0], a[0]) < 0 {
				merged, b = append(merged, b[0]), b[1:]
			} else {
				merged, a = append(merged, a[0]), a[1:]
			}
		}
		parts = append([][]string{append(append(merged, a...), b...)}, parts[2:]...)
	}
	return slices.Concat(parts...)
}

// collator returns a collator, which is for one goroutine.
func collator() *collate.Collator { return collate.New(language.MustParse(collateLocale)) }
