package tablefile

import (
	"bytes"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"
)

// dictionaryEncoder is what a column writer encodes with as long as it writes a dictionary.
type dictionaryEncoder interface {
	PutDictionary(entries arrow.Array) error
	NumEntries() int
}

// writeIndices writes a dictionary array as the only one of its column chunk: the entries it refers to and its indices.
// pqarrow would hash all indices for the statistics, and skip empty strings in them.
func (e *columnEncoder) writeIndices(ctx context.Context, column file.ColumnChunkWriter, a *array.Dictionary, levels []int16, nullable bool) error {
	encoder, ok := column.CurrentEncoder().(dictionaryEncoder)
	if !ok || !storesEntries(a.Dictionary().DataType()) {
		return pqarrow.WriteArrowToColumn(ctx, column, a, levels, nil, nullable)
	}
	used, err := usedEntries(a, e.opts.Allocator)
	if err != nil {
		return err
	}
	defer used.Release()
	entries := used.Dictionary()
	if entries.Len() > dictionaryEntries { // also of a table that came with large dictionaries
		column.FallbackToPlain()
		return pqarrow.WriteArrowToColumn(ctx, column, a, levels, nil, nullable)
	}
	if err := encoder.PutDictionary(entries); err != nil {
		return err
	}
	if encoder.NumEntries() != entries.Len() { // an entry twice: the indices do not fit the encoder's entries
		column.FallbackToPlain()
		return pqarrow.WriteArrowToColumn(ctx, column, a, levels, nil, nullable)
	}
	if stats := column.PageStatistics(); stats != nil && entries.Len() > 0 {
		stats.IncNulls(int64(a.NullN()))
		stats.IncNumValues(int64(a.Len() - a.NullN()))
		setBounds(stats, entries)
	} else if stats != nil {
		stats.IncNulls(int64(a.Len()))
	}
	return column.WriteDictIndices(used.Indices(), levels, nil)
}

// storesEntries says whether an encoder takes entries of the type.
func storesEntries(typ arrow.DataType) bool {
	switch typ.ID() {
	case arrow.STRING, arrow.BINARY, arrow.INT64:
		return true
	}
	return false
}

// setBounds tells the statistics the least and the greatest entry.
func setBounds(stats metadata.TypedStatistics, entries arrow.Array) {
	switch stats := stats.(type) {
	case *metadata.Int64Statistics:
		values := entries.(*array.Int64).Int64Values()
		stats.SetMinMax(slices.Min(values), slices.Max(values))
	case *metadata.ByteArrayStatistics:
		entry := entryBytes(entries)
		low, high := entry(0), entry(0)
		for i := range entries.Len() {
			if e := entry(i); bytes.Compare(e, low) < 0 {
				low = e
			} else if bytes.Compare(e, high) > 0 {
				high = e
			}
		}
		stats.SetMinMax(parquet.ByteArray(low), parquet.ByteArray(high))
	}
}
