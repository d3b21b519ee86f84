package command

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// allCommands are the commands that somebody can run, by the words after arrowsort.
func allCommands() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	root := newRoot(streams{}, &bytes.Buffer{}, new(bool))
	root.InitDefaultCompletionCmd()
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		all[strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), "arrowsort"), " ")] = c
		for _, child := range c.Commands() {
			add(child)
		}
	}
	add(root)
	return all
}

// TestHelpFitsTheTerminal: 80 columns without one, at most 120; the usage comes first, and every word is there.
func TestHelpFitsTheTerminal(t *testing.T) {
	for name := range allCommands() {
		args := append(strings.Fields(name), "--help")
		words := map[string]bool{}
		for terminal, most := range map[int]int{0: 80, 60: 60, 100: 100, 250: 120} {
			var out bytes.Buffer
			require.Zero(t, run(t.Context(), args, streams{out: &out, err: &out, outWidth: terminal}))
			require.True(t, strings.HasPrefix(out.String(), "Usage:\n  arrowsort"), out.String())
			for line := range strings.Lines(out.String()) {
				fits := utf8.RuneCountInString(strings.TrimRight(line, "\n")) <= most
				require.True(t, fits || strings.HasPrefix(line, "\t"), "%d: %s", terminal, line)
			}
			words[strings.Join(strings.Fields(strings.ReplaceAll(out.String(), "\\\n", "")), " ")] = true
		}
		require.Len(t, words, 1, "the words depend on the width")
	}
}

// TestFlagsAreInGroups: each flag of each command is in one group, and each name of a group is a flag of some command.
func TestFlagsAreInGroups(t *testing.T) {
	listed := map[string]bool{}
	for _, group := range flagGroups {
		for _, name := range group.names {
			require.False(t, listed[name], "--%s is listed twice", name)
			listed[name] = true
		}
	}
	found := map[string]bool{}
	for _, cmd := range allCommands() {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		cmd.Flags().VisitAll(func(f *pflag.Flag) { found[f.Name] = true })
	}
	require.Equal(t, listed, found, "flagGroups lists all flags")
	require.Contains(t, cli(t, nil, "sort", "--help").out, "\nMemory and speed:\n      --memory SIZE")
	require.Less(t, strings.Index(cli(t, nil).out, "  sort "), strings.Index(cli(t, nil).out, "  argsort "))
}

// failingOutput is standard output on a full device.
type failingOutput struct{}

func (failingOutput) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestOutputThatCannotBeWritten is an error for every command that prints.
func TestOutputThatCannotBeWritten(t *testing.T) {
	in := convert(t, "people.parquet")
	for _, args := range [][]string{{}, {"--help"}, {"help", "sort"}, {"sort", "--help"}, {"--version"}, {"info"},
		{"info", "--json"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"},
		{"completion", "powershell"}, {"__complete", "sort", in, "-k", ""}, {"explain", "-k", "age", in},
		{"check", "-k", "name", in}, {"check", "--json", "-k", "name", in}, {"check", "--help"},
		{"sort", "-k", "age", "--preview", "3", "-q", in}, {"sort", "-k", "age", "--json", "-o", in, in}} {
		want := exitError
		if len(args) > 0 && args[0] == checkName {
			want = exitUsage
		}
		var said bytes.Buffer
		require.Equal(t, want, run(t.Context(), args, streams{out: failingOutput{}, err: &said}), "%q: %s", args, &said)
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		require.Contains(t, lines[len(lines)-1], "no space left on device")
	}
}

func TestCSVKeepsItsText(t *testing.T) {
	const in = `price,day,yes,at,name,n
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
,2024-01-02,,,,7
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
`
	for keys, want := range map[string]string{
		"price": `price,day,yes,at,name,n
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
,2024-01-02,,,,7
`,
		"#3:desc price:desc": `price,day,yes,at,name,n
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
,2024-01-02,,,,7
`,
		"n:nulls-first": `price,day,yes,at,name,n
1e1,2024-03-01,True,2023-12-31 10:00:00,"c,d",
10,2024-01-01,false,2024-01-01T00:00:00.5,a,-1
2.500,2024-01-03,false,2024-01-01T00:00:00,e,0
2.50,2024-02-01,TRUE,2024-01-01 00:00:00,b,3
,2024-01-02,,,,7
`,
	} {
		args := []string{"sort", "-q", "--output-format", "csv", "-o", "-", file(t, "x.csv", in)}
		for _, k := range strings.Fields(keys) {
			args = append(args, "-k", k)
		}
		require.Equal(t, result{out: want}, cli(t, nil, args...), keys)
	}
}

func TestCSVKeepsItsRows(t *testing.T) {
	for in, want := range map[string]string{
		"k,t\r\n2,\"x\r\ny\"\r\n1,\"a\rb\"\r\n":             "k,t\n1,\"a\rb\"\n2,\"x\r\ny\"\n",
		"k,t\r2,x\r1,y\r":                                   "k,t\n1,y\n2,x\n",
		"k\n2\n\n1\n":                                       "k\n1\n2\n\"\"\n",
		"k\n18446744073709551615\n9223372036854775808\n3\n": "k\n3\n9223372036854775808\n18446744073709551615\n",
	} {
		args := []string{"sort", "-q", "-k", "k", "--output-format", "csv", "-o", "-", file(t, "x.csv", in)}
		require.Equal(t, result{out: want}, cli(t, nil, args...), in)
	}
}
