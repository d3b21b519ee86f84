package validate

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// Schema checks the types of a schema: that their parameters, such as the digits of decimals and the units of times,
// are those that the Arrow format has. Arrow's writers and readers panic on others.
func Schema(sc *arrow.Schema) error {
	for _, f := range sc.Fields() {
		if err := checkParameters(f.Name, f.Type); err != nil {
			return err
		}
	}
	return nil
}

func checkParameters(column string, typ arrow.DataType) error {
	wrong := ""
	switch t := typ.(type) {
	case arrow.ExtensionType:
		return checkParameters(column, t.StorageType())
	case *arrow.DictionaryType:
		return checkParameters(column, t.ValueType)
	case *arrow.Decimal128Type:
		wrong = wrongDigits(t.Precision, 38)
	case *arrow.Decimal256Type:
		wrong = wrongDigits(t.Precision, 76)
	case *arrow.FixedSizeBinaryType:
		if t.ByteWidth < 0 {
			wrong = fmt.Sprintf("of %d bytes", t.ByteWidth)
		}
	case *arrow.Time32Type:
		wrong = wrongUnit(t.Unit, arrow.Second, arrow.Millisecond)
	case *arrow.Time64Type:
		wrong = wrongUnit(t.Unit, arrow.Microsecond, arrow.Nanosecond)
	case arrow.TemporalWithUnit:
		wrong = wrongUnit(t.TimeUnit(), arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond)
	case arrow.NestedType:
		for _, f := range t.Fields() {
			if err := checkParameters(column+"."+f.Name, f.Type); err != nil {
				return err
			}
		}
	}
	if wrong != "" {
		return fileerror.Unsupported("column %q: type %s %s", column, typ.Name(), wrong)
	}
	return nil
}

func wrongDigits(precision, most int32) string {
	if precision < 1 || precision > most {
		return fmt.Sprintf("of %d digits instead of 1 to %d", precision, most)
	}
	return ""
}

func wrongUnit(unit arrow.TimeUnit, units ...arrow.TimeUnit) string {
	if !slices.Contains(units, unit) {
		return fmt.Sprintf("of unit number %d", unit)
	}
	return ""
}
