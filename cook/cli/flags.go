package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/nearest"
)

// size is a flag value in bytes: 4GiB, 512MB, 1048576.
type size int64

func (s *size) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

func (s *size) Set(text string) error {
	n := strings.TrimRight(text, "bBiIkKmMgGtT")
	unit, ok := map[string]float64{
		"": 1, "b": 1,
		"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
		"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
		"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	}[strings.ToLower(text[len(n):])]
	x, err := strconv.ParseFloat(n, 64)
	if err != nil || !ok || x*unit < 1 || x*unit > math.MaxInt64/2 {
		return errors.New("want a size such as 512MiB or 4GiB")
	}
	*s = size(x * unit)
	return nil
}

// outputs is a flag value: each or folder.
type outputs bool

func (o *outputs) String() string {
	if *o {
		return "folder"
	}
	return ""
}

func (o *outputs) Choices() []string { return []string{"each", "folder"} }

func (o *outputs) Set(text string) error {
	if text != "each" && text != "folder" {
		return errors.New("want each or folder")
	}
	*o = text == "folder"
	return nil
}

// names is a flag value of words separated by commas.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("want names separated by commas")
		}
		*n = append(*n, word)
	}
	return nil
}

// A listed flag value is one of some words, which completion offers. The verb checks it.
type listed struct {
	to    *string
	words func() []string
}

func (l listed) String() string {
	if l.to == nil {
		return ""
	}
	return *l.to
}

func (l listed) Set(text string) error {
	*l.to = text
	return nil
}

func (l listed) Choices() []string { return l.words() }

// listedFlag declares a flag with a default that takes one of some words.
func listedFlag(fs *flag.FlagSet, to *string, name, preset, usage string, words func() []string) {
	*to = preset
	fs.Var(listed{to, words}, name, usage)
}

// folderFlags declares where a project is.
func folderFlags(fs *flag.FlagSet, p *cook.Project) {
	placeFlags(fs, p)
	storeFlag(fs, &p.Cache)
}

// placeFlags declares where a project is, without its store.
func placeFlags(fs *flag.FlagSet, p *cook.Project) {
	fs.StringVar(&p.Dir, "dir", "", "`folder` of the source assets")
	fs.StringVar(&p.Out, "out", "", "output `folder` (default: cooked beside the folder assets, NAME.cooked beside others)")
}

func storeFlag(fs *flag.FlagSet, dir *string) {
	fs.StringVar(dir, "cache", "", "`folder` of the store of results (default: $COOKCACHE, or assetcook in the user's cache folder)")
}

func sizeFlag(fs *flag.FlagSet, bytes *int64) {
	fs.Var((*size)(bytes), "cache-size", "`size` to which the store is trimmed (default 10GiB)")
}

const targetsToCook = "cook for these targets, `names` separated by commas; all is for all that are declared"

// idsFlag declares whether assets have IDs.
func idsFlag(fs *flag.FlagSet, p *cook.Project) {
	fs.BoolVar(&p.IDs, "ids", false, "give assets IDs that they keep through renames, which are recorded in the file assets.ids among them")
}

// ruleFlags declares what is made of each source. The targets' help depends on the verb.
func ruleFlags(fs *flag.FlagSet, p *cook.Project, targets string) {
	fs.StringVar(&p.Config, "config", "", "`file` of rules for the whole tree (default: cook.toml in the asset folder)")
	fs.Var((*names)(&p.Targets), "target", targets)
	idsFlag(fs, p)
}

// changeFlags declares how changed files are detected.
func changeFlags(fs *flag.FlagSet, p *cook.Project, ignoreTimestamps, outputsByFolder *bool) {
	listedFlag(fs, &p.Checksum, "checksum", "", "`function` that detects changed files: "+strings.Join(session.Checksums(), ", ")+" (default "+session.Checksums()[0]+")", session.Checksums)
	fs.Var((*outputs)(outputsByFolder), "outputs", "each: check each output; `folder`: skip per-file checks in output folders whose stamp is unchanged (misses in-place edits) (default each)")
	fs.BoolVar(ignoreTimestamps, "check-contents", false, "ignore timestamps: checksum all sources and outputs")
}

func workerFlag(fs *flag.FlagSet, n *int) {
	fs.IntVar(n, "j", 0, "`number` of assets to work on at once (default: one for each CPU)")
}

func memoryFlag(fs *flag.FlagSet, bytes *int64) {
	fs.Var((*size)(bytes), "mem", "`size` of the memory that running recipes may use (default: half of the machine's)")
}

// suggestions are what texts of package cook suggest, and the same with flags: it does
// not know that it is used by a command.
var suggestions = strings.NewReplacer(
	"choose another output folder", "choose another output folder with -out",
	"choose another folder for the store", "choose another folder for the store with -cache",
	"choose folders that can be written to", "choose folders that can be written to with -out and -cache",
	"name the store of this project, here", "name the store of this project (-cache or COOKCACHE), here",
	"set COOKCACHE or choose one", "set COOKCACHE or -cache",
	" workers: want", " workers (-j): want",
	"allow more open files or use fewer workers", "allow more open files (ulimit -n) or use fewer workers (-j)",
	"of memory; the budget is", "of memory; the budget (-mem) is",
	"; wait for it or", "; wait for it (cook -wait does) or",
	"cook again ignoring timestamps", "cook again ignoring timestamps (-check-contents)",
	"they are removed by force only", "they are removed with -force only",
	"list them first, then remove them by force", "list them first (-n), then remove them with -force",
	"remove extra files", "remove extra files (cook clean -extra)",
	"a watching cook (", "cook -watch (",
	"another watching cook", "another cook -watch",
)

// withFlags adds to a text the flags for what it suggests.
func withFlags(text string) string { return suggestions.Replace(text) }

// A flagged error has a text with flags.
type flagged struct{ error }

func (e flagged) Error() string { return withFlags(e.error.Error()) }
func (e flagged) Unwrap() error { return e.error }

// addFlags makes an error flagged, if there is one.
func addFlags(err error) error {
	if err == nil {
		return nil
	}
	return flagged{err}
}

// A flagging observer passes everything on, with flags in its texts.
type flagging struct{ cook.Observers }

func (o flagging) Event(e cook.Event) {
	e.Err = addFlags(e.Err)
	o.Observers.Event(e)
}

func (o flagging) Note(text string) { o.Observers.Note(withFlags(text)) }

func (o flagging) Finding(f cook.Finding) {
	f.Text = withFlags(f.Text)
	report.Find(o.Observers, f)
}

// newFlags returns the flags of a verb, of which there are none yet. Asked for help, they
// print a text, themselves and the exit status.
func newFlags(verb, text string) *flag.FlagSet {
	fs := flag.NewFlagSet("cook "+verb, flag.ContinueOnError)
	fs.Usage = func() {
		fmt.Fprintf(fs.Output(), "%s\nFlags:\n", text)
		fs.PrintDefaults()
		fmt.Fprint(fs.Output(), exitText)
	}
	return fs
}

// renamed are flags by names that they had.
var renamed = map[string]string{"verify": "check-contents"}

// presentNames replaces flags by their present names.
func presentNames(fs *flag.FlagSet, args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if arg == "--" {
			break
		}
		dashes := arg[:len(arg)-len(strings.TrimLeft(arg, "-"))]
		name, _, _ := strings.Cut(arg[len(dashes):], "=")
		if now := renamed[name]; (dashes == "-" || dashes == "--") && now != "" && fs.Lookup(now) != nil {
			args[i] = dashes + now + strings.TrimPrefix(arg[len(dashes):], name)
		}
	}
	return args
}

// parse parses flags before, between and after other words. What the command line leaves
// out is taken from the environment, and what that leaves out from the project.
func parse(fs *flag.FlagSet, args []string, stdout, stderr io.Writer) (words []string, code int, ok bool) {
	fs.SetOutput(io.Discard)
	args = presentNames(fs, args)
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			fs.SetOutput(stdout)
			fs.Usage()
			return nil, exitOK, false
		case err != nil:
			wrong(stderr, "%v%s; see cook help", err, meantFlag(fs, err))
			return nil, exitUsage, false
		}
		rest := fs.Args()
		dashes := len(args) > len(rest) && args[len(args)-len(rest)-1] == "--"
		if len(rest) == 0 || dashes {
			dir := fs.Lookup("dir")
			dirGiven := dir != nil && dir.Value.String() != ""
			if err := fromEnvironment(fs, os.Environ(), stderr); err != nil {
				wrong(stderr, "%v", err)
				return nil, exitUsage, false
			}
			words, err := inProject(fs, append(words, rest...), dirGiven)
			if err != nil {
				printError(stderr, err)
				return nil, exitUsage, false
			}
			return words, exitOK, true
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// meantFlag is the end of a message about a flag that there is not: the one that was
// probably meant.
func meantFlag(fs *flag.FlagSet, err error) string {
	given, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if name := nearest.Word(given, names); name != "" {
		return "; did you mean -" + name + "?"
	}
	return ""
}
