package abi

import (
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStructuresAreThoseOfTheKernels compares the structures here with kernels/abi.h: names, order, sizes.
func TestStructuresAreThoseOfTheKernels(t *testing.T) {
	comments := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	header := comments.ReplaceAllString(headerOfKernels(t), "")
	for _, twin := range []any{ColumnValues{}, Field{}, Column{}, Text{}, Statistics{}, SmallSort{},
		DigitCounts{}, CooperativeSort{}, Select{},
		Selection{}, Selected{}, Buckets{}, Decision{}, FixedPointState{}} {
		typ := reflect.TypeOf(twin)
		name := nameInC(typ)
		parts := regexp.MustCompile(`struct ` + name + ` (?:: (\w+) )?\{([^}]*)\}`).FindStringSubmatch(header)
		require.NotNil(t, parts, "kernels/abi.h has no structure %s", name)
		members := declared(t, parts[2])
		if base := parts[1]; base != "" {
			members = append([]string{base}, members...)
		}
		require.Equal(t, members, fields(typ), name)
	}
}

// TestConstantsAreThoseOfTheKernels compares what gpu repeats of the enumerations of kernels/abi.h.
func TestConstantsAreThoseOfTheKernels(t *testing.T) {
	header := headerOfKernels(t)
	for name, value := range map[string]int{
		"FORM_NONE": FormNone, "FORM_INTEGER": FormInteger, "FORM_FLOAT": FormFloat, "FORM_RANK": FormRank,
		"FORM_BIT": FormBit, "FORM_BIG_ENDIAN": FormBigEndian, "FORM_DECIMAL": FormDecimal, "FORM_CLASS": FormClass,
		"FORM_KEYS": FormKeys, "REASON_ORDERED": ReasonOrdered,
		"STATUS_ACCEPTED": StatusAccepted, "STATUS_DECLINED": StatusDeclined,
		"STATUS_NARROW":   StatusNarrow,
		"STATUS_IN_ORDER": StatusInOrder, "STATUS_SPLIT": StatusSplit,
		"STATUS_UNEVEN": StatusUneven, "STATUS_EQUALIZED": StatusEqualized,
		"STATUS_PLAN_ONLY": StatusPlanOnly, "STATUS_CROWDED": StatusCrowded,
		"STATUS_COUNTED": StatusCounted, "STATUS_FIXED_POINT": StatusFixed,
		"STATUS_SHARES_NULL": StatusSharesNull, "STATUS_EVEN": StatusEven,
	} {
		require.Regexp(t, name+" = "+strconv.Itoa(value)+",", header)
	}
	require.Contains(t, header, "STATUS_CONSTANT = 1 << "+strconv.Itoa(StatusConstantShift)+",")
}

// headerOfKernels is kernels/abi.h with the part that it includes.
func headerOfKernels(t *testing.T) (text string) {
	for _, name := range []string{"abi.h", "abi_buckets.h"} {
		part, err := os.ReadFile("../../../kernels/" + name)
		require.NoError(t, err)
		text += string(part)
	}
	return text
}

// declared lists the members of a C structure, as "u64 name" or "u64 name[4]".
func declared(t *testing.T, body string) (names []string) {
	for _, line := range strings.Split(body, ";") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		typ, members, ok := strings.Cut(line, " ")
		require.True(t, ok, line)
		for _, name := range strings.Split(members, ",") {
			names = append(names, typ+" "+strings.TrimSpace(name))
		}
	}
	return names
}

// nameInC is the name of a structure in kernels/abi.h.
func nameInC(typ reflect.Type) string {
	if typ == reflect.TypeFor[ColumnValues]() {
		return "Values"
	}
	return typ.Name()
}

func fields(typ reflect.Type) (names []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			names = append(names, nameInC(f.Type))
			continue
		}
		name, word := strings.ToLower(f.Name[:1])+f.Name[1:], f.Type
		if f.Type.Kind() == reflect.Array {
			name += "[" + strconv.Itoa(f.Type.Len()) + "]"
			word = f.Type.Elem()
		}
		kind := map[reflect.Kind]string{reflect.Uint64: "u64", reflect.Uint32: "u32"}[word.Kind()]
		if word.Kind() == reflect.Struct {
			kind = nameInC(word)
		}
		names = append(names, kind+" "+name)
	}
	return names
}

func TestStructuresAreWords(t *testing.T) {
	require.Len(t, Words(make([]Field, 3)), 3*27)
	w := Words([]Column{{ColumnValues: ColumnValues{Values: 1}, NullsAtStart: 7},
		{ColumnValues: ColumnValues{Validity: 2}}})
	require.Equal(t, []uint64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 2}, w[:14])
	require.Nil(t, Words([]Field(nil)))
}
