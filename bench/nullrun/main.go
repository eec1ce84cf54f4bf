package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// These are the exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == starterArg {
		if err := serve(os.Stdin, os.Stdout, "."); err != nil {
			fmt.Fprintf(os.Stderr, "nullrun: starter: %v\n", err)
			os.Exit(exitFailed)
		}
		return
	}
	os.Setenv("COOK_ENGINE", "own") // A fixed engine makes the results of different runs comparable.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// settings are the values of the flags.
type settings struct {
	files       counts
	runs        int
	within      time.Duration
	threads     int
	verifyBytes int64
	all         bool
	rows        pattern
	cook        string
	work        string
	keep        bool
	out         string
	svg         string
	simulate    int
}

// counts is a flag value that holds numbers separated by commas.
type counts []int

func (c *counts) String() string {
	words := make([]string, len(*c))
	for i, n := range *c {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func (c *counts) Set(text string) error {
	*c = nil
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 10_000_000 {
			return errors.New("want numbers from 1 to 10000000 separated by commas")
		}
		*c = append(*c, n)
	}
	return nil
}

// pattern is a flag value that holds a regular expression. The default matches everything.
type pattern struct{ re *regexp.Regexp }

func (p *pattern) String() string {
	if p.re == nil {
		return ""
	}
	return p.re.String()
}

func (p *pattern) Set(text string) (err error) {
	p.re, err = regexp.Compile(text)
	return err
}

func (p *pattern) matches(name string) bool { return p.re == nil || p.re.MatchString(name) }

func settingFlags(s *settings) *flag.FlagSet {
	*s = settings{files: counts{10_000, 100_000}}
	fs := flag.NewFlagSet("nullrun", flag.ContinueOnError)
	fs.Var(&s.files, "files", "sizes of the trees, separated by commas")
	fs.IntVar(&s.runs, "runs", 9, "measured rounds of each row")
	fs.DurationVar(&s.within, "within", 0, "begin no further round of a row after this time, if 3 have been measured")
	fs.IntVar(&s.threads, "threads", runtime.NumCPU(), "threads of the limits")
	fs.Int64Var(&s.verifyBytes, "verify-bytes", 2<<30, "sources and outputs of the tree for -verify; 0 leaves the row out")
	fs.BoolVar(&s.all, "all", false, "also peers that take minutes to set up a million files")
	fs.Var(&s.rows, "rows", "only the rows whose names match the `regexp`")
	fs.StringVar(&s.cook, "cook", "", "a built cook to measure (default: built from this module)")
	fs.StringVar(&s.work, "work", "", "`directory` in which to make the trees (default: the temporary directory)")
	fs.BoolVar(&s.keep, "keep", false, "keep the trees")
	fs.StringVar(&s.out, "o", "", "`file` for the report (default: standard output)")
	fs.StringVar(&s.svg, "svg", "", "`file` for a picture of time and memory over the number of files")
	fs.IntVar(&s.simulate, "simulate", 0, "instead of trees, measure an index of this many `assets`, of which a thousand are files")
	return fs
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	fs := settingFlags(&s)
	fs.SetOutput(stderr)
	if err := fs.Parse(args); err != nil {
		return exitUsage
	}
	fail := func(code int, format string, args ...any) int {
		fmt.Fprintf(stderr, "nullrun: "+format+"\n", args...)
		return code
	}
	switch {
	case fs.NArg() > 0:
		return fail(exitUsage, "unexpected argument %q", fs.Arg(0))
	case s.runs < 1 || s.threads < 1 || s.threads > 1024 || s.verifyBytes < 0 || s.within < 0:
		return fail(exitUsage, "want at least one run, 1 to 1024 threads, and neither -verify-bytes nor -within below 0")
	case s.simulate < 0 || s.simulate%poolFiles > 0 || s.simulate > 100_000_000:
		return fail(exitUsage, "-simulate wants a multiple of %d up to 100 million", poolFiles)
	case s.svg != "" && len(slices.Compact(slices.Sorted(slices.Values(s.files)))) < 2:
		return fail(exitUsage, "a picture needs at least two sizes in -files")
	case !supported:
		return fail(exitFailed, "measures on Linux only")
	}
	report, err := measure(ctx, s, stderr)
	switch {
	case ctx.Err() != nil:
		return fail(exitInterrupted, "interrupted")
	case err != nil:
		return fail(exitFailed, "%v", err)
	}
	report.Command, report.Date = commandLine(fs), time.Now().UTC().Format(time.DateOnly)
	if err := save(report, s.out, stdout); err != nil {
		return fail(exitFailed, "%v", err)
	}
	if s.svg != "" {
		picture, err := report.picture()
		if err == nil {
			err = os.WriteFile(s.svg, picture, 0o666)
		}
		if err != nil {
			return fail(exitFailed, "%v", err)
		}
	}
	for _, section := range report.Sections {
		if slices.ContainsFunc(section.Rows, func(row Outcome) bool { return row.Err != nil }) {
			return fail(exitFailed, "not all rows have figures")
		}
	}
	return exitOK
}

func save(r *Report, name string, stdout io.Writer) error {
	if name == "" {
		_, err := r.WriteTo(stdout)
		return err
	}
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(b.String()), 0o666)
}

// facts describes the machine, as needed to interpret the figures.
func (b *bench) facts(ctx context.Context) []Fact {
	built := "built from this module"
	if b.cook != "" {
		built = "given by -cook"
	}
	facts := []Fact{
		{"cook", built},
		{"processor", processor()},
		{"cores", strconv.Itoa(runtime.NumCPU())},
		{"kernel", kernel()},
		{"file system", fileSystem(b.dir)},
		{"Go", runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH},
		{"C compiler", compiler(ctx)},
		{"threads of the limits", strconv.Itoa(b.limits.threads)},
	}
	for _, p := range b.peerTools {
		version := p.Version
		if version == "" {
			version = "not installed"
		}
		facts = append(facts, Fact{strings.Fields(p.name)[0], version})
	}
	return facts
}

// processor returns the CPU model name.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func compiler(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "cc", "--version").Output()
	if err != nil {
		return "not installed"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// commandLine returns the command that repeats this run. It omits flags with local paths.
func commandLine(fs *flag.FlagSet) string {
	line := "go run ./bench/nullrun"
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "work", "keep", "o", "svg", "cook":
		case "all":
			line += " -all=" + f.Value.String()
		default:
			line += " -" + f.Name + " " + quoted(f.Value.String())
		}
	})
	return line
}

// plain matches text that needs no quoting in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_,./-]+$`)

func quoted(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// stateNote returns a sentence that states the size of cook's state files for a tree.
func stateNote(t *Tree) (string, error) {
	var sums [3]int64 // sizes of the index, its changes and the manifest, in bytes
	count := func(sum *int64, pattern string) error {
		names, err := filepath.Glob(filepath.Join(t.Cooked(), pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				return err
			}
			*sum += info.Size()
		}
		return nil
	}
	for i, patterns := range [len(sums)][]string{{".cook/index"}, {".cook/changes-*"}, {"manifest.json", "manifest.parts/*"}} {
		for _, pattern := range patterns {
			if err := count(&sums[i], pattern); err != nil {
				return "", err
			}
		}
	}
	each := func(n int64) string {
		return fmt.Sprintf("%s (%s bytes for each asset)", mebibytes(n), digits(float64(n)/float64(t.Files)))
	}
	return fmt.Sprintf("On disk: index %s, its changes %s, manifest %s.", each(sums[0]), each(sums[1]), each(sums[2])), nil
}
