// Command conformance runs public conformance suites through our decoders and checkers. It prints
// how many files of each suite are handled correctly, rejected, and handled wrongly.
//
//	go run ./proof/conformance -suites DIR [-v] [suite ...]
//
// DIR contains a directory for each suite, with the name of the suite's repository. -h lists the
// suites and their addresses. Missing suites are skipped with a message. get.sh beside this file
// downloads the suites that package registries offer.
//
// The reference is never our own code. It is the suite's expected output or, if there is none, the
// output of a program that shares no code with ours.
package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(runSuites(ctx, suites, os.Args[1:], os.Stdout, os.Stderr))
}

func runSuites(ctx context.Context, suites []suite, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dir := flags.String("suites", "", "`directory` that contains the suites")
	verbose := flags.Bool("v", false, "print every file and its cause, not only the first few files of each cause")
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: go run ./proof/conformance -suites DIR [-v] [suite ...]")
		flags.PrintDefaults()
		fmt.Fprintln(stderr, "suites:")
		for _, s := range suites {
			fmt.Fprintf(stderr, "  %-23s %s\n", s.name, s.from)
		}
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *dir == "" {
		fmt.Fprintln(stderr, "conformance: -suites is needed: the directory that contains the suites")
		return 2
	}
	for _, name := range flags.Args() {
		if !slices.ContainsFunc(suites, func(s suite) bool { return s.name == name }) {
			fmt.Fprintf(stderr, "conformance: no suite %q; -h lists them\n", name)
			return 2
		}
	}
	r := report{verbose: *verbose}
	for _, s := range suites {
		if flags.NArg() > 0 && !slices.Contains(flags.Args(), s.name) {
			continue
		}
		folder := filepath.Join(*dir, s.name)
		if _, err := os.Stat(folder); err != nil {
			fmt.Fprintf(stderr, "conformance: %s skipped: %v\n", s.name, err)
			continue
		}
		trials, err := s.trials(folder)
		if err == nil && len(trials) == 0 {
			err = fmt.Errorf("no test file found in %s", folder)
		}
		if err == nil {
			var results []result
			results, err = runTrials(ctx, trials)
			r.addResults(s.name, version(ctx, folder), results)
		}
		if err != nil {
			fmt.Fprintf(stderr, "conformance: %s: %v\n", s.name, err)
			return 1
		}
	}
	if err := r.printSuiteTable(stdout); err != nil {
		fmt.Fprintf(stderr, "conformance: %v\n", err)
		return 1
	}
	return 0
}

// suites lists all known suites, in the order of the report.
var suites = []suite{
	{"flac-test-files", "git clone https://github.com/ietf-wg-cellar/flac-test-files", flacFiles},
	{"minimp3", "git clone https://github.com/lieff/minimp3", minimp3},
	{"oggvorbis", "git clone https://github.com/jfreymuth/oggvorbis", sounds("testdata")},
	{"hound", "git clone https://github.com/ruuda/hound", sounds("testsamples")},
	{"go-audio-wav", "git clone https://github.com/go-audio/wav go-audio-wav", sounds("fixtures")},
	{"debian-sounds", "sounds of Debian's games: get.sh", sounds(".")},
	{"pngsuite", "git clone https://github.com/lunapaint/pngsuite", pictures(pngSuite, "png")},
	{"bmpsuite", "git clone https://github.com/jsummers/bmpsuite; its program generates the pictures", bmpSuite},
	{"image-png", "git clone https://github.com/image-rs/image-png", pictures(anyPicture, "tests")},
	{"image-gif", "git clone https://github.com/image-rs/image-gif", pictures(anyPicture, "tests")},
	{"image-tiff", "git clone https://github.com/image-rs/image-tiff", pictures(anyPicture, "tests")},
	{"jpeg-decoder", "git clone https://github.com/image-rs/jpeg-decoder", pictures(anyPicture, "tests")},
	{"image", "git clone https://github.com/image-rs/image", pictures(imageRS, "tests/images", "tests/bad", "tests/regression")},
	{"zune-image", "git clone https://github.com/etemesi254/zune-image", pictures(zuneImage, "test-images/hdr", "test-images/jpeg", "test-images/png", "test-images/qoi")},
	{"qoi-rust", "git clone https://github.com/aldanor/qoi-rust", pictures(besidePNG, "assets")},
	{"libwebp-test-data", "git clone https://github.com/webmproject/libwebp-test-data", pictures(anyPicture, ".")},
	{"Pillow", "git clone https://github.com/python-pillow/Pillow", pictures(pillow, "Tests/images")},
	{"JSONTestSuite", "git clone https://github.com/nst/JSONTestSuite", jsonSuite},
	{"yaml-test-suite", "git clone --branch data https://github.com/yaml/yaml-test-suite", yamlSuite},
	{"toml-test", "git clone https://github.com/toml-lang/toml-test", tomlSuite},
	{"JSON-Schema-Test-Suite", "git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite", schemaSuite},
	{"glTF-Validator", "git clone https://github.com/KhronosGroup/glTF-Validator", gltfSuite},
}

// A report collects results and prints them as Markdown.
type report struct {
	verbose  bool
	versions []string
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

// printFamilies lists the files whose verdict has the given name, grouped by cause.
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

// family returns the start of a cause, without the numbers and names that differ from file to file.
func family(why string) string {
	words := strings.Fields(numbers.ReplaceAllString(why, "#"))
	return strings.Join(words[:min(14, len(words))], " ")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
