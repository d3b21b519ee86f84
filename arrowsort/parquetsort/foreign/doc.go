// Package foreign tests what arrowsort writes with a reader and writer of Parquet that is not Arrow's. It is a
// separate module, so that arrowsort does not depend on that reader.
package foreign
