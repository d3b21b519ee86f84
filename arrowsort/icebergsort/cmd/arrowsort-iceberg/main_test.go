package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/icebergsort"
)

// newTable makes a table demo.flights of two files and returns the address of its catalog.
func newTable(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	address := "sqlite:" + filepath.Join(folder, "catalog.db")
	cat, err := icebergsort.OpenCatalog(t.Context(), address, icebergsort.CatalogOptions{Name: "demo", Create: true,
		Warehouse: "file://" + filepath.Join(folder, "warehouse")})
	require.NoError(t, err)
	require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
	schema := iceberg.NewSchema(0, iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64})
	order, err := table.NewSortOrder(1, []table.SortField{{SourceIDs: []int{1}, Direction: table.SortASC,
		Transform: iceberg.IdentityTransform{}, NullOrder: table.NullsFirst}})
	require.NoError(t, err)
	tbl, err := cat.CreateTable(t.Context(), []string{"demo", "flights"}, schema, catalog.WithSortOrder(order))
	require.NoError(t, err)
	columns, err := table.SchemaToArrowSchema(schema, nil, true, false)
	require.NoError(t, err)
	for _, rows := range []string{`[{"id": 3}, {"id": 1}]`, `[{"id": 2}, {"id": null}, {"id": 4}]`} {
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, columns, strings.NewReader(rows))
		require.NoError(t, err)
		tbl, err = tbl.AppendTable(t.Context(), array.NewTableFromRecords(columns, []arrow.RecordBatch{rec}), 10, nil)
		require.NoError(t, err)
	}
	return address
}

func command(t *testing.T, args ...string) (code int, out, messages string) {
	t.Helper()
	var o, m bytes.Buffer
	code = run(t.Context(), args, &o, &m)
	return code, o.String(), m.String()
}

func TestRewrite(t *testing.T) {
	address := newTable(t)
	code, out, messages := command(t, "rewrite", "--catalog", address, "--sort", "id", "--dry-run", "demo.flights")
	require.Equal(t, exitOK, code, messages)
	require.Equal(t, 2, strings.Count(out, ".parquet\n"), out)
	require.Contains(t, out, "demo.flights: 2 files in 1 partitions, 5 rows")
	require.Contains(t, out, "would be rewritten as about 1 files")
	require.Contains(t, out, "files with a value of id, before: 1.6 of 2, 2 at most")
	require.Contains(t, out, "files with a value of id, expected: 1.0 of 1, 1 at most")

	code, out, messages = command(t, "rewrite", "--catalog", address, "--sort", "id", "--json", "demo.flights")
	require.Equal(t, exitOK, code, messages)
	var result icebergsort.Result
	require.NoError(t, json.Unmarshal([]byte(out), &result))
	require.True(t, result.Committed)
	require.Equal(t, 1, result.FilesOut)
	require.Equal(t, 1, result.After.Worst)

	code, out, messages = command(t, "rewrite", "--catalog", address, "--sort", "id", "--where", "id > 9",
		"demo.flights")
	require.Equal(t, exitOK, code, messages)
	require.Equal(t, "demo.flights: no files to rewrite\n", out)

	for _, flags := range [][]string{{}, {"--dry-run"}} {
		code, out, messages = command(t, append([]string{"rewrite", "--catalog", address, "demo.flights"}, flags...)...)
		require.Equal(t, exitOK, code, messages)
		require.Equal(t, "demo.flights: nothing to do\n1 files are in this order already and stay\n", out)
	}

	code, out, messages = command(t, "remove-orphans", "--catalog", address, "--dry-run", "demo.flights")
	require.Equal(t, exitOK, code, messages)
	require.Empty(t, out)
}

// Mistakes are one line that says what to do, and exit code 2.
func TestMistakes(t *testing.T) {
	address := newTable(t)
	for want, args := range map[string][]string{
		`catalog "": give sqlite:PATH`: {"rewrite", "demo.flights"},
		"accepts 1 arg(s)":             {"rewrite", "--catalog", address},
		"give NAMESPACE.TABLE":         {"rewrite", "--catalog", address, "flights"},
		"address of a REST catalog":    {"rewrite", "--catalog", "oracle:x", "demo.flights"},
		"there is no catalog":          {"rewrite", "--catalog", "sqlite:/missing.db", "demo.flights"},
		"no column x":                  {"rewrite", "--catalog", address, "--sort", "x", "demo.flights"},
		"give hilbert or zorder":       {"rewrite", "--catalog", address, "--curve", "peano", "demo.flights"},
		"leave it out":                 {"rewrite", "--catalog", address, "--where", " ", "demo.flights"},
		"give a size from 16MiB":       {"rewrite", "--catalog", address, "--memory", "x", "demo.flights"},
		"give KEY=VALUE":               {"rewrite", "--catalog", address, "--property", "x", "demo.flights"},
		"unknown command":              {"sort"},
		"an age of -1s":                {"remove-orphans", "--catalog", address, "--older-than", "-1s", "demo.flights"},
	} {
		code, out, messages := command(t, args...)
		require.Equal(t, exitUsage, code, "%v: %s", args, messages)
		require.Empty(t, out)
		require.Contains(t, messages, want)
		require.Equal(t, 1, strings.Count(messages, "\n"), messages)
		require.True(t, strings.HasPrefix(messages, "arrowsort-iceberg: "), messages)
	}
	code, _, messages := command(t, "rewrite", "--catalog", address, "--sort", "id", "demo.missing")
	require.Equal(t, exitUsage, code)
	require.Contains(t, messages, "demo missing")
}
