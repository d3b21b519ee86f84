// Package command is the command arrowsort: flags, messages, progress, the choice of an engine. Its programs are
// arrowsort/cmd/arrowsort and, with object stores, arrowsort/blob/cmd/arrowsort.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // the zones of year(a), where the machine has no tables: images with nothing else, Windows

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/interrupt"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Main runs the command line of a process, with its standard streams and signals, and returns the exit code. Addresses
// are those of the store that open returns, which is called if there is one among the inputs and the output; a nil open
// has none.
func Main(args []string, open func() Store) int {
	tuneMemory()
	// A closed pipe at standard output must not end the process before it has cleaned up.
	signal.Ignore(syscall.SIGPIPE)
	width, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 after an error
	s := streams{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, outTerminal: isTerminal(os.Stdout),
		inTerminal: isTerminal(os.Stdin), outMissing: isMissing(os.Stdout), outWidth: width,
		stores: &stores{open: open},
	}
	defer s.stores.close()
	if isTerminal(os.Stderr) && takesEscapes(os.Stderr) {
		s.status = &statusLine{terminal: os.Stderr}
		s.err = s.status
	}
	ctx := interrupt.Context(func() {
		atomicfile.RemoveLive()
		interrupt.Briefly(func() {
			if s.status != nil {
				s.status.close()
			}
			fmt.Fprintln(os.Stderr, interrupted)
		})
	})
	return run(ctx, args, s)
}

// run runs the command line and returns the exit code. An error is one line on standard error, for each file where they
// are several.
func run(ctx context.Context, args []string, s streams) int {
	started := false // errors before a command starts are mistakes on the command line
	printed := &firstError{to: s.out}
	root := newRoot(s, printed, &started)
	root.SetArgs(args)
	command, err := checkDashes(root, args)
	if err == nil {
		command, err = root.ExecuteContextC(ctx)
	}
	if printed.err != nil {
		err, started = printed.err, true
	}
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNotSorted):
		return exitNotSorted
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	}
	if started && ctx.Err() != nil {
		fmt.Fprintln(s.err, interrupted)
		if why := (interrupt.Signal{}); errors.As(context.Cause(ctx), &why) {
			return why.ExitCode()
		}
		return exitInterrupted
	}
	all := fileErrors{err}
	errors.As(err, &all) // those of several files, if it is these
	code := exitOK
	for _, err := range all {
		code = max(code, s.report(command, err, started))
	}
	return code
}

// report prints the error of a command, which has started or not, as one line, and returns the exit code.
func (s *streams) report(command *cobra.Command, err error, started bool) int {
	line := strings.TrimPrefix(withFormatFlag(err.Error(), "--format"), "arrowsort: ")
	line = printable(strings.Join(strings.Fields(line), " "))
	if usage := (usageError{}); !started || errors.As(err, &usage) || errors.Is(err, tablefile.ErrFormat) {
		fmt.Fprintf(s.err, "arrowsort: %s (see %s --help)\n", line, command.CommandPath())
		return exitUsage
	}
	fmt.Fprintf(s.err, "arrowsort: %s%s\n", line, remedy(err, command.Flags()))
	if command.Name() == checkName || slices.ContainsFunc(asUsage, func(e error) bool { return errors.Is(err, e) }) {
		return exitUsage
	}
	return exitError
}

// remedy says which flag of a command, if it has one, helps against an error.
func remedy(err error, flags *pflag.FlagSet) string {
	memory, spills := flags.Lookup("memory"), flags.Lookup("spill-dir") != nil
	switch tooLittle := errors.Is(err, errkind.ErrLimit) || errors.Is(err, errkind.ErrBudget); {
	case tooLittle && memory != nil && memory.Changed:
		return ": give --memory more"
	case tooLittle && memory != nil:
		return ": give --memory"
	case errors.Is(err, errkind.ErrSpillFull) && spills:
		return ": give --spill-dir a folder with more space"
	case errors.Is(err, errkind.ErrSpillFull):
		return ": free space there, or have the system use another folder for temporary files, by TMPDIR or TMP"
	}
	return ""
}

// asUsage are the errors of files that have the exit code of wrong usage: other files or keys are needed.
var asUsage = []error{arrowsort.ErrColumn, arrowsort.ErrKeyType, errkind.ErrUnsupported}

// firstError is a writer that keeps the first error, which cobra ignores.
type firstError struct {
	to  io.Writer
	err error
}

func (w *firstError) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// newRoot builds the commands. Output of cobra, such as help, goes to printed.
func newRoot(s streams, printed io.Writer, started *bool) *cobra.Command {
	root := &cobra.Command{
		Use:           "arrowsort",
		Short:         "Sort Parquet, Arrow and CSV files",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		PersistentPreRun: func(*cobra.Command, []string) {
			*started = true
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(s.in)
	root.SetOut(printed)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpFunc(usagePrinter(s.outWidth))
	cobra.EnableCommandSorting = false // sort comes first
	root.AddCommand(newSort(s), newMerge(s), newArgsort(s), newCheck(s), newExplain(s), newLayout(s), newInfo(s))
	for _, cmd := range root.Commands() {
		completeFlags(cmd)
	}
	amendScripts(root)
	root.InitDefaultHelpCmd() // after the other commands: cobra adds it only where there are some
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, words []string) error {
			if cmd, _, _ := root.Find(words); cmd == root {
				return noCommand(root, words)
			}
			return nil
		}
	}
	return root
}

const (
	gcPercent   = 200      // takes least time: 100 collects more, 400 takes more fresh pages
	memoryShare = 0.8      // of the machine's memory; above it garbage is collected as often as needed
	leastMemory = 64 << 20 // a smaller size of memory means that it is unknown
)

// totalMemory is what the machine or container has, or GOMEMLIMIT allows, before tuneMemory.
var totalMemory = machine.Memory()

// tuneMemory tunes the garbage collector for a process that runs one job, unless GOGC or GOMEMLIMIT is set.
func tuneMemory() {
	if os.Getenv("GOMEMLIMIT") == "" && totalMemory > leastMemory {
		debug.SetMemoryLimit(int64(float64(totalMemory) * memoryShare))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
