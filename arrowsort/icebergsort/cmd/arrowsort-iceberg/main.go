// Command arrowsort-iceberg sorts the data files of tables of Apache Iceberg.
//
//	arrowsort-iceberg rewrite --catalog sqlite:catalog.db --sort 'origin, date desc' demo.flights
//
// docs/iceberg.md describes it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go/catalog"
	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/icebergsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/interrupt"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2

	exitInterrupted = 130 // 128 + SIGINT
)

// interrupted is printed after a signal.
const interrupted = "arrowsort-iceberg: interrupted"

func main() {
	ctx := interrupt.Context(func() {
		atomicfile.RemoveLive()
		fmt.Fprintln(os.Stderr, interrupted)
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the command line and returns the exit code. An error is one line.
func run(ctx context.Context, args []string, out, messages io.Writer) int {
	started := false // errors before a command starts are mistakes on the command line
	root := &cobra.Command{
		Use:               "arrowsort-iceberg",
		Short:             "Sort the data files of tables of Apache Iceberg",
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		PersistentPreRun:  func(*cobra.Command, []string) { started = true },
	}
	root.AddCommand(newRewrite(), newOrphans())
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil {
		fmt.Fprintln(messages, interrupted)
		return exitInterrupted
	}
	line := strconv.Quote(strings.Join(strings.Fields(err.Error()), " "))
	line = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(line[1 : len(line)-1]) // what terminals can print
	for _, prefix := range []string{"icebergsort: ", "parquetsort: ", "arrowsort: ", "invalid option: "} {
		line = strings.TrimPrefix(line, prefix)
	}
	fmt.Fprintln(messages, "arrowsort-iceberg: "+line)
	if !started || errors.Is(err, icebergsort.ErrOption) {
		return exitUsage
	}
	return exitError
}

// A tableFlags names a table.
type tableFlags struct {
	catalog    string
	options    icebergsort.CatalogOptions
	properties []string
}

// add adds the flags of the catalog.
func (f *tableFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.catalog, "catalog", "",
		"the `CATALOG`: sqlite:PATH, or the http:// or https:// address of a REST catalog")
	flags.StringVar(&f.options.Name, "catalog-name", "",
		"the `NAME` of the catalog in a database that holds several")
	flags.StringVar(&f.options.Warehouse, "warehouse", "", "the `WAREHOUSE` of a REST catalog that has several")
	flags.StringArrayVar(&f.properties, "property", nil,
		"pass `KEY=VALUE` to iceberg-go: credentials for instance; again for further ones")
}

// open opens the catalog, and splits the name of the table.
func (f *tableFlags) open(ctx context.Context, name string) (catalog.Catalog, []string, error) {
	f.options.Properties = map[string]string{}
	for _, p := range f.properties {
		key, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, nil, fmt.Errorf("%w: --property %s: give KEY=VALUE", icebergsort.ErrOption, p)
		}
		f.options.Properties[key] = value
	}
	parts := strings.Split(name, ".")
	if len(parts) < 2 {
		return nil, nil, fmt.Errorf("%w: table %s: give NAMESPACE.TABLE", icebergsort.ErrOption, name)
	}
	cat, err := icebergsort.OpenCatalog(ctx, f.catalog, f.options)
	return cat, parts, err
}

// newOrphans returns the command that removes what is in no snapshot.
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
