// Package beamsort sorts Parquet and Arrow files on Apache Beam, on any runner: files whose rows do not fit on one
// machine, or that lie in an object store.
//
//	p, scope := beam.NewPipelineWithRoot()
//	keys := []arrowsort.Key{{Path: "delay", Order: arrowsort.Descending}}
//	shards, err := beamsort.Sort(ctx, scope, []string{"in/"}, "out/", keys, beamsort.Options{})
//	...
//	err = beamx.Run(ctx, p)
//
// The output is Parquet files, part-00001-of-00008.parquet and so on: shards of about the same number of rows, each
// sorted, each with rows that sort after those of the shards before it. The order is that of package arrowsort; rows
// that tie keep the order of the files and of the rows in them. It is the same in each run, whatever the runner.
//
// The pipeline reads the key columns and draws a sample, cuts the sorted sample into as many parts as there are
// shards, reads the files again and sends each row to its shard, and sorts the shards with package parquetsort. Rows
// travel as Arrow record batches of about a megabyte: in files that workers share, or through the runner. A splitter
// between two shards is a key and the number of a row, so that the rows of a frequent key are spread over several
// shards.
//
// A step that fails can be run again: a shard is written under another name and renamed when it is complete.
package beamsort
