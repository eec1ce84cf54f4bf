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
	// Out is the output directory. If it is "", the output directory is beside Dir. Its name is
	// "cooked" if Dir is called assets or was cooked into that directory before, and otherwise
	// NAME.cooked.
	Out string
	// Config is the file with the rules for all of Dir. "" means cook.toml in Dir, which need not
	// exist.
	Config string
	// Cache is the directory of the store. "" means $COOKCACHE, or assetcook in the user's cache
	// directory.
	Cache string
	// State is the directory for .cook, which holds cook's state. "" means Out, unless Out is
	// likely to be served to browsers. In that case, "" means a directory that is not served.
	State string
	// Remote is the server that shares results with other machines.
	Remote  Remote
	Recipes []recipe.Recipe
	// Targets are the targets to cook. Nil means the unnamed target, and "all" means all targets in
	// the rules.
	Targets []string
	// Engine names the engine that loads the artifacts, such as "three". "" means the engine of
	// cook.toml or, if there is none, "any". The engine "any" selects files that most engines load.
	// The engine "own" leaves all options of recipes at their own defaults.
	Engine string
	// IDs gives each asset an ID that survives renames. Runs record renames in the file assets.ids
	// in Dir.
	IDs bool
	// Manifest selects the form of the manifest. "single" or "" is one file of any size. "parts" is
	// a root file and parts with about 1,000 assets each.
	Manifest string
	// Checksum names the hash function that detects changed files: xxh3 (or xxh128), xxh64, crc32,
	// crc32c, murmur3 (or murmur3-128), or slice8, which is a baseline for benchmarks. "" means
	// xxh3.
	Checksum string
	// Now is the clock; nil means time.Now and the clock of Out's file system.
	Now func() time.Time

	fileTime func(scan.Stamp) scan.Stamp // see session.Time
	listAll  bool                        // see session.Mode
	fullScan bool                        // see session.Mode
}

// FindProject returns the project of a directory and the file that describes the project. The file
// is the nearest cook.toml with a table [project] or [remote], in the directory or above. The names
// in p are absolute. The caller sets Recipes and all fields that the table leaves out.
//
// Without such a file, both results are empty. The search ends at a cook.toml of another user in a
// parent directory.
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
//	Workers   int   // assets cooked at the same time; 0 means one for each CPU
//	Memory    int64 // bytes for all running recipes; 0 means half of the machine's or container's memory
//	CacheSize int64 // bytes that the store may keep; 0 means 10 GiB
type Limits = session.Limits

// A Remote is a server that keeps results for a team. It uses the Bazel Remote Execution API, or
// Bazel's HTTP protocol. A run looks into the store first. Failures of the server cost time but
// never cause wrong outputs. A Remote has the fields
//
//	URL       string   // address of the server, such as grpcs://HOST:PORT/INSTANCE; "" for none
//	File      string   // the cook.toml that set URL; "" if the user did. A server from
//	                   // cook.toml gets secrets of the environment only if COOK_REMOTE_HOSTS has its host
//	Program   string   // executable of cook, or of another program with package cli; it runs as a child
//	                   // process that communicates with the server
//	Upload    string   // never, always, or ci: only if the variable CI is set; "" means ci
//	NoRead    bool     // download no results
//	NoRace    bool     // wait for responses instead of cooking in the meantime
//	CA        string   // PEM file of CA certificates for the server's certificate
//	Cert, Key string   // PEM files of the client certificate and its key
//	TokenFile string   // file with a bearer token; "" means COOK_REMOTE_TOKEN
//	BasicFile string   // file with user:password; "" means COOK_REMOTE_BASIC
//	Exec      string   // auto or always: machines of the server also cook
//	Jobs      int      // concurrent actions on these machines; 0 means four per worker
//	Platform  []string // properties KEY=VALUE that these machines must have
//	SignKey   string   // PEM file of an Ed25519 key that signs uploaded results
//	Trust     []string // files of public keys; if not empty, only results signed by one of them are used
type Remote = rules.Remote

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

// A ConfigError is an error in the options or in a cook.toml. It is returned before any work is
// done. It wraps its field
//
//	Err error
type ConfigError = session.ConfigError

// A LockedError is returned if another cook works on the same output directory. It has the fields
//
//	Path   string // path of the lock file
//	Holder string // such as "process 1234"; "" if unknown
type LockedError = state.LockedError

// asPublic unwraps the errors that the package documents, and adds a remedy to other errors.
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
