package session

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

// Options are the options of Open.
type Options struct {
	Place    Place
	Scope    Scope
	Mode     Mode
	Limits   Limits
	Recipes  []recipe.Recipe
	Checksum string // "" means xxh3
	Time     Time
	Probe    profile.Probe
	Observer Observer // nil for none
}

// A Place names the directories and files of a session.
type Place struct {
	Dir    string       // asset directory
	Out    string       // output directory; "" means [DefaultOut]
	Config string       // rule file for all of Dir; "" means Dir's cook.toml
	Cache  string       // store directory; "" means [CacheDir]
	Remote rules.Remote // server that shares results; URL "" means none
	IDs    bool         // assets have IDs; a file in Dir records renames
	// State is the directory that holds .cook. "" means Out, or a directory outside
	// everything that is likely to be served.
	State string
}

// A Mode chooses how thoroughly a run works.
type Mode struct {
	DryRun          bool // change nothing, report what would be done
	Force           bool // cook everything
	IgnoreStamps    bool // read every source and output
	Strict          bool // treat warnings as errors
	StopOnFailure   bool // start nothing new after the first failure
	OutputsByFolder bool // skip per-file checks in output directories with unchanged stamps
	ListAll         bool // list every directory, for file systems without directory times
	EveryAction     bool // report up-to-date actions, too
	FullScan        bool // list the whole tree, as if the index were invalid
	// Beside is set if a watcher works on the output directory, so its journal and temporary
	// files are no leftovers of a killed run. Only questions set it; see [Session.Asking].
	Beside bool
}

// Limits bound the resources of a session.
type Limits struct {
	Workers   int   // actions at once; 0 means one per CPU
	Memory    int64 // bytes for all running recipes; 0 means [DefaultMemory]
	CacheSize int64 // bytes the store may keep; 0 means DefaultCacheSize
}

// Time is the clock in options.
type Time struct {
	Now func() time.Time // nil means time.Now
	// File maps the stamp of a file just written to the stamp that the file system of the
	// output directory shows. If it is nil, the session does not ask the file system for
	// its time.
	File func(scan.Stamp) scan.Stamp
}

// An Observer follows a session. One goroutine at a time calls its methods.
type Observer interface {
	Stage(name string)
	Planned(actions int, expected time.Duration)
	Event(execute.Event)
	// Step reports the current step of a started action, "" for no particular step.
	Step(source, target, step string)
	Note(text string)
	// Reading reports how many of the files that Verify reads it has read, and their bytes.
	Reading(files, of int, bytes int64)
}

// A ConfigError is an error in the options or in a cook.toml. A function that returns one has
// changed nothing.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }

func (e *ConfigError) Unwrap() error { return e.Err }

// Configf returns a [ConfigError] with a formatted text.
func Configf(format string, args ...any) error {
	return &ConfigError{fmt.Errorf(format, args...)}
}

// DefaultCacheSize is the default limit for the size of the store.
const DefaultCacheSize = 10 << 30

// DefaultMemory returns half of the memory of this machine or container.
func DefaultMemory() int64 {
	if n := sysmem.Total(); n > 0 {
		return n / 2
	}
	return 4 << 30
}

// WithDefaults checks options and fills in missing options.
func (o Options) WithDefaults() (Options, error) {
	var err error
	if o.Place, err = o.Place.resolved(); err != nil {
		return o, err
	}
	if o.Scope, err = o.Scope.compileScope(); err != nil {
		return o, err
	}
	if _, err = remote.OptionsOf(o.Place.Remote); err != nil {
		return o, &ConfigError{err}
	}
	if o.Limits.Workers < 0 {
		return o, Configf("%d workers: want 1 or more, or 0 for one for each CPU", o.Limits.Workers)
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

// resolved checks the asset directory and makes the other names absolute.
func (p Place) resolved() (Place, error) {
	if p.Dir == "" {
		return p, Configf("no asset directory given")
	}
	if info, err := os.Stat(p.Dir); err != nil {
		return p, Configf("asset directory: %w", err)
	} else if !info.IsDir() {
		return p, Configf("asset directory %s: not a directory", p.Dir)
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

// DefaultOut returns the default output directory of an asset directory: "cooked" beside a
// directory named "assets" or cooked into it before, else NAME.cooked, so that no two asset
// directories share one.
func DefaultOut(dir string) string {
	usual, name := filepath.Join(filepath.Dir(dir), "cooked"), filepath.Base(dir)
	own := filepath.Join(filepath.Dir(dir), name+".cooked")
	if name == "assets" || filepath.Dir(dir) == dir || !state.BelongsTo(own, dir) && state.BelongsTo(usual, dir) {
		return usual
	}
	return own
}

// CacheDir returns the directory of the store: the given one, $COOKCACHE, or "assetcook" in the
// user's cache directory.
func CacheDir(given string) (string, error) {
	if given == "" {
		given = os.Getenv("COOKCACHE")
	}
	if given == "" {
		user, err := os.UserCacheDir()
		if err != nil || !filepath.IsAbs(user) { // HOME may be relative
			return "", &ConfigError{errors.New("no directory for the store: set COOKCACHE or choose one")}
		}
		given = filepath.Join(user, "assetcook")
	}
	abs, err := filepath.Abs(given)
	if err != nil {
		return "", &ConfigError{err}
	}
	return abs, nil
}

// silent is an observer that ignores everything.
type silent struct{}

func (silent) Stage(string) {}

func (silent) Planned(int, time.Duration) {}

func (silent) Event(execute.Event) {}

func (silent) Step(_, _, _ string) {}

func (silent) Note(string) {}

func (silent) Reading(_, _ int, _ int64) {}
