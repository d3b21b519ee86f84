// Package keyfunction has the functions of sort keys: their text, the types that they take, and the values that they
// have for columns of raw values. docs/ordering.md defines them.
package keyfunction

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A Function turns the values of a column into those of a key. It is written as its name, followed by its number after
// a blank: lower, "% 16", "hash 7", "random 42". Functions that are equal after Resolve are the same.
type Function string

// The functions without a number.
const (
	None   Function = "" // the column itself
	Lower  Function = "lower"
	Length Function = "length"
	Abs    Function = "abs"
	Year   Function = "year"
)

// The names of functions with a number.
const (
	modulo = "%"
	hash   = "hash"
	random = "random"
)

// Modulo returns the function x % n.
func Modulo(n int64) Function { return Function(modulo + " " + strconv.FormatInt(n, 10)) }

// Hash returns the function hash(x, seed).
func Hash(seed uint64) Function {
	if seed == 0 {
		return hash
	}
	return Function(hash + " " + strconv.FormatUint(seed, 10))
}

// Random returns the function random(seed).
func Random(seed uint64) Function { return Function(random + " " + strconv.FormatUint(seed, 10)) }

// IsRandom reports whether a function is one of row numbers and takes no column.
func (f Function) IsRandom() bool { return f.name() == random }

func (f Function) name() string {
	name, _, _ := strings.Cut(string(f), " ")
	return name
}

// number returns the number of a function that Resolve returned, 0 for none.
func (f Function) number() uint64 {
	_, text, _ := strings.Cut(string(f), " ")
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// Resolve returns the function in its canonical form, or an error that names what is unknown.
func (f Function) Resolve() (Function, error) {
	name, text, numbered := strings.Cut(string(f), " ")
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case !numbered && (f == None || f == Lower || f == Length || f == Abs || f == Year || f == hash):
		return f, nil
	case numbered && name == modulo && (err != nil || n == 0 || n > math.MaxInt64):
		return f, fmt.Errorf("the function %% %s: give a number from 1 to %d", text, int64(math.MaxInt64))
	case numbered && (name == hash || name == random) && err != nil:
		return f, fmt.Errorf("the function %s: the seed %q is no number from 0 to %d", name, text,
			uint64(math.MaxUint64))
	case numbered && name == modulo:
		return Modulo(int64(n)), nil
	case numbered && name == hash:
		return Hash(n), nil
	case numbered && name == random:
		return Random(n), nil
	}
	return f, fmt.Errorf("unknown function %q; %w", string(f), errFunctions)
}

// errFunctions lists the functions.
var errFunctions = errors.New(`there are lower, length, abs, year, hash, "% N", "hash SEED" and "random SEED"`)

// Of writes the function of a column as it is typed on the command line: lower(name), x % 16, hash(id, 7), random(42).
func (f Function) Of(column string) string {
	name, number, numbered := strings.Cut(string(f), " ")
	switch {
	case f == None:
		return column
	case name == modulo:
		return column + " % " + number
	case name == random:
		return random + "(" + number + ")"
	case name == hash && !numbered && hashed.MatchString(hash+"("+column+")"): // its name ends as if with a seed
		return hash + "(" + column + ", 0)"
	case numbered:
		return name + "(" + column + ", " + number + ")"
	}
	return name + "(" + column + ")"
}

// The forms of Of.
var (
	called  = regexp.MustCompile(`(?is)^(lower|length|abs|year|hash)\((.+)\)$`)
	hashed  = regexp.MustCompile(`(?is)^hash\((.+),\s*(-?\d+)\s*\)$`)
	shuffle = regexp.MustCompile(`(?is)^random\(\s*([^()]*?)\s*\)$`)
	divided = regexp.MustCompile(`(?s)^(.*\S)\s*%\s*(-?\d+)$`)
)

// Parse reads what Of writes; names of functions may be in upper case. found is false for other text. A number may be
// out of range, which Resolve reports.
func Parse(text string) (f Function, column string, found bool) {
	if m := shuffle.FindStringSubmatch(text); m != nil {
		return Function(random + " " + m[1]), "", true
	}
	if m := hashed.FindStringSubmatch(text); m != nil {
		return Function(hash + " " + m[2]), m[1], true
	}
	if m := called.FindStringSubmatch(text); m != nil {
		return Function(strings.ToLower(m[1])), m[2], true
	}
	if m := divided.FindStringSubmatch(text); m != nil {
		return Function(modulo + " " + m[2]), m[1], true
	}
	return None, text, false
}
