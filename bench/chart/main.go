// Command chart draws the output of go test -bench: throughput over input size, one line for each
// implementation, as self-contained SVG that is readable on light and dark pages.
//
//	go test ./bench -run '^$' -bench 'CRC32/poly=ieee' |
//		go run ./bench/chart -title 'CRC-32 (IEEE)' -out crc32-ieee.svg
//
// It uses benchmarks with size=N in their names that report MB/s, and draws the median of each. The
// values of the key -series become lines. It is an error if results also differ in another key,
// because the chart would mix them: select results with -bench or grep. -table prints the same
// medians as a Markdown table instead.
//
// With -ns 64, inputs of up to 64 bytes are shown by their time, longer ones by throughput. With
// -x names, columns are values of that key and all cells are times.
//
// -fill writes tables and charts into pages:
//
//	go run ./bench/chart -fill README.md bench/results/hashes.md <bench/results/hash.txt
//
// It replaces the text between a line <!-- chart FLAGS --> and <!-- chart end --> by the output
// of chart with these flags. With -out NAME, it writes the file of that name beside the page, and
// keeps the lines between the marks, which show it.
//
// Exit status: 0 success, 1 no chart, 2 usage.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() { os.Exit(plotResults(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// An output is the chart, table or list that the flags select.
type output struct {
	title, series, x, only string
	file                   string // "" selects standard output
	log, table, about      bool
	quartiles              bool
	timesTo                int64
}

func (o *output) addFlags(flags *flag.FlagSet) {
	flags.StringVar(&o.title, "title", "", "the text above the chart (default: a description)")
	flags.StringVar(&o.series, "series", "impl", "the key in benchmark names that distinguishes the lines")
	flags.StringVar(&o.x, "x", sizeKey, "the key in benchmark names whose values are the columns")
	flags.StringVar(&o.only, "only", "", "the lines to show, in this order, separated by commas (default: all)")
	flags.StringVar(&o.file, "out", "", "`file` to write (default: standard output)")
	flags.BoolVar(&o.log, "log", false, "logarithmic throughput, for very different values")
	flags.BoolVar(&o.table, "table", false, "print a Markdown table instead of a chart")
	flags.BoolVar(&o.quartiles, "quartiles", false, "in a table, print the quartiles beside each median")
	flags.BoolVar(&o.about, "about", false, "print where, when and how the benchmarks ran instead of a chart")
	flags.Int64Var(&o.timesTo, "ns", 0, "show the time, not the throughput, of inputs up to this many `bytes`")
}

// render returns the chart, table or list for the output of go test.
func (o *output) render(benchmarks []byte) ([]byte, error) {
	if o.about {
		return about(benchmarks), nil
	}
	results, err := parse(bytes.NewReader(benchmarks), o.series, o.x)
	if err != nil {
		return nil, err
	}
	if err := results.selectSeries(o.only); err != nil {
		return nil, err
	}
	if o.table {
		return results.markdown(o), nil
	}
	return results.svg(o.title, o.log, o.timesTo)
}

func plotResults(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("chart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o output
	o.addFlags(flags)
	fill := flags.Bool("fill", false, "write into the pages given as arguments, according to their marks")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 && !*fill {
		fmt.Fprintf(stderr, "chart: unexpected argument %q; benchmarks come from standard input\n", flags.Arg(0))
		return 2
	}
	err := func() error {
		benchmarks, err := io.ReadAll(stdin)
		if err != nil {
			return err
		}
		if *fill {
			return fillPages(flags.Args(), benchmarks)
		}
		page, err := o.render(benchmarks)
		if err != nil {
			return err
		}
		if o.file != "" {
			return os.WriteFile(o.file, page, 0o666)
		}
		_, err = stdout.Write(page)
		return err
	}()
	if err != nil {
		fmt.Fprintf(stderr, "chart: %v\n", err)
		return 1
	}
	return 0
}

// marked matches a section of a page between two marks. The first mark contains flags.
var marked = regexp.MustCompile(`(?s)<!-- chart ([^\n]*) -->\n(.*?)<!-- chart end -->\n`)

// fillPages rewrites the marked sections of the pages, and the files named in their marks.
func fillPages(pages []string, benchmarks []byte) error {
	for _, page := range pages {
		files, err := filledPage(page, benchmarks)
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		for name, content := range files {
			if err := os.WriteFile(name, content, 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// filledPage returns the new contents of a page and of the files that its marks name. The keys are
// paths.
func filledPage(page string, benchmarks []byte) (files map[string][]byte, err error) {
	text, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	parts := marked.FindAllSubmatchIndex(text, -1)
	if len(parts) == 0 || strings.Count(string(text), "<!-- chart ") != 2*len(parts) {
		return nil, errors.New("no pairs of lines <!-- chart FLAGS --> and <!-- chart end -->")
	}
	files = map[string][]byte{}
	var filled []byte
	copied := 0
	for _, part := range parts {
		args, shown := string(text[part[2]:part[3]]), text[part[4]:part[5]]
		name, made, err := renderMark(args, benchmarks)
		if err != nil {
			return nil, fmt.Errorf("<!-- chart %s -->: %w", args, err)
		}
		if name != "" {
			files[filepath.Join(filepath.Dir(page), name)] = made
		} else {
			shown = append([]byte("\n"), made...)
			shown = append(shown, '\n')
		}
		filled = append(append(filled, text[copied:part[4]]...), shown...)
		copied = part[5]
	}
	files[page] = append(filled, text[copied:]...)
	return files, nil
}

// renderMark renders the chart, table or list for the flags of a mark. It also returns the value of
// the mark's -out flag.
func renderMark(args string, benchmarks []byte) (name string, made []byte, err error) {
	var o output
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.addFlags(flags)
	if err := flags.Parse(strings.Fields(args)); err != nil {
		return "", nil, err
	}
	if flags.NArg() > 0 {
		return "", nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	made, err = o.render(benchmarks)
	return o.file, made, err
}
