package session

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/pathname"
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
	Engine   string // engine that replaces the engine of cook.toml; "" keeps it
	Time     Time
	Probe    profile.Probe
	Observer Observer // may be nil
}

// A Place names the directories and files of a session.
type Place struct {
	Dir    string       // asset directory
	Out    string       // output directory; "" means [DefaultOut]
	Config string       // rule file for all of Dir; "" means Dir's cook.toml
	Cache  string       // store directory; "" means [CacheDir]
	Remote rules.Remote // server that shares results; URL "" means none
	IDs    bool         // set if assets have IDs and a file in Dir records renames
	// Manifest selects the layout of the manifest; "" means the default.
	Manifest manifest.Layout
	// State is the directory that holds .cook. "" means Out or, if a web server is likely to serve
	// Out, a directory outside the served one.
	State string
}

// A Mode specifies how thoroughly a run works.
type Mode struct {
	DryRun          bool // set to only report what a run would do
	Force           bool // set to cook all assets
	IgnoreStamps    bool // set to read all sources and outputs
	Strict          bool // set to treat warnings as errors
	StopOnFailure   bool // set to start no action after the first failure
	OutputsByFolder bool // set to skip per-file checks in output directories with unchanged stamps
	ListAll         bool // set to list every directory, for file systems without directory times
	EveryAction     bool // set to report up-to-date actions too
	FullScan        bool // set to list the whole tree, as if the index were invalid
	// Beside is set if a watcher works on the output directory, so that the journal and temporary
	// files are not leftovers of a killed run. It is set only for a Question; see [Session.Asking].
	Beside bool
}

// Limits bound the resources of a session.
type Limits struct {
	Workers   int   // maximum number of concurrent actions; 0 means one per CPU
	Memory    int64 // memory in bytes for all running recipes; 0 means [DefaultMemory]
	CacheSize int64 // maximum size of the store in bytes; 0 means DefaultCacheSize
}

// Time holds the clock in the options.
type Time struct {
	Now func() time.Time // nil means time.Now
	// File returns the stamp that the file system of the output directory shows for a file. Its
	// argument is the stamp of a file that was just written. If File is nil, the session does not
	// ask the file system for its time.
	File func(scan.Stamp) scan.Stamp
}

// An Observer follows a session. Its methods are called by one goroutine at a time.
type Observer interface {
	Stage(name string)
	Planned(actions int, expected time.Duration)
	Event(execute.Event)
	// Step reports the current step of a started action; "" means no particular step.
	Step(source, target, step string)
	Note(text string)
	// Reading reports how many of the files to verify have been read, and how many bytes.
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
		return p, Configf("asset directory %s is not a directory", p.Dir)
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
	if p.Manifest, err = manifest.LayoutNamed(string(p.Manifest)); err != nil {
		return p, Configf("manifest: %w", err)
	}
	p.Cache, err = CacheDir(p.Cache)
	return p, err
}

// DefaultOut returns the default output directory of an asset directory. It is the
// directory "cooked" beside the asset directory if that is named "assets" or has been cooked into
// "cooked" before. Otherwise it is NAME.cooked, so that no two asset directories share one.
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
		if err != nil || !filepath.IsAbs(user) { // HOME may be a relative path
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

// A Scope is the part of the tree to bring up to date, and the targets to cook.
type Scope struct {
	Targets  []string // names of targets; empty means the unnamed target, "all" sets All
	All      bool     // set to cook every declared target
	Patterns []string // globs that select sources, as in rules; empty means all sources
	Source   string   // limits the pass to this source; "" means no limit
	Part     string   // limits the pass to a part of the sources; see Shard.Set

	shard  Shard // the part
	chosen glob.List
}

// compileScope returns a copy of the scope with compiled patterns and sorted targets.
func (s Scope) compileScope() (Scope, error) {
	if s.All = s.All || slices.Contains(s.Targets, rules.AllTargets); s.All || len(s.Targets) == 0 {
		s.Targets = []string{""}
	}
	if s.Part != "" {
		if err := s.shard.Set(s.Part); err != nil {
			return s, Configf("shard %q: %w", s.Part, err)
		}
	}
	s.Targets = slices.Compact(slices.Sorted(slices.Values(s.Targets)))
	s.chosen = glob.List{}
	for _, pattern := range s.Patterns {
		if err := s.chosen.Add(filepath.ToSlash(pattern)); err != nil {
			return s, &ConfigError{err}
		}
	}
	return s, nil
}

// Asked returns the targets as the user named them.
func (s *Scope) Asked() []string {
	if s.All {
		return []string{rules.AllTargets}
	}
	return s.Targets
}

// Among returns the targets in scope, given all targets that the rules declare.
func (s *Scope) Among(declared []string) []string {
	switch {
	case !s.All:
		return s.Targets
	case len(declared) == 0:
		return []string{""}
	}
	return declared
}

// Whole reports whether the scope includes all sources.
func (s *Scope) Whole() bool { return !s.Partial() && s.Source == "" }

// Partial reports whether patterns or a shard exclude sources.
func (s *Scope) Partial() bool { return len(s.Patterns) > 0 || s.Part != "" }

// Has reports whether a source is in scope.
func (s *Scope) Has(p string) bool {
	switch {
	case s.Source != "":
		return p == s.Source
	case !s.shard.Has(p):
		return false
	case len(s.Patterns) == 0:
		return true
	}
	return s.chosen.Match(p, path.Base(p))
}

// Prefix returns the common prefix of all sources in scope.
func (s *Scope) Prefix() string {
	if s.Source != "" {
		return s.Source
	}
	return s.chosen.Prefix()
}

// CheckPatterns returns an error for a pattern that matches neither a listed source nor a
// source of the last run, since it is probably misspelt.
func (s *Scope) CheckPatterns(entries []scan.Entry, last *index.Index) error {
	for _, pattern := range s.Patterns {
		var alone glob.List
		if err := alone.Add(strings.TrimPrefix(filepath.ToSlash(pattern), "!")); err != nil {
			return &ConfigError{err}
		}
		found := slices.ContainsFunc(entries, func(e scan.Entry) bool { return alone.Match(e.Path, path.Base(e.Path)) })
		if !found {
			for row := range last.Results().Rows(alone.Prefix()) {
				p := row.Path()
				if found = alone.Match(p, path.Base(p)); found {
					break
				}
			}
		}
		if !found {
			return &ConfigError{&NoMatchError{pattern}}
		}
	}
	return nil
}

// A NoMatchError is the error for a pattern that matches no asset.
type NoMatchError struct{ Pattern string }

func (e *NoMatchError) Error() string { return "no asset matches " + pathname.Show(e.Pattern) }

// An Access states how a session uses the output directory.
type Access uint8

const (
	// Look neither creates a directory nor takes a lock.
	Look Access = iota
	// Ask creates the directory but takes no lock.
	Ask
	// Write creates the directory and takes the lock.
	Write
	// WriteExisting takes the lock of a directory that a run has cooked into. It creates no
	// directory.
	WriteExisting
)
