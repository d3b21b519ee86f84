package icebergsort

import (
	"testing"

	"github.com/apache/iceberg-go"
	"github.com/stretchr/testify/require"
)

func TestFiltersAsTheyAreWritten(t *testing.T) {
	schema := iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "origin", Type: iceberg.PrimitiveTypes.String},
		iceberg.NestedField{ID: 2, Name: "delay", Type: iceberg.PrimitiveTypes.Int32},
		iceberg.NestedField{ID: 3, Name: "date", Type: iceberg.PrimitiveTypes.Date},
		iceberg.NestedField{ID: 4, Name: "arrival time", Type: iceberg.PrimitiveTypes.Timestamp},
		iceberg.NestedField{ID: 5, Name: "price", Type: iceberg.DecimalTypeOf(9, 2)},
		iceberg.NestedField{ID: 6, Name: "distance", Type: iceberg.PrimitiveTypes.Float64},
		iceberg.NestedField{ID: 7, Name: "late", Type: iceberg.PrimitiveTypes.Bool})
	for _, text := range []string{
		"origin = 'ORD'", "origin='O''Hare'", "delay>=-5", "delay <> 3 and date < '2001-03-01'",
		"date IS NULL", "date is not null and origin != 'x'", `"arrival time" > '2001-03-01T12:00:00'`,
		"price <= 12.50", "distance < 1e3", "late = true", "delay = 'and'",
	} {
		_, err := parseWhere(text, schema)
		if text == "delay = 'and'" {
			require.ErrorIs(t, err, ErrOption, text)
			continue
		}
		require.NoError(t, err, text)
	}
	for _, text := range []string{
		"", " ", "origin", "origin =", "origin = ORD and", "origin = 'ORD", "= 3", "'origin' = 3",
		"delay = 3 or delay = 4",
		"delay => 3", "delay == 3", "delay is", "delay is not 3", "missing = 3", "delay = 'x'", "date < '2001'",
		"origin = ORD", "delay = late", "origin = \"ORD\"", "delay = 3, delay = 4",
	} {
		_, err := parseWhere(text, schema)
		require.ErrorIs(t, err, ErrOption, text)
		require.ErrorContains(t, err, "filter", text)
	}
}
