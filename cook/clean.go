package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/assetcook/assetcook/cook/internal/clean"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Trimmed is the result of Trim. It has the fields
//
//	Before, After int64 // bytes of the store
//	Removed       int   // files
type Trimmed = store.TrimStats

// Trim removes the least recently used results until the store has at most size bytes. If cache is
// "", Trim chooses the store as Project.Cache does; a size of 0 means 10 GiB.
func Trim(ctx context.Context, cache string, size int64) (Trimmed, error) {
	dir, err := session.CacheDir(cache)
	if err != nil {
		return Trimmed{}, asPublic(err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Trimmed{}, noStore(dir)
	}
	s, err := store.Open(dir)
	if err != nil {
		return Trimmed{}, asPublic(err)
	}
	if size <= 0 {
		size = session.DefaultCacheSize
	}
	stats, err := s.Trim(ctx, size, time.Now())
	return stats, asPublic(err)
}

// TrimToLastRun removes results from the project's store. It keeps only the results that the index
// of the output directory records for at least one target. The remaining results suffice to restore
// the outputs of the last run.
//
// TrimToLastRun also removes results of other projects. It returns a [ConfigError] for the default
// store, which all projects of a user share: p.Cache or $COOKCACHE must name the store.
func TrimToLastRun(ctx context.Context, p Project, o Observer) (Trimmed, error) {
	if p.Cache == "" && os.Getenv("COOKCACHE") == "" {
		dir, err := session.CacheDir("")
		if err == nil {
			err = &ConfigError{Err: fmt.Errorf("%s is the store of all projects of this user, so the results of other projects would be removed; name the store of this project, here and when it is cooked", dir)}
		}
		return Trimmed{}, asPublic(err)
	}
	opt := p.sessionOptions()
	opt.Observer = o
	s, err := session.Open(opt, session.Look)
	if err != nil {
		return Trimmed{}, asPublic(err)
	}
	defer s.Close()
	if !store.Exists(s.Place.Cache) {
		return Trimmed{}, noStore(s.Place.Cache)
	}
	stats, err := clean.Store(ctx, s)
	return stats, asPublic(err)
}

func noStore(dir string) error { return &ConfigError{Err: fmt.Errorf("there is no store in %s", dir)} }

// Clean removes the artifacts and cook's own files from the output directory, and returns the
// number of removed artifacts. It keeps all other files, the store and the sources. After an
// interrupted Clean, the next run removes the remaining artifacts.
func Clean(ctx context.Context, p Project, o Observer) (removed int, err error) {
	opt := p.sessionOptions()
	opt.Observer = o
	s, err := session.Open(opt, session.Look)
	if err != nil {
		return 0, asPublic(err)
	}
	defer s.Close()
	removed, err = clean.Run(ctx, s)
	return removed, asPublic(err)
}

// ExtraOptions are the options of Extra. The zero value removes nothing.
type ExtraOptions struct {
	Remove bool
	// Force also removes files if the directory lacks cook's tag; docs/command.md describes the
	// tag.
	Force bool
	// Found is called with the path of each extra file in the output directory; may be nil.
	Found    func(file string)
	Observer Observer
}

// Extra finds files in the output directory that no asset produces, and returns their number. If
// o.Remove is set, it removes them, and directories that become empty. Verify also reports these
// files.
func Extra(ctx context.Context, p Project, o ExtraOptions) (n int, err error) {
	opt := p.sessionOptions()
	opt.Observer = o.Observer
	s, err := session.Open(opt, session.Look)
	if err != nil {
		return 0, asPublic(err)
	}
	defer s.Close()
	found := o.Found
	if found == nil {
		found = func(string) {}
	}
	n, err = clean.Extra(ctx, s, clean.ExtraOptions{DryRun: !o.Remove, Force: o.Force, Removed: found})
	return n, asPublic(err)
}
