package pass

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile"
)

// Options say what a session works on, and how.
type Options struct {
	Place    Place
	Scope    Scope
	Mode     Mode
	Limits   Limits
	Remote   rules.Remote // on which results are shared; its URL is "" for none
	Recipes  []recipe.Recipe
	Checksum string // "" is xxh3
	Time     Time
	Probe    profile.Probe
	Observer Observer // nil for none
}

// A Place says where things lie.
type Place struct {
	Dir    string // of the assets
	Out    string // "" is a folder named cooked beside Dir
	Config string // file of rules for all of Dir; "" is cook.toml in Dir, if there is one
	Cache  string // folder of the store; "" is $COOKCACHE, or assetcook in the user's cache folder
	IDs    bool   // assets have IDs, and a file among them says which were renamed
	// State is the folder that holds .cook, the state; "" is Out, or a folder beside all that
	// is likely to be served.
	State string
}

// A Mode says how thoroughly to work.
type Mode struct {
	DryRun          bool // change nothing, report what would be done
	Force           bool // cook everything
	IgnoreStamps    bool // read every source and output
	Strict          bool // treat warnings as errors
	StopOnFailure   bool // start nothing new after the first failure
	OutputsByFolder bool // skip per-file checks in output folders whose stamp is unchanged
	ListAll         bool // list every folder, as where folders keep no times
	EveryAction     bool // report actions that need no work, too
	FullScan        bool // list the whole tree, as where the index does not vouch for it
	// Beside says that another process works on the output folder: what it is about to tidy
	// up was not left by a run that was cut off. It is for questions only.
	Beside bool
}

// Limits say what a session may use.
type Limits struct {
	Workers   int   // actions at once; 0 is one for each CPU
	Memory    int64 // bytes that all running recipes together may need; 0 is DefaultMemory
	CacheSize int64 // bytes that the store may keep; 0 is DefaultCacheSize
}

// A Time is a session's clock.
type Time struct {
	Now func() time.Time // nil is time.Now
	// File turns the stamp of a file that was just written into what the file system
	// of the output folder shows; nil does not ask the file system for its time.
	File func(scan.Stamp) scan.Stamp
}

// An Observer follows a session. Its methods are called by one goroutine at a time.
type Observer interface {
	Stage(name string)
	Planned(actions int, expected time.Duration)
	Event(execute.Event)
	// Step says what the recipe of a started action is doing, "" for nothing in particular.
	Step(source, target, step string)
	Note(text string)
	// Reading reports how many of the files that Verify reads it has read, and their bytes.
	Reading(files, of int, bytes int64)
}

// DefaultCacheSize is how much the store may keep unless options say otherwise.
const DefaultCacheSize = 10 << 30

// DefaultMemory is half of what this process may use: of the machine's memory, or of
// what its container leaves it.
func DefaultMemory() int64 {
	if n := sysmem.Total(); n > 0 {
		return n / 2
	}
	return 4 << 30
}

// A ConfigError is an error of the options or of a cook.toml. Nothing has been done
// when one is returned.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

func configError(format string, args ...any) error {
	return &ConfigError{fmt.Errorf(format, args...)}
}

// withDefaults fills in what was left out and checks the rest.
func (o Options) withDefaults() (Options, error) {
	var err error
	if o.Place, err = o.Place.resolved(); err != nil {
		return o, err
	}
	if o.Scope, err = o.Scope.compiled(); err != nil {
		return o, err
	}
	if _, err = remote.OptionsOf(o.Remote); err != nil {
		return o, &ConfigError{err}
	}
	if o.Limits.Workers < 0 {
		return o, configError("%d workers: want 1 or more, or 0 for one for each CPU", o.Limits.Workers)
	}
	if o.Limits.Workers == 0 {
		o.Limits.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Limits.CacheSize <= 0 {
		o.Limits.CacheSize = DefaultCacheSize
	}
	if o.Observer == nil {
		o.Observer = silent{}
	}
	if o.Time.Now == nil {
		o.Time.Now = time.Now
		if o.Time.File == nil {
			o.Time.File = func(s scan.Stamp) scan.Stamp { return s }
		}
	}
	return o, nil
}

// resolved checks the asset folder and makes the other names absolute.
func (p Place) resolved() (Place, error) {
	if p.Dir == "" {
		return p, configError("no asset folder given")
	}
	if info, err := os.Stat(p.Dir); err != nil {
		return p, configError("asset folder: %w", err)
	} else if !info.IsDir() {
		return p, configError("asset folder %s: not a folder", p.Dir)
	}
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return p, &ConfigError{err}
	}
	if p.Out == "" {
		p.Out = DefaultOut(dir)
	}
	if p.Out, err = filepath.Abs(p.Out); err != nil {
		return p, &ConfigError{err}
	}
	if p.State != "" {
		if p.State, err = filepath.Abs(p.State); err != nil {
			return p, &ConfigError{err}
		}
	}
	p.Cache, err = CacheDir(p.Cache)
	return p, err
}

// DefaultOut returns the output folder of an asset folder unless another one is given: the
// folder cooked beside one that is called assets, or that was cooked into it before, and
// NAME.cooked beside others, so that no two have the same.
func DefaultOut(dir string) string {
	usual, name := filepath.Join(filepath.Dir(dir), "cooked"), filepath.Base(dir)
	own := filepath.Join(filepath.Dir(dir), name+".cooked")
	if name == "assets" || filepath.Dir(dir) == dir || !state.BelongsTo(own, dir) && state.BelongsTo(usual, dir) {
		return usual
	}
	return own
}

// CacheDir returns the folder of the store.
func CacheDir(given string) (string, error) {
	if given == "" {
		given = os.Getenv("COOKCACHE")
	}
	if given == "" {
		user, err := os.UserCacheDir()
		if err != nil || !filepath.IsAbs(user) { // as below a HOME that is relative
			return "", &ConfigError{errors.New("no folder for the store: set COOKCACHE or choose one")}
		}
		given = filepath.Join(user, "assetcook")
	}
	abs, err := filepath.Abs(given)
	if err != nil {
		return "", &ConfigError{err}
	}
	return abs, nil
}

// silent observes nothing.
type silent struct{}

func (silent) Stage(string)               {}
func (silent) Planned(int, time.Duration) {}
func (silent) Event(execute.Event)        {}
func (silent) Step(_, _, _ string)        {}
func (silent) Note(string)                {}
func (silent) Reading(_, _ int, _ int64)  {}
