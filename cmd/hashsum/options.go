package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/frontend"
)

// options holds the parsed command line.
type options struct {
	fn      *function // hash functions named by -a; nil without -a
	lists   []string  // values of -check, and with it the other arguments; "-" is standard input
	files   []string  // files to sum; empty only if there are lists to check
	workers int       // number of workers; 0 means one for each CPU
	layout  layout

	version, man bool // whether to print the version or the manual page and exit

	// Options of -stats.
	stats  bool
	fns    []*function // functions to test; empty if the input has sums
	keys   keyForm
	bins   int // number of bins; 0 means a power of two that is at least the number of keys
	chains int // number of the fullest bins to show
	bin    int // number of the bin to show; -1 for none

	// Options of -check, as in coreutils.
	quiet, status, ignoreMissing, strict, warn bool
}

// errHelp is the error of parseOptions for -h.
var errHelp = errors.New("help requested")

// texts is a flag value that collects every occurrence of its flag.
type texts []string

func (t *texts) String() string { return strings.Join(*t, " ") }

func (t *texts) Set(text string) error {
	*t = append(*t, text)
	return nil
}

// newFlagSet declares the flags.
func newFlagSet(o *options, fn *string, tag, json *bool) *flag.FlagSet {
	fs := flag.NewFlagSet("hashsum", flag.ContinueOnError)
	fs.StringVar(fn, "a", hashing.Default, "the `function`: "+listNames(functions))
	fs.Var((*texts)(&o.lists), "check", "check the sums in a `list` (\"-\": standard input); other arguments are then lists too")
	fs.Var((*texts)(&o.lists), "c", "the same as -check `list`")
	fs.IntVar(&o.workers, "j", 0, "sum `N` files at once (default 0: one for each CPU)")
	fs.BoolVar(tag, "tag", false, "print lines in BSD style: SHA256 (name) = ...")
	fs.BoolVar(json, "json", false, "print one JSON object per line: name, algorithm, digest, size in bytes;\nname_base64 has the exact bytes of a name that is not UTF-8")
	fs.BoolVar(&o.layout.zero, "z", false, "end lines with NUL instead of newline, and do not escape names")
	fs.BoolVar(&o.layout.zero, "0", false, "the same as -z")
	fs.BoolVar(&o.stats, "stats", false, "print how evenly functions spread keys over bins; each line of the files is a key;\n-a may name several functions, such as a,b,c (default all)")
	fs.Var(&o.keys, "keys", "for -stats: the `form` of the keys: \"lines\" (with -z, texts that end with NUL),\n\"hex\" (each line is a key in hex digits), a number (keys of that many bytes\nwithout separators), or \"sums\" (each line is the sum of your own function in\nhex digits, a space, and the key) (default lines)")
	fs.IntVar(&o.bins, "bins", 0, "for -stats: use `N` bins (default 0: the lowest power of two with one bin per key)")
	fs.IntVar(&o.chains, "chains", 0, "for -stats: print the lengths of all chains, and the keys in the `N` fullest bins")
	fs.IntVar(&o.bin, "bin", -1, "for -stats: print the keys in bin `N`, counted from 0; -1 prints none")
	fs.BoolVar(&o.version, "version", false, "print the version and the build")
	fs.BoolVar(&o.man, "man", false, "print a manual page")
	fs.BoolVar(&o.quiet, "quiet", false, "when checking: do not print OK for each matching file")
	fs.BoolVar(&o.status, "status", false, "when checking: print neither results nor warnings, only set the exit status")
	fs.BoolVar(&o.ignoreMissing, "ignore-missing", false, "when checking: do not report missing files")
	fs.BoolVar(&o.strict, "strict", false, "when checking: fail if a line is not a sum")
	fs.BoolVar(&o.warn, "warn", false, "when checking: report each line that is not a sum, and why")
	return fs
}

// forChecking lists the flags that require -check. notFor lists the flags that exclude it.
var (
	forChecking = []string{"quiet", "status", "ignore-missing", "strict", "warn"}
	notFor      = []string{"tag", "json"}
)

// parseOptions parses and checks a command line.
func parseOptions(args []string) (options, error) {
	var o options
	var fn string
	var tag, json bool
	fs := newFlagSet(&o, &fn, &tag, &json)
	words, err := frontend.Parse(fs, args)
	if errors.Is(err, flag.ErrHelp) {
		return o, errHelp
	}
	if err != nil {
		return o, fmt.Errorf("%w; see hashsum -h", err)
	}
	for _, list := range o.lists {
		if name := flagIn(fs, list); name != "" {
			return o, fmt.Errorf("-check needs a list, but -%s is a flag; name the list right after -check", name)
		}
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, name := range forChecking {
		if given[name] && o.lists == nil {
			return o, fmt.Errorf("-%s is meaningful only when verifying checksums", name)
		}
	}
	for _, name := range notFor {
		if given[name] && o.lists != nil {
			return o, fmt.Errorf("-%s is meaningless when verifying checksums", name)
		}
	}
	if o.workers < 0 {
		return o, fmt.Errorf("-j %d: want 1 or more, or 0 for one for each CPU", o.workers)
	}
	switch {
	case tag && json:
		return o, errors.New("-tag and -json cannot be combined; choose one")
	case tag:
		o.layout.style = styleTag
	case json:
		o.layout.style = styleJSON
	}
	switch {
	case o.stats:
		if err := o.parseStats(given, fn); err != nil {
			return o, err
		}
	case given["bins"], given["keys"], given["chains"], given["bin"]:
		for _, name := range []string{"bins", "keys", "chains", "bin"} {
			if given[name] {
				return o, fmt.Errorf("-%s is meaningful only with -stats", name)
			}
		}
	case given["a"] || o.lists == nil:
		if o.fn, err = functionNamed(fn); err != nil {
			return o, fmt.Errorf("-a: %w", err)
		}
	}
	switch {
	case o.lists != nil:
		o.lists = append(o.lists, words...)
	case len(words) == 0:
		o.files = []string{stdinName}
	default:
		o.files = words
	}
	return o, nil
}

// parseStats checks the flags that accompany -stats.
func (o *options) parseStats(given map[string]bool, fn string) error {
	for _, name := range []string{"check", "c", "tag", "json", "j"} {
		if given[name] {
			return fmt.Errorf("-%s has no effect with -stats; remove it", name)
		}
	}
	if o.bins < 0 || o.bins > maxBins {
		return fmt.Errorf("-bins %d: want 1 to %d, or 0 for one for each key", o.bins, maxBins)
	}
	if o.chains < 0 {
		return fmt.Errorf("-chains %d: want 1 or more, or 0 for none", o.chains)
	}
	if given["bin"] && o.bin < 0 {
		return fmt.Errorf("-bin %d: want 0 or more", o.bin)
	}
	if o.keys.size > 0 && o.layout.zero {
		return fmt.Errorf("-z has no effect with -keys %v, because these keys have no separators; remove -z", &o.keys)
	}
	if o.keys.sums {
		if given["a"] {
			return errors.New("-a has no effect with -keys sums, because each line already has its sum; remove -a")
		}
		return nil
	}
	if !given["a"] {
		for i := range functions {
			o.fns = append(o.fns, &functions[i])
		}
		return nil
	}
	for name := range strings.SplitSeq(fn, ",") {
		f, err := functionNamed(name)
		if err != nil {
			return fmt.Errorf("-a: %w", err)
		}
		o.fns = append(o.fns, f)
	}
	return nil
}

// flagIn returns the name of the flag that an argument looks like, or "". A file with such a name
// can be given as ./-name.
func flagIn(fs *flag.FlagSet, word string) string {
	name, dashed := strings.CutPrefix(word, "-")
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
	if !dashed || fs.Lookup(name) == nil && name != "h" && name != "help" {
		return ""
	}
	return name
}

// usageText returns the answer to -h.
func usageText() string {
	var b strings.Builder
	b.WriteString(`usage: hashsum [flags] [FILE|DIRECTORY ...]
       hashsum -c LIST [flags] [LIST ...]
       hashsum -stats [flags] [FILE ...]

Print or check sums of files, of all files in directories, and of standard input
("-", or no argument at all).

  hashsum assets > SUMS                      sum all files in a directory
  hashsum -c SUMS                            check them
  hashsum -a sha256 -tag a.png b.png         use SHA-256, and name it on each line
  sha256sum *.png | hashsum -c -             check the list of another program
  hashsum -stats names.txt                   find the function that spreads lines best
  hashsum -stats -a xxh3 -keys 8 ids.bin     test XXH3 with keys of 8 bytes

Links to files are followed. In directories, links to directories, dangling
links, pipes and other special files are skipped with a warning.

`)
	var o options
	var fn string
	var tag, json bool
	fs := newFlagSet(&o, &fn, &tag, &json)
	fs.SetOutput(&b)
	fs.PrintDefaults()
	b.WriteString(`
Lists: -check reads the output of hashsum in any style, and lists of md5sum,
sha256sum, b3sum, xxhsum, openssl dgst, cksum -a sha256 and the BSDs. A list may
mix styles ("DIGEST  NAME", "SHA256 (NAME) = DIGEST", a JSON object). Algorithms
that only cksum has are not supported. A tag, "algorithm" or the prefix XXH3_
names the function of a line; other lines have the function of -a. Without -a,
hashsum tries functions with as many digits until a file of the list matches.

Exit status: 0 success; 1 a file could not be read, a sum did not match, or a
list has no sums; 2 wrong usage; 130 interrupted.
`)
	return b.String()
}

// A function is a hash function of package hashing, with its names in checksum files.
type function struct {
	hashing.Func
	tag  string // name in the BSD style: "SHA256"
	mark string // prefix in the plain style, such as "XXH3_"; may be empty
}

// left lists the functions of package hashing that hashsum does not offer, each with the reason.
var left = map[string]string{
	"maphash": "its sums differ in each process",
	"slice8":  "crc32-bzip2 has the same sums", // a slower implementation, which package hashing has for comparisons
}

// functions holds the functions that hashsum offers. It never changes.
var functions = func() []function {
	var all []function
	for _, name := range hashing.Names() {
		f, ok := hashing.Lookup(name)
		if !ok || left[name] != "" {
			continue
		}
		row := function{Func: f, tag: strings.ToUpper(name)}
		if name == "xxh3" {
			// xxhsum writes this prefix since 0.8.2, because XXH64 has the same number of digits.
			// Older versions do not read plain lines of XXH3.
			row.mark = "XXH3_"
		}
		all = append(all, row)
	}
	return all
}()

// untagged has the first function to try for a plain line without -a, by the number of digits.
// Lines of 8, 16 and 32 digits are assumed to come from xxhsum, which writes a prefix for XXH3.
// [checking.matchesOther] tries the other functions.
var untagged = map[int]string{8: "xxh32", 16: "xxh64", 32: "xxh128", 40: "sha1", 64: "sha256", 128: "sha512"}

// functionsWithDigits returns the functions whose sums have that many digits. The function in
// untagged comes first.
func functionsWithDigits(digits int) []*function {
	var all []*function
	for i := range functions {
		if f := &functions[i]; 2*f.Size == digits {
			all = append(all, f)
		}
	}
	if i := slices.Index(all, lookupFunction(untagged[digits])); i > 0 {
		f := all[i]
		copy(all[1:i+1], all[:i])
		all[0] = f
	}
	return all
}

// lookupFunction returns the function that -a, a tag or a JSON object names. It ignores case. It
// returns nil if there is no such function.
func lookupFunction(name string) *function {
	for i := range functions {
		if strings.EqualFold(functions[i].Name, name) {
			return &functions[i]
		}
	}
	return nil
}

// functionNamed is like lookupFunction, but returns an error that lists all functions instead of
// nil.
func functionNamed(name string) (*function, error) {
	if f := lookupFunction(name); f != nil {
		return f, nil
	}
	if why := left[strings.ToLower(name)]; why != "" {
		return nil, fmt.Errorf("hashsum does not offer %s: %s", strings.ToLower(name), why)
	}
	return nil, fmt.Errorf("unknown function %q; want one of %s", name, listNames(functions))
}

// listNames joins the names into text for a message.
func listNames(all []function) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return strings.Join(names, ", ")
}
