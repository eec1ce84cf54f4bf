package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A report collects results and prints them as Markdown.
type report struct {
	verbose  bool
	versions []string // "suite version"
	rows     []row
}

// A row is the results of one suite for one kind of file.
type row struct {
	suite, kind string
	count       [verdicts]int
	results     []result
}

func (r *report) addResults(suite, version string, results []result) {
	r.versions = append(r.versions, fmt.Sprintf("%s %.40s", suite, version))
	for _, res := range results {
		i := slices.IndexFunc(r.rows, func(w row) bool { return w.suite == suite && w.kind == res.row })
		if i < 0 {
			i = len(r.rows)
			r.rows = append(r.rows, row{suite: suite, kind: res.row})
		}
		r.rows[i].count[res.verdict]++
		r.rows[i].results = append(r.rows[i].results, res)
	}
}

func (r *report) printSuiteTable(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, "| suite | what | files | right | refused rightly | mended | refused wrongly | wrong | not judged |")
	fmt.Fprintln(&b, "|---|---|---:|---:|---:|---:|---:|---:|---:|")
	var total [verdicts]int
	files := 0
	line := func(suite, kind string, n int, count [verdicts]int) {
		fmt.Fprintf(&b, "| %s | %s | %d", suite, kind, n)
		for _, c := range count {
			fmt.Fprintf(&b, " | %d", c)
		}
		fmt.Fprintln(&b, " |")
	}
	for _, row := range r.rows {
		line(row.suite, row.kind, len(row.results), row.count)
		files += len(row.results)
		for v, n := range row.count {
			total[v] += n
		}
	}
	line("all", "", files, total)
	fmt.Fprintf(&b, "\nVersions: %s.\n", strings.Join(r.versions, "; "))
	for _, row := range r.rows {
		row.printFamilies(&b, r.verbose)
	}
	_, err := w.Write(b.Bytes())
	return err
}

var verdictNames = [verdicts]string{mended: "mended", wronglyRefused: "refused wrongly", wrong: "wrong", unjudged: "not judged"}

// printFamilies lists the files of verdicts with a name, grouped by cause.
func (r row) printFamilies(w io.Writer, verbose bool) {
	families := map[string][]result{}
	for _, res := range r.results {
		if verdictNames[res.verdict] != "" {
			key := fmt.Sprint(res.verdict, family(res.why))
			families[key] = append(families[key], res)
		}
	}
	if len(families) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s: %s\n\n", r.suite, r.kind)
	var list [][]result
	for _, f := range families {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b []result) int {
		return cmp.Or(cmp.Compare(a[0].verdict, b[0].verdict), cmp.Compare(len(b), len(a)), cmp.Compare(a[0].file, b[0].file))
	})
	for _, f := range list {
		fmt.Fprintf(w, "- %s, %d: %.300s\n", verdictNames[f[0].verdict], len(f), oneLine(f[0].why))
		if verbose {
			for _, res := range f {
				fmt.Fprintf(w, "  - `%s`: %.300s\n", res.file, oneLine(res.why))
			}
			continue
		}
		var names []string
		for _, res := range f[:min(4, len(f))] {
			names = append(names, "`"+res.file+"`")
		}
		more := ""
		if n := len(f) - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		fmt.Fprintf(w, "  %s%s\n", strings.Join(names, ", "), more)
	}
}

var numbers = regexp.MustCompile(`[0-9][0-9a-fA-FxX.:]*|"[^"]*"|'[^']*'`)

// family returns the beginning of a cause without the numbers and names that differ from file to
// file.
func family(why string) string {
	words := strings.Fields(numbers.ReplaceAllString(why, "#"))
	return strings.Join(words[:min(14, len(words))], " ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
