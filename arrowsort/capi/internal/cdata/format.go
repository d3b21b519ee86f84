//go:build capi

package cdata

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// plainFormats are the types whose format has no parameters.
var plainFormats = map[string]arrow.DataType{
	"n": arrow.Null, "b": arrow.FixedWidthTypes.Boolean,
	"c": arrow.PrimitiveTypes.Int8, "C": arrow.PrimitiveTypes.Uint8,
	"s": arrow.PrimitiveTypes.Int16, "S": arrow.PrimitiveTypes.Uint16,
	"i": arrow.PrimitiveTypes.Int32, "I": arrow.PrimitiveTypes.Uint32,
	"l": arrow.PrimitiveTypes.Int64, "L": arrow.PrimitiveTypes.Uint64,
	"e": arrow.FixedWidthTypes.Float16, "f": arrow.PrimitiveTypes.Float32, "g": arrow.PrimitiveTypes.Float64,
	"z": arrow.BinaryTypes.Binary, "Z": arrow.BinaryTypes.LargeBinary,
	"u": arrow.BinaryTypes.String, "U": arrow.BinaryTypes.LargeString,
	"vz": arrow.BinaryTypes.BinaryView, "vu": arrow.BinaryTypes.StringView,
	"tdD": arrow.FixedWidthTypes.Date32, "tdm": arrow.FixedWidthTypes.Date64,
	"tts": arrow.FixedWidthTypes.Time32s, "ttm": arrow.FixedWidthTypes.Time32ms,
	"ttu": arrow.FixedWidthTypes.Time64us, "ttn": arrow.FixedWidthTypes.Time64ns,
	"tDs": arrow.FixedWidthTypes.Duration_s, "tDm": arrow.FixedWidthTypes.Duration_ms,
	"tDu": arrow.FixedWidthTypes.Duration_us, "tDn": arrow.FixedWidthTypes.Duration_ns,
	"tiM": arrow.FixedWidthTypes.MonthInterval, "tiD": arrow.FixedWidthTypes.DayTimeInterval,
	"tin": arrow.FixedWidthTypes.MonthDayNanoInterval,
}

// units are the letters of units of time, in the order of arrow.TimeUnit.
const units = "smun"

func unsupported(format string) error {
	return fmt.Errorf("%w: type format %q", errkind.ErrUnsupported, format)
}

// typeOf returns the type of a format, but for the index type of a dictionary. children are its fields.
func typeOf(format string, flags int64, children []arrow.Field) (arrow.DataType, error) {
	if typ, ok := plainFormats[format]; ok {
		return typ, needFields(format, children, 0)
	}
	if strings.HasPrefix(format, "+") {
		return nestedType(format, flags, children)
	}
	kind, parameter, _ := strings.Cut(format, ":")
	if err := needFields(format, children, 0); err != nil {
		return nil, err
	}
	switch {
	case len(kind) == 3 && kind[:2] == "ts" && len(format) > 3 && strings.IndexByte(units, kind[2]) >= 0:
		unit := arrow.TimeUnit(strings.IndexByte(units, kind[2]))
		return &arrow.TimestampType{Unit: unit, TimeZone: parameter}, nil
	case kind == "w":
		width, err := strconv.ParseInt(parameter, 10, 32)
		if err != nil || width < 1 {
			return nil, unsupported(format)
		}
		return &arrow.FixedSizeBinaryType{ByteWidth: int(width)}, nil
	case kind == "d":
		return decimalType(format, parameter)
	}
	return nil, unsupported(format)
}

func decimalType(format, parameters string) (arrow.DataType, error) {
	numbers := []int32{0, 0, 128}
	texts := strings.Split(parameters, ",")
	if len(texts) != 2 && len(texts) != 3 {
		return nil, unsupported(format)
	}
	for i, text := range texts {
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, unsupported(format)
		}
		numbers[i] = int32(n)
	}
	precision, scale := numbers[0], numbers[1]
	switch {
	case numbers[2] == 128 && 1 <= precision && precision <= 38:
		return &arrow.Decimal128Type{Precision: precision, Scale: scale}, nil
	case numbers[2] == 256 && 1 <= precision && precision <= 76:
		return &arrow.Decimal256Type{Precision: precision, Scale: scale}, nil
	}
	return nil, unsupported(format)
}

func needFields(format string, children []arrow.Field, n int) error {
	if len(children) != n {
		return fmt.Errorf("%w: type format %q has %d children, not %d", errkind.ErrOption, format, len(children), n)
	}
	return nil
}

func nestedType(format string, flags int64, children []arrow.Field) (arrow.DataType, error) {
	kind, parameter, _ := strings.Cut(format, ":")
	switch kind {
	case "+s":
		return arrow.StructOf(children...), nil
	case "+us", "+ud":
		return unionType(format, parameter, children)
	case "+r":
		if err := needFields(format, children, 2); err != nil {
			return nil, err
		}
		return runEndType(format, children)
	}
	if err := needFields(format, children, 1); err != nil {
		return nil, err
	}
	switch kind {
	case "+l":
		return arrow.ListOfField(children[0]), nil
	case "+L":
		return arrow.LargeListOfField(children[0]), nil
	case "+vl":
		return arrow.ListViewOfField(children[0]), nil
	case "+vL":
		return arrow.LargeListViewOfField(children[0]), nil
	case "+w":
		size, err := strconv.ParseInt(parameter, 10, 32)
		if err != nil || size < 1 {
			return nil, unsupported(format)
		}
		return arrow.FixedSizeListOfField(int32(size), children[0]), nil
	case "+m":
		return mapType(format, flags, children[0])
	}
	return nil, unsupported(format)
}

func runEndType(format string, children []arrow.Field) (arrow.DataType, error) {
	switch children[0].Type.ID() {
	case arrow.INT16, arrow.INT32, arrow.INT64:
	default:
		return nil, fmt.Errorf("%w: type format %q has run ends of type %s", errkind.ErrOption, format,
			children[0].Type)
	}
	typ := arrow.RunEndEncodedOf(children[0].Type, children[1].Type)
	typ.ValueNullable = children[1].Nullable
	return typ, nil
}

// mapType returns the type of a map. Arrow gives its entries, keys and values these names, whatever C calls them.
func mapType(format string, flags int64, entries arrow.Field) (arrow.DataType, error) {
	pair, ok := entries.Type.(*arrow.StructType)
	if !ok || pair.NumFields() != 2 {
		return nil, fmt.Errorf("%w: the child of type format %q is no struct of key and value", errkind.ErrOption,
			format)
	}
	key, value := pair.Field(0), pair.Field(1)
	typ := arrow.MapOfWithMetadata(key.Type, key.Metadata, value.Type, value.Metadata)
	typ.SetItemNullable(value.Nullable)
	typ.KeysSorted = flags&flagKeysSorted != 0
	return typ, nil
}

func unionType(format, parameter string, children []arrow.Field) (arrow.DataType, error) {
	var codes []arrow.UnionTypeCode
	if parameter != "" {
		for text := range strings.SplitSeq(parameter, ",") {
			code, err := strconv.ParseInt(text, 10, 8)
			if err != nil || code < 0 {
				return nil, unsupported(format)
			}
			codes = append(codes, arrow.UnionTypeCode(code))
		}
	}
	if err := needFields(format, children, len(codes)); err != nil {
		return nil, err
	}
	if strings.HasPrefix(format, "+us") {
		return arrow.SparseUnionOf(children, codes), nil
	}
	return arrow.DenseUnionOf(children, codes), nil
}

// formatOf returns the format of a type, of a dictionary that of its indices.
func formatOf(typ arrow.DataType) (string, error) {
	switch t := typ.(type) {
	case *arrow.TimestampType:
		return fmt.Sprintf("ts%c:%s", units[t.Unit], t.TimeZone), nil
	case *arrow.FixedSizeBinaryType:
		return fmt.Sprintf("w:%d", t.ByteWidth), nil
	case *arrow.Decimal128Type:
		return fmt.Sprintf("d:%d,%d", t.Precision, t.Scale), nil
	case *arrow.Decimal256Type:
		return fmt.Sprintf("d:%d,%d,256", t.Precision, t.Scale), nil
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("+w:%d", t.Len()), nil
	case *arrow.DictionaryType:
		return formatOf(t.IndexType)
	case arrow.UnionType:
		codes := make([]string, len(t.TypeCodes()))
		for i, code := range t.TypeCodes() {
			codes[i] = strconv.Itoa(int(code))
		}
		mode := "+ud:"
		if t.Mode() == arrow.SparseMode {
			mode = "+us:"
		}
		return mode + strings.Join(codes, ","), nil
	}
	if format, ok := nestedFormats[typ.ID()]; ok {
		return format, nil
	}
	for format, plain := range plainFormats {
		if arrow.TypeEqual(plain, typ) {
			return format, nil
		}
	}
	return "", fmt.Errorf("%w: type %s has no form in the Arrow C Data Interface", errkind.ErrUnsupported, typ)
}

// nestedFormats are the formats of nested types without parameters.
var nestedFormats = map[arrow.Type]string{
	arrow.LIST: "+l", arrow.LARGE_LIST: "+L", arrow.LIST_VIEW: "+vl", arrow.LARGE_LIST_VIEW: "+vL", arrow.STRUCT: "+s",
	arrow.RUN_END_ENCODED: "+r", arrow.MAP: "+m",
}
