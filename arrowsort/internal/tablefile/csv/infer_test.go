package csv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInferredTypes(t *testing.T) {
	for _, c := range []struct {
		want   string
		values []string
	}{
		{"int64", []string{"1", "-2", "", "0", "9223372036854775807"}},
		{"float64", []string{"1", "2.5"}},
		{"float64", []string{"9223372036854775808", "0.30000000000000004", "-1.5e300"}},
		{"uint64", []string{"9223372036854775808"}},
		{"uint64", []string{"1", "", "18446744073709551615"}},
		{"decimal(20, 0)", []string{"18446744073709551617"}},
		{"float64", []string{"100000000000000000000"}},
		{"decimal(20, 0)", []string{"-1", "18446744073709551615"}},
		{"utf8", []string{"00", "18446744073709551615"}},
		{"utf8", []string{"+18446744073709551615"}},
		{"decimal(17, 1)", []string{"9007199254740993.0"}},
		{"float64", []string{"1e-400"}},
		{"float64", []string{"1.23456789e-320"}},
		{"utf8", []string{"1e400"}},
		{"float64", []string{"-0", "0.000", "0e0", "5e-324", "2.2250738585072014e-308", "1.7976931348623157e+308"}},
		{"decimal(17, 1)", []string{"1.5", "9007199254740993"}},
		{"decimal(19, 19)", []string{"0.1234567890123456789"}},
		{"decimal(24, 4)", []string{"12", "99999999999999999999", "-0.0001"}},
		{"decimal256(76, 1)", []string{strings.Repeat("9", 75) + ".1"}},
		{"float64", []string{strings.Repeat("9", 76) + ".1"}},
		{"float64", []string{"0.1234567890123456789", "NaN"}},
		{"float64", []string{"0.1234567890123456789", "1e-5"}},
		{"float64", []string{"3.141592653589793116e+00", "1.000000000000000000e+01", "9.000000000000000222e-01"}},
		{"float64", []string{"0.1000000000000000055511151231257827", "2"}},
		{"utf8", []string{"0.1234567890123456789", "x"}},
		{"utf8", []string{"2021-02-28T10:11:12,123456789"}},
		{"float64", []string{"1e3", "NaN", "-Inf", ".5"}},
		{"utf8", []string{"007", "1"}},
		{"utf8", []string{"+1"}},
		{"utf8", []string{"0x1p3"}},
		{"utf8", []string{"1_000"}},
		{"utf8", []string{"1", "true"}},
		{"bool", []string{"true", "FALSE", ""}},
		{"utf8", []string{"true", "yes"}},
		{"date32", []string{"2021-02-28"}},
		{"utf8", []string{"2021-02-30"}},
		{"timestamp[us]", []string{"2021-02-28 10:11:12", "2021-02-28T10:11:12.123456"}},
		{"utf8", []string{"2021-02-28T10:11:12.1234567"}},
		{"timestamp[us, tz=UTC]", []string{"2021-02-28T10:11:12Z", "2021-02-28 10:11:12+02:00"}},
		{"timestamp[us, tz=UTC]", []string{"2021-02-28 10:11:12+00", "2021-02-28T10:11:12.5-0330"}},
		{"utf8", []string{"2021-02-28T10:11:12Z", "2021-02-28T10:11:12"}},
		{"utf8", []string{"2021-02-28", "2021-02-28T10:11:12"}},
		{"utf8", []string{"", ""}},
		{"utf8", nil},
		{"utf8", []string{"a", "1"}},
	} {
		var column inference
		for _, v := range c.values {
			require.NoError(t, column.add(v))
		}
		require.Equal(t, c.want, column.valueType().String(), "%q", c.values)
	}
}
