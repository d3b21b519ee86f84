package icebergsort

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/apache/iceberg-go"
)

// comparisons are the operators of a filter.
var comparisons = map[string]iceberg.Operation{
	"=": iceberg.OpEQ, "!=": iceberg.OpNEQ, "<>": iceberg.OpNEQ, "<": iceberg.OpLT, "<=": iceberg.OpLTEQ,
	">": iceberg.OpGT, ">=": iceberg.OpGTEQ,
}

// parseWhere reads a filter: comparisons of a column with a value, joined by and, as in
//
//	origin = 'ORD' and date >= '2001-03-01' and delay is not null
//
// It is bound to a schema, so that a column that is missing, or a value that is none of the column's type, is an error.
func parseWhere(text string, schema *iceberg.Schema) (iceberg.BooleanExpression, error) {
	var where iceberg.BooleanExpression = iceberg.AlwaysTrue{}
	words, err := splitWords(text)
	if err == nil && len(words) == 0 {
		err = errors.New("it is empty")
	}
	for err == nil && len(words) > 0 {
		var comparison iceberg.BooleanExpression
		if comparison, words, err = cutComparison(words); err == nil {
			where = iceberg.NewAnd(where, comparison)
		}
	}
	if err == nil {
		_, err = iceberg.BindExpr(schema, where, true)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: filter %q: %w", ErrOption, text, err)
	}
	return where, nil
}

// cutComparison reads one comparison, and the "and" after it.
func cutComparison(words []word) (e iceberg.BooleanExpression, rest []word, err error) {
	if words[0].symbol() || words[0].value {
		return nil, nil, fmt.Errorf("a column is missing at %q", words[0].text)
	}
	column := iceberg.Reference(words[0].text)
	e, rest, err = cutTest(column, words[1:])
	switch {
	case err != nil || len(rest) == 0:
		return e, rest, err
	case !next(rest, "and"):
		return nil, nil, fmt.Errorf("%q follows the comparison of column %s: comparisons are joined by and",
			rest[0].text, words[0].text)
	case len(rest) == 1:
		return nil, nil, errors.New("a comparison is missing after the last and")
	}
	return e, rest[1:], nil
}

// cutTest reads what follows the column.
func cutTest(column iceberg.Reference, words []word) (iceberg.BooleanExpression, []word, error) {
	if next(words, "is") {
		switch {
		case next(words[1:], "null"):
			return iceberg.IsNull(column), words[2:], nil
		case next(words[1:], "not") && next(words[2:], "null"):
			return iceberg.NotNull(column), words[3:], nil
		}
		return nil, nil, fmt.Errorf("column %s is null or is not null", string(column))
	}
	if len(words) < 2 {
		return nil, nil, fmt.Errorf("column %s is compared with nothing", string(column))
	}
	op, ok := comparisons[words[0].text]
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("%q is no comparison: give = != < <= > >=, is null or is not null", words[0].text)
	case !literal(words[1]):
		return nil, nil, fmt.Errorf("column %s is compared with %q: texts stand in single quotes", string(column),
			words[1].text)
	}
	return iceberg.LiteralPredicate(op, column, iceberg.NewLiteral(words[1].text)), words[2:], nil
}

// literal reports whether a word is a value: in single quotes, a number, true or false.
func literal(w word) bool {
	if w.value || w.quoted {
		return w.value
	}
	_, err := strconv.ParseFloat(w.text, 64)
	return err == nil || w.text == "true" || w.text == "false"
}
