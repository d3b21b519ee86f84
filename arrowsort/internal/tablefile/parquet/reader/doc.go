// Package reader makes columns of the pages of a Parquet file: as a whole, or in batches of rows. The pages of flat
// columns are decoded here, those of all others by pqarrow, after their checksums were compared.
package reader
