package keyfunction

import (
	"time"

	"github.com/apache/arrow/go/v15/arrow"
)

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
