// Package nearest finds the name that a mistyped one is likely to stand for. It lies below all packages that report a
// name that is not there.
package nearest

import (
	"strconv"
	"strings"
)

// longName is the length up to which a longer name may have more typing mistakes.
const longName = 60

// Hint returns what to add to the error for a name that is not there: the nearest of those that are, or some of them.
func Hint(names []string, typed string) string {
	near := Name(names, typed)
	switch {
	case len(names) == 0:
		return ""
	case near != "":
		return "; did you mean " + strconv.Quote(near) + "?"
	case len(names) == 1:
		return "; there is " + strconv.Quote(names[0]) + " only"
	}
	const most = 10
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	if len(names) > most {
		quoted = append(quoted, "and others")
	}
	return "; there are " + strings.Join(quoted, ", ")
}

// Name returns the name that is the fewest typing mistakes away from what was typed: at most a third of the letters.
// It is empty when there is none.
func Name(names []string, typed string) (name string) {
	least := min(len(typed), longName)/3 + 1
	for _, n := range names {
		if len(n)-len(typed) < least && len(typed)-len(n) < least && n != "" {
			if d := editDistance(strings.ToLower(n), strings.ToLower(typed)); d < least {
				least, name = d, n
			}
		}
	}
	return name
}

// editDistance returns the number of letters that are inserted, left out, replaced or swapped with their neighbour from
// one word to another.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			differ := 1
			if x[i-1] == y[j-1] {
				differ = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+differ)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
