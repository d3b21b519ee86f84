// Package icebergsort sorts tables of Apache Iceberg: it rewrites data files as files that are sorted and do not
// overlap, so that readers leave out more of them, and commits them as one replacement of the old files.
//
//	cat, err := icebergsort.OpenCatalog(ctx, "sqlite:catalog.db", icebergsort.CatalogOptions{})
//	result, err := icebergsort.Rewrite(ctx, cat, []string{"demo", "flights"}, icebergsort.Options{
//		Sort: "origin, date desc",
//	})
//
// The rows, the schema, the field ids and the partitions of the table stay. Rows that delete files have deleted are
// left out of the new files. The rows are sorted by package parquetsort, within a memory budget.
//
// # Commits
//
// New files are written first, under names that nobody else has. One commit replaces the old files by them; readers
// see the old files or the new ones. Rows that others append meanwhile stay. If others have meanwhile deleted rows or
// replaced files, so that a replaced file is not what was read, nothing is committed and the new files are removed.
// A process that is killed leaves files that no snapshot has: Orphans lists them.
package icebergsort
