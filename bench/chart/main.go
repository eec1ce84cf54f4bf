// Command chart draws the output of go test -bench: throughput over input size, one line
// for each implementation, as self-contained SVG that is readable on light and dark pages.
//
//	go test ./bench -run '^$' -bench 'CRC32/poly=ieee' |
//		go run ./bench/chart -title 'CRC-32 (IEEE)' -out crc32-ieee.svg
//
// It takes the benchmarks that have a size=N in their names and report MB/s,
// and draws the median of each. The key whose values become lines is -series.
// Where results differ in a further key the chart would mix them, so that is an
// error: select with -bench or grep. -table prints the same medians as a
// Markdown table instead.
//
// Exit status: 0 success, 1 no chart, 2 usage.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("chart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	title := flags.String("title", "Throughput", "what stands above the chart")
	series := flags.String("series", "impl", "the key in benchmark names that tells the lines apart")
	out := flags.String("out", "", "`file` to write (default: standard output)")
	log := flags.Bool("log", false, "logarithmic throughput, for lines of very different heights")
	table := flags.Bool("table", false, "print a Markdown table instead of a chart")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "chart: unexpected argument %q; benchmarks come from standard input\n", flags.Arg(0))
		return 2
	}
	results, err := parse(stdin, *series)
	if err != nil {
		fmt.Fprintf(stderr, "chart: %v\n", err)
		return 1
	}
	var page []byte
	if *table {
		page = results.markdown(*series)
	} else if page, err = results.svg(*title, *log); err != nil {
		fmt.Fprintf(stderr, "chart: %v\n", err)
		return 1
	}
	if *out != "" {
		err = os.WriteFile(*out, page, 0o666)
	} else {
		_, err = stdout.Write(page)
	}
	if err != nil {
		fmt.Fprintf(stderr, "chart: %v\n", err)
		return 1
	}
	return 0
}
