package session

import (
	"fmt"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/recipe"
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

// A Mode says how thoroughly to work.
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
	// Beside says that a watcher works on the output directory, so its journal and temporary
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
