package main

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func newArgsort(s streams) *cobra.Command {
	var in jobFlags
	var out outputFlags
	cmd := &cobra.Command{
		Use:   "argsort -k COLUMN [-o OUTPUT] INPUT",
		Short: "Write the row numbers in sorted order",
		Long: `Write the row numbers in sorted order: one column "index" of type uint64. Row numbers count from 0 over the whole input;
taking the input's rows in this order sorts it.

` + keysHelp + "\n\n" + compressionHelp + "\n\n" + csvHelp + "\n\n" + exitHelp,
		Example: `  arrowsort argsort -k delay:desc -o order.arrow flights.parquet`,
		Args:    oneInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := in.parse(s, args[0], &out); err != nil {
				return err
			}
			return runArgsort(cmd.Context(), s, args[0], &in, &out)
		},
	}
	in.add(cmd, "write the first `N` row numbers of the sorted order; 0 for all")
	in.addEngine(cmd)
	out.add(cmd)
	return cmd
}

func runArgsort(ctx context.Context, s streams, path string, in *jobFlags, out *outputFlags) error {
	j, err := newJob(ctx, s, "argsort", path, in, out, true)
	if err != nil {
		return err
	}
	defer j.close()
	return j.produce(ctx, out, indexSchema, func(opts arrowsort.Options) (arrow.Table, error) {
		rows, err := arrowsort.SortIndices(ctx, j.table, j.keys, opts)
		if err != nil {
			return nil, err
		}
		defer rows.Release()
		return indexTable(rows), nil
	})
}

var indexSchema = arrow.NewSchema([]arrow.Field{{Name: "index", Type: arrow.PrimitiveTypes.Uint64}}, nil)

// indexTable is the table of row numbers.
func indexTable(rows *array.Uint64) arrow.Table {
	rec := array.NewRecord(indexSchema, []arrow.Array{rows}, int64(rows.Len()))
	defer rec.Release()
	return array.NewTableFromRecords(indexSchema, []arrow.Record{rec})
}
