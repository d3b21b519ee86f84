package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/icebergsort"
)

func newOrphans() *cobra.Command {
	var (
		table   tableFlags
		options icebergsort.OrphanOptions
		dryRun  bool
	)
	cmd := &cobra.Command{
		Use:   "remove-orphans --catalog CATALOG TABLE",
		Short: "Remove files that no snapshot of a table has",
		Long: `Remove the files in the folder of a table that no snapshot of it has, nor its history of metadata: what
processes that were killed have left. Each is printed.

The files of a rewrite that runs are in no snapshot yet: --older-than has to be longer than any rewrite of the table,
and any other write, takes.`,
		Example: `  arrowsort-iceberg remove-orphans --catalog sqlite:catalog.db --dry-run demo.flights
  arrowsort-iceberg remove-orphans --catalog sqlite:catalog.db --older-than 24h demo.flights`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, name, err := table.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			options.Remove = !dryRun
			files, err := icebergsort.Orphans(cmd.Context(), cat, name, options)
			if err != nil {
				return err
			}
			for _, f := range files {
				fmt.Fprintln(cmd.OutOrStdout(), f)
			}
			return nil
		},
	}
	table.add(cmd)
	cmd.Flags().DurationVar(&options.OlderThan, "older-than", 72*time.Hour, "keep files that are younger than `AGE`")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "remove nothing: print the files")
	return cmd
}
