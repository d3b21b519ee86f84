// Package rowcode turns key columns into rows of bytes that compare as the keys do, and back: the format that
// docs/rows.md draws. Package rows is its API; keys of lists, maps and unions are sorted by these bytes.
package rowcode
