//go:build unix

package command

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pressTab loads the script of the command for bash and completes a line at a word. The function that finds the words
// of the line stands in for the one of the package bash-completion.
const pressTab = `_get_comp_words_by_ref() {
	words=("${COMP_WORDS[@]}") cword=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]}
}
eval "$("$0" completion bash)"
COMP_CWORD=$1 COMP_TYPE=9
shift
COMP_WORDS=("$0" "$@") COMP_LINE="$0 $*"
COMP_POINT=${#COMP_LINE}
__start_arrowsort
printf '%s\n' "${COMPREPLY[@]}"`

// TestFilesAfterTheCursor: bash offers the columns of a file that is named after the key.
func TestFilesAfterTheCursor(t *testing.T) {
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	in := convert(t, "people.parquet")
	const columns, functions = "name age score born", ` lower\( length\( abs\( year\( hash\(`
	for line, want := range map[string]string{
		"3 sort -k '' -o x.parquet " + in: columns + functions + ` random\(`,
		"3 sort -k '' " + in:              columns + functions + ` random\(`,
		"4 sort " + in + " -k ''":         columns + functions + ` random\(`,
		"5 check -k age -k '' " + in:      columns + functions,
		`3 sort -k lo ` + in:              `lower\(`,
		`3 sort -k abs\( ` + in:           `abs\(age\) abs\(score\)`,
		`3 sort -k lower\(n ` + in:        `lower\(name\)`,
		`3 sort -k name:n ` + in:          `nulls-first nulls-last nocase natural numeric`,
		`3 sort -k name:coll ` + in:       `collate=`,
		`3 sort -k name:collate=f ` + in:  `fa fa-AF fi fi-u-co-standard fil fo fr fr-CA`,
	} {
		words := strings.Split(strings.ReplaceAll(line, "''", ""), " ")
		command := exec.CommandContext(t.Context(), bash, append([]string{"-c", pressTab, built(t)}, words...)...)
		out, err := command.Output() // compopt complains on standard error: nobody has pressed Tab
		require.NoError(t, err, string(out))
		require.Equal(t, want, strings.Join(strings.Fields(string(out)), " "), line)
	}
}
