package parquetsort

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
)

// Partitions are sorted as all other outputs, by the columns of PartitionBy before the keys: then the rows of a
// partition follow one another, and a file is written after the other.

// checkPartitions finds options that do not go with partitions.
func (o *Options) checkPartitions(merge bool) error {
	switch partitioned := len(o.Output.PartitionBy) > 0; {
	case !partitioned && o.Output.Overwrite:
		return fmt.Errorf("%w: Overwrite replaces partitions, and there is no PartitionBy", errOption)
	case partitioned && merge:
		return fmt.Errorf("%w: PartitionBy goes with Sort, which merges files that are sorted by these columns and "+
			"the keys, but not with Merge", errOption)
	case partitioned && (o.Rows.Limit > 0 || o.Rows.Tail > 0):
		return fmt.Errorf("%w: PartitionBy goes with neither Limit nor Tail, which are about the order of all rows",
			errOption)
	}
	return nil
}

// partitionKeys returns the columns of partitions as keys, followed by other keys.
func partitionKeys(names []string, keysFor KeysFor) KeysFor {
	return func(schema *arrow.Schema) ([]arrowsort.Key, error) {
		keys, err := keysFor(schema)
		if err != nil || len(keys) == 0 {
			return nil, err
		}
		columns, err := (dataset.Projection{Schema: schema}).Find("PartitionBy", names)
		if err != nil {
			return nil, err
		}
		var all []arrowsort.Key
		for _, c := range columns {
			all = append(all, arrowsort.KeyAt(c))
		}
		return append(all, keys...), nil
	}
}

// writtenColumns returns the columns that are written: those of Columns, or all, without those of partitions.
func (j *job) writtenColumns(partitions []int) ([]int, error) {
	columns, err := j.rows.Find("Columns", j.opts.Columns)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		columns = j.rows.Writable()
	}
	columns = slices.DeleteFunc(columns, func(c int) bool { return slices.Contains(partitions, c) })
	if len(columns) == 0 {
		return nil, fmt.Errorf("%w: PartitionBy names all columns that are written, and files need another one",
			errOption)
	}
	return columns, nil
}

// findPartitions returns the partitions of the rows, nil for none, and makes sure that they can be written.
func (j *job) findPartitions() (*output.Partitions, error) {
	if j.rows.Partitions == 0 {
		return nil, nil
	}
	partitions, err := output.NewPartitions(j.rows.Schema, j.rows.PartitionColumns())
	if err != nil {
		return nil, err
	}
	return partitions, j.target.CheckPartitions(partitions)
}
