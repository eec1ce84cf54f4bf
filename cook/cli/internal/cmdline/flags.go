package cmdline

import (
	"errors"
	"flag"
	"math"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/session"
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

// outputs is a flag value: "each" or "folder".
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

// Names is a flag value: words separated by commas.
type Names []string

func (n *Names) String() string { return strings.Join(*n, ",") }

func (n *Names) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			return errors.New("want names separated by commas")
		}
		*n = append(*n, word)
	}
	return nil
}

// A listed flag value takes one of some words, which completion offers. The verb checks the word.
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

// ListedFlag declares a flag that takes one of some words.
func ListedFlag(fs *flag.FlagSet, to *string, name, preset, usage string, words func() []string) {
	*to = preset
	fs.Var(listed{to, words}, name, usage)
}

// FolderFlags declares the directories of a project.
func FolderFlags(fs *flag.FlagSet, p *cook.Project) {
	PlaceFlags(fs, p)
	StoreFlag(fs, &p.Cache)
}

// PlaceFlags declares the asset directory and the output directory of a project.
func PlaceFlags(fs *flag.FlagSet, p *cook.Project) {
	fs.StringVar(&p.Dir, "dir", "", "`directory` of the source assets")
	fs.StringVar(&p.Out, "out", "", "output `directory` (default: cooked beside the directory assets, NAME.cooked beside others)")
}

// StoreFlag declares the directory of the store.
func StoreFlag(fs *flag.FlagSet, dir *string) {
	fs.StringVar(dir, "cache", "", "`directory` of the store of results (default: $COOKCACHE, or assetcook in the user's cache directory)")
}

// SizeFlag declares the size limit of the store.
func SizeFlag(fs *flag.FlagSet, bytes *int64) {
	fs.Var((*size)(bytes), "cache-size", "`size` to which the store is trimmed (default 10GiB)")
}

// TargetsToCook is the usage of -target for verbs that cook.
const TargetsToCook = "cook for these targets, `names` separated by commas; all is for all that are declared"

// IDsFlag declares whether assets have IDs.
func IDsFlag(fs *flag.FlagSet, p *cook.Project) {
	fs.BoolVar(&p.IDs, "ids", false, "give assets IDs that they keep through renames, which are recorded in the file assets.ids among them")
}

// RuleFlags declares the rules and targets. The usage of -target depends on the verb.
func RuleFlags(fs *flag.FlagSet, p *cook.Project, targets string) {
	fs.StringVar(&p.Config, "config", "", "`file` of rules for the whole tree (default: cook.toml in the asset directory)")
	fs.Var((*Names)(&p.Targets), "target", targets)
	IDsFlag(fs, p)
}

// ChangeFlags declares how cook detects changed files.
func ChangeFlags(fs *flag.FlagSet, p *cook.Project, ignoreTimestamps, outputsByFolder *bool) {
	ListedFlag(fs, &p.Checksum, "checksum", "", "`function` that detects changed files: "+strings.Join(session.Checksums(), ", ")+" (default "+session.Checksums()[0]+")", session.Checksums)
	fs.Var((*outputs)(outputsByFolder), "outputs", "each: check each output; `folder`: skip per-file checks in output directories whose stamp is unchanged (misses in-place edits) (default each)")
	fs.BoolVar(ignoreTimestamps, "check-contents", false, "ignore timestamps: checksum all sources and outputs")
}

// WorkerFlag declares the number of workers.
func WorkerFlag(fs *flag.FlagSet, n *int) {
	fs.IntVar(n, "j", 0, "`number` of assets to work on at once (default: one for each CPU)")
}

// MemoryFlag declares the memory budget of recipes.
func MemoryFlag(fs *flag.FlagSet, bytes *int64) {
	fs.Var((*size)(bytes), "mem", "`size` of the memory that running recipes may use (default: half of the machine's)")
}
