package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"

	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// A mistake is an error of the command line.
type mistake struct{ text string }

func (m mistake) Error() string { return m.text }

func mistakef(format string, args ...any) error { return mistake{fmt.Sprintf(format, args...)} }

// The runners of Beam, by the names under which they are registered. In-process runners start a job service unless an
// endpoint is given; remote ones need the endpoint of a job service.
var (
	processRunners = []string{"prism", "PrismRunner", "direct", "DirectRunner"}
	remoteRunners  = []string{"universal", "portable", "PortableRunner", "flink", "FlinkRunner", "spark", "SparkRunner"}
	cloudRunners   = []string{"dataflow", "DataflowRunner"}
)

// endpointWait is how long a job service may take to answer. Tests change it.
var endpointWait = 10 * time.Second

// inProcess reports whether the pipeline runs in this process.
func inProcess() bool {
	return *jobopts.Endpoint == "" && (*runners.Runner == "" || slices.Contains(processRunners, *runners.Runner))
}

// checkRunner makes sure that the runner is there before any work: its name, and the job service that it uses.
func checkRunner(ctx context.Context, messages io.Writer) error {
	name, endpoint := *runners.Runner, *jobopts.Endpoint
	all := slices.Concat(processRunners, remoteRunners, cloudRunners)
	switch {
	case name != "" && !slices.Contains(all, name):
		if near := nearest.Name(all, name); near != "" {
			return mistakef("--runner %s: there is no such runner; did you mean %s?", name, near)
		}
		return mistakef("--runner %s: there is no such runner; use prism, universal, flink, spark or dataflow", name)
	case slices.Contains(remoteRunners, name) && endpoint == "":
		return mistakef("--runner %s needs the job service that it sends the pipeline to: --endpoint HOST:PORT", name)
	case endpoint == "" || slices.Contains(cloudRunners, name):
		return nil
	}
	if _, _, err := net.SplitHostPort(endpoint); err != nil && !strings.Contains(endpoint, ":/") {
		return mistakef("--endpoint %s: give HOST:PORT", endpoint)
	}
	fmt.Fprintf(messages, "connecting to the job service at %s, for up to %v\n", endpoint, endpointWait)
	connection, err := grpcx.DefaultDial(ctx, endpoint, endpointWait)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return fmt.Errorf("no job service answers at %s within %v (--endpoint): start it, or leave out --runner and "+
			"--endpoint to sort in this process", endpoint, endpointWait)
	}
	return connection.Close()
}

// checkOutput rejects an output that is a file, or is named like one.
func checkOutput(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir() || strings.HasSuffix(path, "/"):
		return nil
	case err == nil:
		return mistakef("-o %s is a file: give the folder that the sorted files are written to", path)
	}
	if _, err := tablefile.Auto.Resolve(path); err != nil {
		return nil
	}
	return mistakef("-o %s is named like a file, and the output is a folder of files: give a folder, or %s/ if it is "+
		"to have this name", path, path)
}
