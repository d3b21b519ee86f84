package keyfunction

import (
	"fmt"
	"time"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// Result returns the type of the values that a function has for a column of a plain type, which is one without
// dictionaries and runs; of text in lower case that of views. It fails for a type that the function does not take. The
// null type has null values only, of every function.
func Result(f Function, plain arrow.DataType) (arrow.DataType, error) {
	typ := arraydata.Storage(plain)
	id := typ.ID()
	if f == None || id == arrow.NULL {
		return plain, nil
	}
	takes := ""
	switch f.name() {
	case string(Lower):
		if isText(id) {
			return arrow.BinaryTypes.StringView, nil
		}
		takes = "text: utf8, large_utf8 or utf8_view"
	case string(Length):
		_, isList := typ.(arrow.ListLikeType)
		if isText(id) || isBytes(id) || isList {
			return arrow.PrimitiveTypes.Int64, nil
		}
		takes = "text, binary values, lists and maps"
	case string(Abs):
		if t := absolute(typ); t != nil {
			return t, nil
		}
		takes = "numbers: integers, floats, decimals and durations"
	case string(Year):
		if id == arrow.TIMESTAMP {
			if _, err := zoneOf(typ); err != nil {
				return nil, err
			}
		}
		if id == arrow.TIMESTAMP || id == arrow.DATE32 || id == arrow.DATE64 {
			return arrow.PrimitiveTypes.Int64, nil
		}
		takes = "dates and timestamps"
	case modulo:
		if arrow.IsInteger(plain.ID()) { // extension types of integers may be decimals
			return arrow.PrimitiveTypes.Uint64, nil
		}
		takes = "integers"
	case hash:
		if !arrow.IsNested(id) && id != arrow.INTERVAL_DAY_TIME && id != arrow.INTERVAL_MONTH_DAY_NANO {
			return arrow.PrimitiveTypes.Uint64, nil
		}
		takes = "all types that have an order but structs, lists, maps and unions"
	}
	return nil, fmt.Errorf("%s takes %s", f.name(), takes)
}

func isText(id arrow.Type) bool {
	return id == arrow.STRING || id == arrow.LARGE_STRING || id == arrow.STRING_VIEW
}

func isBytes(id arrow.Type) bool {
	return id == arrow.BINARY || id == arrow.LARGE_BINARY || id == arrow.BINARY_VIEW || id == arrow.FIXED_SIZE_BINARY
}

// absolute returns the type of absolute values, which holds that of the least value too; nil where there are none.
func absolute(typ arrow.DataType) arrow.DataType {
	switch id := typ.ID(); {
	case arrow.IsInteger(id) || id == arrow.DURATION:
		return arrow.PrimitiveTypes.Uint64
	case arrow.IsFloating(id):
		return typ
	case arrow.IsDecimal(id):
		return &arrow.Decimal256Type{Precision: 76, Scale: typ.(arrow.DecimalType).GetScale()}
	}
	return nil
}

// zoneOf returns the time zone of timestamps: UTC where they have none.
func zoneOf(typ arrow.DataType) (*time.Location, error) {
	zone, err := typ.(*arrow.TimestampType).GetZone()
	if err != nil {
		return nil, fmt.Errorf("year of type %s: %w", typ, err)
	}
	if zone == time.Local {
		return nil, fmt.Errorf("year of type %s: the zone of a machine is none of the data", typ)
	}
	if zone == nil {
		zone = time.UTC
	}
	return zone, nil
}

const secondsOfDay = 24 * 60 * 60

// yearsOf returns the year of the values of dates and timestamps, in the zone of the type, by the Gregorian calendar,
// also before it was introduced. Year 0 comes before year 1.
func yearsOf(typ arrow.DataType) func(n int64) uint64 {
	perDay := int64(1)
	switch t := typ.(type) {
	case *arrow.Date64Type:
		perDay = secondsOfDay * 1000
	case *arrow.TimestampType:
		perSecond := int64(time.Second / t.Unit.Multiplier())
		perDay = secondsOfDay * perSecond
		if zone, err := zoneOf(t); err == nil && zone != time.UTC { // Result returned the error
			return zonedYears(zone, perSecond)
		}
	}
	return func(n int64) uint64 { return uint64(yearOfDay(floor(n, perDay))) }
}

// zonedYears returns the year of timestamps in a time zone.
func zonedYears(zone *time.Location, perSecond int64) func(n int64) uint64 {
	return func(n int64) uint64 {
		seconds := floor(n, perSecond)
		day := floor(seconds, secondsOfDay)
		within := seconds - day*secondsOfDay
		const most = 1 << 55 // seconds that package time can handle; rules of zones end long before
		_, offset := time.Unix(min(max(seconds, -most), most), 0).In(zone).Zone()
		return uint64(yearOfDay(day + floor(within+int64(offset), secondsOfDay)))
	}
}

// floor returns a/b, rounded down.
func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// yearOfDay returns the year of a day, which counts from 1970-01-01. Years begin in March here, so that a leap day is
// the last of its year, and repeat after 400.
func yearOfDay(day int64) int64 {
	const (
		fourCenturies = 400*365 + 97
		toMarch       = 719468 // days from March 1 of year 0 to 1970-01-01
	)
	day += toMarch
	cycle := floor(day, fourCenturies)
	of := day - cycle*fourCenturies
	year := (of - of/1460 + of/36524 - of/146096) / 365
	inYear := of - (365*year + year/4 - year/100)
	year += 400 * cycle
	if inYear >= 306 { // January and February
		year++
	}
	return year
}
