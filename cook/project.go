package cook

import (
	"errors"
	"time"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/project"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/advice"
)

// A Project has sources, an output directory and recipes. Only Dir is required.
type Project struct {
	// Dir is the directory of the source assets.
	Dir string
	// Out is the output directory. "" means a directory beside Dir: "cooked" if Dir is called
	// assets or was cooked into that directory before, otherwise NAME.cooked.
	Out string
	// Config is the file with the rules for all of Dir. "" means cook.toml in Dir, if it exists.
	Config string
	// Cache is the directory of the store. "" means $COOKCACHE, or assetcook in the cache directory of
	// the user.
	Cache string
	// State is the directory that contains .cook, the state of cook. "" means Out or, if Out is
	// likely to be served to browsers, a directory that is not served.
	State string
	// Remote is the server on which Cook and Watch share results with others.
	Remote Remote
	// Recipes cook the assets.
	Recipes []recipe.Recipe
	// Targets are the variants to cook. Nil means the unnamed target; "all" means every target that
	// the rules declare.
	Targets []string
	// Engine names the engine that loads the artifacts, such as "three". "" means the engine of
	// cook.toml or, without one, "any": files that most engines load. For "own", all options of
	// recipes have their own defaults.
	Engine string
	// IDs gives each asset an ID that it keeps through renames. Runs record renames in the file
	// assets.ids in Dir.
	IDs bool
	// Manifest chooses the files of the manifest: "single" is one file of any size; "parts" is a
	// root that names files with about 1,000 assets each. "" means single.
	Manifest string
	// Checksum names the function that detects changed files: xxh3 (also called xxh128), xxh64,
	// crc32, crc32c, murmur3 (also called murmur3-128), or slice8, the baseline of benchmarks.
	// "" means xxh3.
	Checksum string
	// Now is the clock. If it is nil, the run uses time.Now, and also the clock of the file system
	// of Out.
	Now func() time.Time

	fileTime func(scan.Stamp) scan.Stamp // see session.Time
	listAll  bool                        // see session.Mode
	fullScan bool                        // see session.Mode
}

// FindProject returns the project of a directory, with absolute names, and the file that describes
// it: the nearest cook.toml with a table [project] or [remote], in the directory or above it.
// Without such a file both results are empty. The caller sets Recipes and all fields that the table
// leaves out. The search ends at a cook.toml in a parent directory that belongs to another user.
func FindProject(folder string) (p Project, file string, err error) {
	found, err := project.Find(folder)
	if err != nil {
		return p, "", &ConfigError{Err: err}
	}
	if found == nil {
		return p, "", nil
	}
	return Project{Dir: found.Dir, Out: found.Out, Config: found.Config, Cache: found.Cache, State: found.State, Targets: found.Targets, IDs: found.IDs, Manifest: found.Manifest, Remote: found.Remote}, found.File, nil
}

// Limits are the limits of a run. It has the fields
//
//	Workers   int   // assets cooked at once; 0 means one for each CPU
//	Memory    int64 // bytes for all running recipes together; 0 means half of what the machine or container has
//	CacheSize int64 // bytes that the store may keep; 0 means 10 GiB
type Limits = session.Limits

// A Remote is a server of the Bazel Remote Execution API, or of Bazel's HTTP protocol, that keeps
// results for a team. A run looks into the store first. Failures of the server cost time but never
// cause wrong outputs. A Remote has the fields
//
//	URL       string   // grpc[s]://HOST:PORT/INSTANCE or http[s]://HOST/PREFIX; "" for none
//	File      string   // the cook.toml that chose URL; "" if the user chose it. A server from
//	                   // cook.toml gets secrets of the environment only if COOK_REMOTE_HOSTS has its host
//	Program   string   // file of cook, or of another program of package cli: a process of it speaks
//	                   // to the server
//	Upload    string   // never, always, or ci: only where the variable CI is set; "" means ci
//	NoRead    bool     // take no results
//	NoRace    bool     // wait for answers, rather than cook meanwhile
//	CA        string   // file of certificates in PEM that sign the certificate of the server
//	Cert, Key string   // files in PEM that prove who the client is
//	TokenFile string   // has a bearer token; otherwise COOK_REMOTE_TOKEN
//	BasicFile string   // has user:password; otherwise COOK_REMOTE_BASIC
//	Exec      string   // auto or always: machines of the server cook, too
//	Jobs      int      // actions at once on these machines; 0: four per worker
//	Platform  []string // KEY=VALUE, which machines
//	SignKey   string   // file of an Ed25519 key in PEM that signs uploaded results
//	Trust     []string // files of public keys; if any, take only results signed by one of them
type Remote = rules.Remote

// sessionOptions returns the options of a pass over the project.
func (p Project) sessionOptions() session.Options {
	return session.Options{
		Place:    session.Place{Dir: p.Dir, Out: p.Out, Config: p.Config, Cache: p.Cache, IDs: p.IDs, Manifest: manifest.Layout(p.Manifest), State: p.State},
		Scope:    session.Scope{Targets: p.Targets},
		Mode:     session.Mode{ListAll: p.listAll, FullScan: p.fullScan},
		Recipes:  p.Recipes,
		Checksum: p.Checksum,
		Engine:   p.Engine,
		Time:     session.Time{Now: p.Now, File: p.fileTime},
	}
}

// A ConfigError is an error in the options or in a cook.toml, found before any work was done. It
// wraps its field
//
//	Err error
type ConfigError = session.ConfigError

// A LockedError is returned if another cook works on the same output directory. It has the fields
//
//	Path   string // the lock
//	Holder string // such as "process 1234"; "" if unknown
type LockedError = state.LockedError

// asPublic returns a documented error without the context around it, and other errors with a remedy
// appended.
func asPublic(err error) error {
	var config *ConfigError
	var locked *LockedError
	switch {
	case errors.As(err, &config):
		return config
	case errors.As(err, &locked):
		return locked
	}
	return advice.For(err)
}
