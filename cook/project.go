package cook

import (
	"errors"
	"time"

	"github.com/assetcook/assetcook/cook/internal/project"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/advice"
)

// A Project says what is cooked, where to, and by which recipes. Only Dir is required.
type Project struct {
	// Dir is the folder of the source assets.
	Dir string
	// Out is the output folder; "" is a folder beside Dir: cooked if Dir is called assets or
	// was cooked into it before, else NAME.cooked.
	Out string
	// Config is the file of rules that governs all of Dir; "" is cook.toml in Dir, if
	// there is one.
	Config string
	// Cache is the store's folder. "" is $COOKCACHE, or assetcook in the user's cache
	// folder.
	Cache string
	// State is the folder that holds .cook, the state of cook. "" is Out or, if Out is likely
	// to be served as it is, a folder beside all that is served.
	State string
	// Remote is a server on which Cook and Watch share results with others.
	Remote Remote
	// Recipes cook the assets.
	Recipes []recipe.Recipe
	// Targets are the variants to cook; none means the one without a name, and "all" all
	// that the rules declare.
	Targets []string
	// IDs gives each asset an ID that it keeps through renames: those that a run finds are
	// recorded in the file assets.ids in Dir.
	IDs bool
	// Checksum names the function that detects changed files: xxh3 (or xxh128, the same),
	// xxh64, crc32, crc32c, murmur3 (or murmur3-128, the same) or slice8, which is there to
	// measure the others against. "" is xxh3.
	Checksum string
	// Now is the clock; nil is time.Now, and the file system of Out is asked for its own
	// time as well.
	Now func() time.Time

	fileTime func(scan.Stamp) scan.Stamp // see session.Time
	listAll  bool                        // see session.Mode
	fullScan bool                        // see session.Mode
}

// FindProject returns the project that a folder belongs to: that of the nearest cook.toml with
// a table [project] or [remote], in the folder or above it, with absolute names, and the name of that
// file. If there is none, all is empty. Recipes and what the table does not say are to be
// filled in. A file above that belongs to another user ends the search.
func FindProject(folder string) (p Project, file string, err error) {
	found, err := project.Find(folder)
	if err != nil {
		return p, "", &ConfigError{err}
	}
	if found == nil {
		return p, "", nil
	}
	return Project{Dir: found.Dir, Out: found.Out, Config: found.Config, Cache: found.Cache, State: found.State, Targets: found.Targets, IDs: found.IDs, Remote: Remote(found.Remote)}, found.File, nil
}

// Limits say what a run may use.
type Limits struct {
	Workers   int   // assets cooked at once; 0 is one for each CPU
	Memory    int64 // bytes that all running recipes together may need; 0 is DefaultMemory
	CacheSize int64 // bytes that the store may keep; 0 is DefaultCacheSize
}

// DefaultIgnore is a .cookignore that holds for every asset folder and is weaker than those
// in it. Letters of either case are equal in it.
const DefaultIgnore = scan.Defaults

// DefaultCacheSize is how much the store may keep unless Limits say otherwise.
const DefaultCacheSize = session.DefaultCacheSize

// DefaultMemory is half of what this process may use: of the machine's memory, or of
// what its container leaves it.
func DefaultMemory() int64 { return session.DefaultMemory() }

// A Remote is a server of the Bazel Remote Execution API, or of Bazel's HTTP protocol, that
// keeps results for a team. The store is looked into first. Whatever is wrong with a server
// costs time and nothing else.
type Remote struct {
	File                 string   // the cook.toml that chooses URL, "" if the user chooses it; a server from cook.toml gets secrets of the environment only if COOK_REMOTE_HOSTS names its host
	URL                  string   // grpc[s]://HOST:PORT/INSTANCE or http[s]://HOST/PREFIX; "" is none
	Upload               string   // when results are given: never, always, or ci, which is "" and where the variable CI is set
	NoRead               bool     // results are not taken
	NoRace               bool     // answers are waited for, rather than cooking meanwhile
	CA, Cert, Key        string   // files in PEM: certificates that sign the server's, and what to show to it
	TokenFile, BasicFile string   // hold a bearer token or user:password, else COOK_REMOTE_TOKEN and COOK_REMOTE_BASIC
	Exec                 string   // auto or always: the server's machines cook, too; for programs of package cli, which know how
	Jobs                 int      // that they have at once; 0 is four for each worker
	Platform             []string // KEY=VALUE: which machines
	SignKey              string   // file of an Ed25519 key in PEM that signs the results that are given
	Trust                []string // files of public keys; if there are any, only results that one of them signed are taken
	Program              string   // file name of cook, or of another program of package cli: a process of it speaks to the server
}

// options are those of a pass over the project.
func (p Project) options() session.Options {
	return session.Options{
		Place:    session.Place{Dir: p.Dir, Out: p.Out, Config: p.Config, Cache: p.Cache, IDs: p.IDs, State: p.State},
		Scope:    session.Scope{Targets: p.Targets},
		Mode:     session.Mode{ListAll: p.listAll, FullScan: p.fullScan},
		Recipes:  p.Recipes,
		Checksum: p.Checksum,
		Time:     session.Time{Now: p.Now, File: p.fileTime},
	}
}

// A ConfigError is an error of the options or of a cook.toml. Nothing has been done
// when one is returned.
type ConfigError struct{ Err error }

func (e *ConfigError) Error() string { return e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

// A LockedError says that another cook works on the same output folder.
type LockedError struct {
	Path   string // the lock
	Holder string // such as "process 1234", or "" if it does not say
}

func (e *LockedError) Error() string {
	return (&state.LockedError{Path: e.Path, Holder: e.Holder}).Error()
}

// asPublic turns an error of the stages into one of this package, with what can be done
// about it.
func asPublic(err error) error {
	var config *session.ConfigError
	var locked *state.LockedError
	switch {
	case errors.As(err, &config):
		return &ConfigError{config.Err}
	case errors.As(err, &locked):
		return &LockedError{locked.Path, locked.Holder}
	}
	return advice.For(err)
}
