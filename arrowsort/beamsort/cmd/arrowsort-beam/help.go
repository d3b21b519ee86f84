package main

import (
	"flag"
	"fmt"
	"strings"
)

const usage = "usage: arrowsort-beam sort -k COLUMN[:desc][:nulls-first] -o FOLDER INPUT...\n"

// beamHelp is the flag that lists Beam's flags.
const beamHelp = "help-beam"

// help lists the flags of the command, or those of Beam. beams are the names of the latter.
func help(flags *flag.FlagSet, beams map[string]bool, ofBeam bool) string {
	var b strings.Builder
	listed := flag.NewFlagSet("", flag.ContinueOnError)
	listed.SetOutput(&b)
	flags.VisitAll(func(f *flag.Flag) {
		if beams[f.Name] == ofBeam {
			listed.Var(f.Value, f.Name, f.Usage)
			listed.Lookup(f.Name).DefValue = f.DefValue
		}
	})
	if ofBeam {
		b.WriteString("Flags of Beam and of its runners:\n")
		listed.PrintDefaults()
		return b.String()
	}
	fmt.Fprintf(&b, "%s\nSorts Parquet and Arrow files on a runner of Apache Beam: in this process,\n"+
		"unless --runner names another. FOLDER gets the sorted files, each after the one\n"+
		"before it.\n\nFlags:\n", usage)
	listed.PrintDefaults()
	fmt.Fprintf(&b, "\nOf Beam's flags these choose the runner; --%s lists all:\n", beamHelp)
	for _, line := range []string{
		"--runner NAME                 prism (default, in this process), universal,",
		"                              flink, spark or dataflow",
		"--endpoint HOST:PORT          the job service of universal, flink or spark",
		"--environment_type LOOPBACK   the workers are this process",
		"--worker_binary FILE          the program of workers elsewhere",
		"--project, --region, --staging_location   of dataflow",
	} {
		b.WriteString("  " + line + "\n")
	}
	b.WriteString("\nExit codes: 0 done, 1 an error, 2 wrong usage, 130 after Ctrl-C (128 and the\n" +
		"number of a signal).\n")
	return b.String()
}
