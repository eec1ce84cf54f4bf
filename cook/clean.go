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

// Trim shrinks the store in a directory ("" as in Project.Cache) to a size (0 means 10 GiB). It
// removes the least recently used results first.
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

// TrimToLastRun removes from the store of a project everything that the index of its output directory
// does not record, for any target. The rest restores the outputs as the last run left them. It
// removes results of other projects as well, so the store must be named, by p.Cache or $COOKCACHE;
// the store that all projects of a user share is a [ConfigError].
func TrimToLastRun(ctx context.Context, p Project, o Observer) (Trimmed, error) {
	if p.Cache == "" && os.Getenv("COOKCACHE") == "" {
		dir, err := session.CacheDir("")
		if err == nil {
			err = &ConfigError{Err: fmt.Errorf("%s is the store of all projects of this user, and what other projects keep in it would be removed; name the store of this project, here and when it is cooked", dir)}
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

func noStore(dir string) error { return &ConfigError{Err: fmt.Errorf("no store in %s", dir)} }

// Clean removes the artifacts and the files of cook itself from the output directory, and returns the
// number of artifacts. Other files stay, and so do the store and the sources. After an interrupt,
// the next run removes the rest.
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
	// Force also removes files of a directory that cook did not make. Cook makes an output
	// directory if it is missing or empty, and tags it; see docs/command.md.
	Force bool
	// Found is called for each file, by its path in the output directory; nil for none.
	Found    func(file string)
	Observer Observer
}

// Extra finds files of the output directory that no asset makes, and returns their number. On request
// it removes them and directories that contain nothing else; it then calls Found after the removal.
// Verify reports the same files as extra files.
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
