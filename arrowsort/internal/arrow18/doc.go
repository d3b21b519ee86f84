// Package arrow18 converts between the Arrow arrays and schemas of the project, which are those of arrow/go v15, and
// those of arrow-go v18, whose Parquet and IPC packages it uses: the two are different Go types of the same memory
// layout. Arrays share their buffers.
package arrow18
