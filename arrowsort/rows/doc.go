// Package rows turns the key columns of Arrow data into rows of bytes that compare as the keys do, and back.
//
//	converter, err := rows.NewConverter(
//		rows.Field{Type: arrow.BinaryTypes.String}, rows.Field{Type: arrow.PrimitiveTypes.Int64})
//	encoded, err := converter.Encode(ctx, record, rows.Options{})
//	smaller := bytes.Compare(encoded.Row(0), encoded.Row(1)) < 0
//	decoded, err := converter.Decode(ctx, encoded, rows.Options{})
//
// bytes.Compare of two rows is the order of package arrowsort on the keys: every type that it sorts, several keys,
// directions, null placements, NaN and nulls. Rows are equal exactly when all keys tie. So rows are keys of maps and of
// sorted stores, they split shuffles into ranges, and they merge streams by one comparison.
//
// # The format
//
// The bytes of a row depend on the types, orders and null placements of the keys only, and on the values: rows of other
// batches, processes and machines compare with them. The format is stable; docs/rows.md describes every byte. No row is
// the beginning of another one, so rows with the same keys may be followed by anything. Rows of different converters do
// not compare.
//
// # What comes back
//
// Decode returns the values that went in, but: dictionary and run-end-encoded columns come back as plain columns of
// their values, -0.0 as +0.0, NaN as the canonical quiet NaN, and a struct whose fields are all null, or that has none,
// as a null struct; so they do within lists.
//
// Functions are safe for concurrent calls; so are Converter and Rows.
package rows
