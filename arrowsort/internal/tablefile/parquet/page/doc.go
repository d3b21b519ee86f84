// Package page has what Parquet files have around values: page headers, levels and indices, compression, checksums, the
// page index and the bounds in it. It handles bytes, not arrays.
package page
