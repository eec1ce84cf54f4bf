package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
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

// outputs is a flag value that says how outputs are checked: each or folder.
type outputs bool

func (o *outputs) String() string {
	if *o {
		return "folder"
	}
	return ""
}

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

// folders are the flags that every verb has: where things are.
func folders(fs *flag.FlagSet, opt *cook.Options) {
	fs.StringVar(&opt.Dir, "dir", "", "folder of the source assets")
	fs.StringVar(&opt.Out, "out", "", "output folder (default: cooked beside the asset folder)")
	cacheFlags(fs, opt)
}

func cacheFlags(fs *flag.FlagSet, opt *cook.Options) {
	fs.StringVar(&opt.Cache, "cache", "", "folder of the store (default: $COOKCACHE, or assetcook in the user's cache folder)")
	fs.Var((*size)(&opt.CacheSize), "cache-size", "how much the store may keep (default 10GiB)")
}

// choices are the flags that decide what is cooked, and how.
func choices(fs *flag.FlagSet, opt *cook.Options) {
	fs.StringVar(&opt.Config, "config", "", "rules for the whole tree (default: cook.toml in the asset folder)")
	fs.Var((*names)(&opt.Targets), "target", "variants to cook, separated by commas")
	fs.StringVar(&opt.Checksum, "checksum", "", "how changes are noticed: xxh3, xxh64, crc32, crc32c, murmur3, slice8 (default xxh3)")
	fs.Var((*outputs)(&opt.OutputsByFolder), "outputs", "how outputs are checked: each, or by folder, which notices no edit in place (default each)")
	fs.BoolVar(&opt.Verify, "verify", false, "trust no stamp: checksum all sources and outputs")
	fs.IntVar(&opt.Workers, "j", 0, "assets cooked at once (default: one for each CPU)")
}

// parse parses flags that may stand before, between and after other words.
func parse(fs *flag.FlagSet, args []string, stderr io.Writer) (words []string, code int, ok bool) {
	fs.SetOutput(io.Discard)
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			fs.SetOutput(stderr)
			fs.Usage()
			return nil, exitOK, false
		case err != nil:
			fmt.Fprintf(stderr, "cook: %v; see cook help\n", err)
			return nil, exitUsage, false
		}
		rest := fs.Args()
		dashes := len(args) > len(rest) && args[len(args)-len(rest)-1] == "--"
		if len(rest) == 0 || dashes {
			return append(words, rest...), exitOK, true
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}
