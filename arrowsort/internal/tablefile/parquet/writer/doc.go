// Package writer encodes columns as the pages of Parquet: those of flat columns here, all others with pqarrow.
package writer
