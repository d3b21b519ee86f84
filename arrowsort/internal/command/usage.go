package command

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Widths of help: without a terminal, and the limits of a terminal's width.
const (
	usualWidth, leastWidth, mostWidth = 80, 40, 120
)

// A flagGroup is some flags under a heading.
type flagGroup struct {
	title string
	names []string
}

// flagGroups are the flags of all commands, in the order of help.
var flagGroups = []flagGroup{
	{"Keys, rows and columns", []string{"key", "curve", "unique", "limit", "tail", "select"}},
	{"Input", []string{"format", "delimiter", "no-header", "csv-type"}},
	{"Layout", []string{"filter", "against", "advise", "html", "svg", "pages"}},
	{"Output", []string{"output", "output-format", "compression", "encoding", "row-group-rows", "page-rows",
		"page-version", "bloom-filter", "rows-per-file", "bytes-per-file", "partition-by", "overwrite", "preview"}},
	{"Memory and speed", []string{"memory", "spill-dir", "spill-compression", "threads"}},
	{"Engine", []string{"engine", "gpus"}},
	{"Messages", []string{"quiet", "verbose", "json", "no-descriptions", "help", "version"}},
}

// otherFlags is the heading of the flags that are in no group.
const otherFlags = "Other flags"

// usagePrinter returns the function that prints the help of a command for a terminal of a width, 0 for none.
func usagePrinter(terminal int) func(*cobra.Command, []string) {
	width := usualWidth
	if terminal > 0 {
		width = min(max(terminal, leastWidth), mostWidth)
	}
	return func(cmd *cobra.Command, _ []string) {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		_, _ = io.WriteString(cmd.OutOrStdout(), usageText(cmd, width)) // run reports an error of the output
	}
}

// usageText returns the help of a command: usage, purpose, examples, commands, flags in groups, then the details.
func usageText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	line := cmd.UseLine()
	if !cmd.Runnable() || cmd.HasAvailableSubCommands() {
		line = cmd.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(&b, "Usage:\n%s\n", folded("  "+line, width, "      ", ""))
	what, details, _ := strings.Cut(cmp.Or(cmd.Long, cmd.Short), "\n\n")
	b.WriteString("\n" + paragraphs(what, width))
	if cmd.Example != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(folded(strings.TrimRight(line, "\n"), width, "      ", ` \`) + "\n")
		}
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n" + commandList(cmd, width))
	}
	for _, group := range inGroups(cmd.Flags()) {
		fmt.Fprintf(&b, "\n%s:\n%s", group.title, group.set.FlagUsagesWrapped(width))
	}
	if details != "" {
		b.WriteString("\n" + paragraphs(details, width))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + paragraphs(cmd.CommandPath()+" COMMAND --help has the flags of a command.", width))
	}
	return b.String()
}

// commandList lists the subcommands of a command, one a line.
func commandList(cmd *cobra.Command, width int) string {
	var b strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			name := fmt.Sprintf("  %-*s", cmd.NamePadding(), c.Name())
			b.WriteString(folded(name+" "+c.Short, width, strings.Repeat(" ", len(name)+1), "") + "\n")
		}
	}
	return b.String()
}

// A titledFlags is the flags of a command in a group.
type titledFlags struct {
	title string
	set   *pflag.FlagSet
}

// inGroups returns the flags of a command by group; those without a group come last.
func inGroups(flags *pflag.FlagSet) (groups []titledFlags) {
	others := flagGroup{title: otherFlags}
	flags.VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(flagGroups, func(g flagGroup) bool { return slices.Contains(g.names, f.Name) }) {
			others.names = append(others.names, f.Name)
		}
	})
	for _, group := range append(slices.Clip(flagGroups), others) {
		set := pflag.NewFlagSet(group.title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range group.names {
			if f := flags.Lookup(name); f != nil {
				set.AddFlag(f)
			}
		}
		if set.HasAvailableFlags() {
			groups = append(groups, titledFlags{group.title, set})
		}
	}
	return groups
}

// paragraphs folds paragraphs, which empty lines separate. Indented lines are not folded.
func paragraphs(text string, width int) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		if !strings.HasPrefix(paragraph, "\t") && !strings.HasPrefix(paragraph, " ") {
			paragraph = folded(strings.Join(strings.Fields(paragraph), " "), width, "", "")
		}
		b.WriteString(strings.TrimRight(paragraph, "\n") + "\n")
	}
	return b.String()
}

// folded breaks a line between words at a width. Continuation lines are indented; broken lines end with a mark.
func folded(line string, width int, indent, mark string) string {
	var b strings.Builder
	for utf8.RuneCountInString(line) > width {
		start := len(line) - len(strings.TrimLeft(line, " "))
		at := strings.LastIndexByte(line[:min(len(line), width-len(mark)+1)], ' ')
		if at < start {
			if at = strings.IndexByte(line[start:], ' '); at < 0 {
				break // one long word
			}
			at += start
		}
		b.WriteString(line[:at] + mark + "\n")
		line = indent + line[at+1:]
	}
	return b.String() + line
}
