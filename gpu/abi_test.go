package gpu

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
	text, err := os.ReadFile("../kernels/abi.h")
	require.NoError(t, err)
	comments := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	header := comments.ReplaceAllString(string(text), "")
	for _, twin := range []any{abiValues{}, abiField{}, abiColumn{}, abiStatistics{}, abiSmallSort{},
		abiCooperativeSort{}, abiSelect{},
		abiSelection{}, abiSelected{}, abiBuckets{}, abiDecision{}} {
		typ := reflect.TypeOf(twin)
		name := strings.TrimPrefix(typ.Name(), "abi")
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
	header, err := os.ReadFile("../kernels/abi.h")
	require.NoError(t, err)
	for name, value := range map[string]int{
		"FORM_NONE": formNone, "FORM_INTEGER": formInteger, "FORM_FLOAT": formFloat, "FORM_RANK": formRank,
		"FORM_BIT": formBit, "FORM_BIG_ENDIAN": formBigEndian, "FORM_DECIMAL": formDecimal, "FORM_CLASS": formClass,
		"FORM_KEYS": formKeys, "REASON_ORDERED": reasonOrdered,
		"STATUS_ACCEPTED": statusAccepted, "STATUS_DECLINED": statusDeclined,
		"STATUS_NARROW":   statusNarrow,
		"STATUS_IN_ORDER": statusInOrder, "STATUS_SPLIT": statusSplit,
		"STATUS_UNEVEN": statusUneven, "STATUS_EQUALIZED": statusEqualized,
		"STATUS_PLAN_ONLY": statusPlanOnly,
	} {
		require.Regexp(t, name+" = "+strconv.Itoa(value)+",", string(header))
	}
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

func fields(typ reflect.Type) (names []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			names = append(names, strings.TrimPrefix(f.Name, "abi"))
			continue
		}
		name, word := f.Name, f.Type
		if f.Type.Kind() == reflect.Array {
			name += "[" + strconv.Itoa(f.Type.Len()) + "]"
			word = f.Type.Elem()
		}
		kind := map[reflect.Kind]string{reflect.Uint64: "u64", reflect.Uint32: "u32"}[word.Kind()]
		if word.Kind() == reflect.Struct {
			kind = strings.TrimPrefix(word.Name(), "abi")
		}
		names = append(names, kind+" "+name)
	}
	return names
}

func TestStructuresAreWords(t *testing.T) {
	require.Len(t, abiWords(make([]abiField, 3)), 3*27)
	w := abiWords([]abiColumn{{abiValues: abiValues{values: 1}, nullsAtStart: 7},
		{abiValues: abiValues{validity: 2}}})
	require.Equal(t, []uint64{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 2}, w[:14])
	require.Nil(t, abiWords([]abiField(nil)))
}
