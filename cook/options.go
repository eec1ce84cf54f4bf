package cook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/machine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile"
	"github.com/bmatcuk/doublestar/v4"
)

// Options say what to cook and how. Only Dir is required.
type Options struct {
	// Dir is the folder of the source assets.
	Dir string
	// Out is the output folder; "" is a folder named cooked beside Dir.
	Out string
	// Config is the file of rules that governs all of Dir; "" is cook.toml in
	// Dir, if there is one.
	Config string
	// Targets are the variants to cook; none means the one without a name.
	Targets []string
	// Patterns limit the run to matching sources: globs on paths below Dir, as
	// in rules, or folders. None means everything.
	Patterns []string
	// Recipes are added to the built-in ones; one of the same name replaces it.
	Recipes []recipe.Recipe

	// Workers is how many assets are cooked at once; 0 is one for each CPU.
	Workers int
	// Memory is how many bytes all running recipes together may need; 0 is
	// DefaultMemory.
	Memory int64
	// Wait makes a run wait while another one has the output folder's lock, instead
	// of failing with a *LockedError.
	Wait bool
	// StopOnFailure starts nothing new after the first failure.
	StopOnFailure bool
	// DryRun changes nothing on the disk and says what would be done.
	DryRun bool
	// Force cooks everything, known or not.
	Force bool
	// Verify trusts no stamp: all sources and outputs are checksummed.
	Verify bool
	// Strict fails what is odd about a source, such as a Git LFS pointer in its
	// place, or what its recipe warns of, instead of reporting it when it is cooked. The
	// first bytes of all sources are read for that.
	Strict bool
	// OutputsByFolder looks at no output whose folder has the stamp that it had
	// when all outputs in it were last seen: one that was removed, renamed or
	// replaced is noticed, one that was edited in place is not.
	OutputsByFolder bool
	// Checksum names the function that tells whether a file changed: xxh3 (with
	// 128 bits), xxh64, crc32, crc32c, murmur3 (with 128 bits) or slice8, which is
	// there to measure the others against. "" is xxh3.
	Checksum string

	// Cache is the store's folder. "" is $COOKCACHE, or assetcook in the
	// user's cache folder.
	Cache string
	// CacheSize is how many bytes the store may keep; 0 is DefaultCacheSize.
	CacheSize int64

	listAll bool // list every folder, as where folders keep no times
	// fileTime is what to make of the stamp of a file that has just been written;
	// nil does not ask the file system for its time.
	fileTime func(scan.Stamp) scan.Stamp

	// Probe measures the run: its counters count what a Summary does and how long
	// each stage takes, its recording has a row for the run and one for each worker,
	// its tracker knows what memory recipes were given. The run ends a frame of the
	// counters every 100 ms, and one at its end: who has frames of his own should
	// give it a set of its own. The zero value measures nothing.
	Probe profile.Probe
	// Observer follows the run; nil for none.
	Observer report.Observer
	// Now is the clock; nil is time.Now, and the file system of Out is asked for
	// its own time as well.
	Now func() time.Time
}

// DefaultCacheSize is how much the store may keep unless Options say otherwise.
const DefaultCacheSize = 10 << 30

// A ConfigError is an error of the options or of a cook.toml. Nothing has been
// done when Cook returns one.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

func configError(format string, args ...any) error {
	return &ConfigError{fmt.Errorf(format, args...)}
}

// withDefaults fills in what was left out and checks the rest.
func (o Options) withDefaults() (Options, hashing.Func, error) {
	var none hashing.Func
	if o.Dir == "" {
		return o, none, configError("no asset folder given (-dir)")
	}
	if info, err := os.Stat(o.Dir); err != nil {
		return o, none, configError("asset folder: %w", err)
	} else if !info.IsDir() {
		return o, none, configError("asset folder %s: not a folder", o.Dir)
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return o, none, &ConfigError{err}
	}
	if o.Out == "" {
		o.Out = filepath.Join(filepath.Dir(dir), "cooked")
	}
	if o.Out, err = filepath.Abs(o.Out); err != nil {
		return o, none, &ConfigError{err}
	}
	if o.Cache, err = cacheDir(o.Cache); err != nil {
		return o, none, &ConfigError{err}
	}
	for _, p := range o.Patterns {
		if !doublestar.ValidatePattern(filepath.ToSlash(p)) {
			return o, none, configError("pattern %q: not a valid glob", p)
		}
	}
	sum, err := checksum(o.Checksum)
	if err != nil {
		return o, none, err
	}
	if o.Workers < 0 {
		return o, none, configError("%d workers (-j): want 1 or more, or 0 for one for each CPU", o.Workers)
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.CacheSize <= 0 {
		o.CacheSize = DefaultCacheSize
	}
	if len(o.Targets) == 0 {
		o.Targets = []string{""}
	}
	o.Targets = slices.Compact(slices.Sorted(slices.Values(o.Targets)))
	if o.Observer == nil {
		o.Observer = report.Multi(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
		if o.fileTime == nil {
			o.fileTime = func(s scan.Stamp) scan.Stamp { return s }
		}
	}
	return o, sum, nil
}

func cacheDir(given string) (string, error) {
	if given == "" {
		given = os.Getenv("COOKCACHE")
	}
	if given == "" {
		user, err := os.UserCacheDir()
		if err != nil || !filepath.IsAbs(user) { // as below a HOME that is relative
			return "", errors.New("no folder for the store: set COOKCACHE or -cache")
		}
		given = filepath.Join(user, "assetcook")
	}
	return filepath.Abs(given)
}

// apart proves that neither the output folder nor the asset folder would be
// written over by the other's files. Output inside the assets is fine: the
// scan leaves it out.
func apart(assets, out string) error {
	if _, inside := pathname.Below(out, assets); inside {
		return configError("output folder %s holds the asset folder %s; choose another with -out", out, assets)
	}
	return nil
}

// DefaultMemory is half of what this process may use: of the machine's memory,
// or of what its container leaves it.
func DefaultMemory() int64 {
	if n := machine.Memory(); n > 0 {
		return n / 2
	}
	return 4 << 30
}
