package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/internal/pass"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Trimmed is what Trim did. Sizes are those of the files in the store.
type Trimmed struct {
	Before, After int64
	Removed       int // files
}

// Trim shrinks the store in a folder ("" as in Project.Cache) to a size (0 is
// DefaultCacheSize), least recently used results first.
func Trim(ctx context.Context, cache string, size int64) (Trimmed, error) {
	dir, err := pass.CacheDir(cache)
	if err != nil {
		return Trimmed{}, asPublic(err)
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return Trimmed{}, &ConfigError{fmt.Errorf("no store in %s", dir)}
	}
	s, err := store.Open(dir)
	if err != nil {
		return Trimmed{}, asPublic(err)
	}
	if size <= 0 {
		size = DefaultCacheSize
	}
	stats, err := s.Trim(ctx, size, time.Now())
	return Trimmed(stats), asPublic(err)
}

// Clean removes from the output folder what cook made, and cook's own files, and
// returns how many artifacts that were. Other files stay, and so do the store and the
// sources. An interrupt leaves the artifacts that were not reached to the next run.
func Clean(ctx context.Context, p Project, o Observer) (removed int, err error) {
	opt := p.options()
	opt.Observer = observed(o, false)
	s, err := pass.Open(opt, pass.Look)
	if err != nil {
		return 0, asPublic(err)
	}
	defer s.Close()
	removed, err = clean(ctx, s)
	return removed, asPublic(err)
}

func clean(ctx context.Context, s *pass.Session) (removed int, err error) {
	if ok, err := cleanable(ctx, s); !ok {
		return 0, err
	}
	if err := s.Lock(pass.WriteExisting); err != nil {
		return 0, err
	}
	if ok, err := cleanable(ctx, s); !ok { // the folder may be gone, or another one, by now
		return 0, err
	}
	if err := s.CheckOwner(); err != nil {
		return 0, err
	}
	outputs, err := owned(s)
	if err != nil {
		return 0, err
	}
	root := s.Out.Root()
	outward := map[string]bool{}
	for _, p := range outputs {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		was, rmErr := removeOutput(root, p)
		if rmErr != nil {
			if dir := s.Out.Outward(p); dir != "" {
				if outward[dir] {
					continue
				}
				outward[dir] = true
				rmErr = fmt.Errorf("%s is a link that leads out of the output folder; remove the link", pathname.Show(dir))
			}
		}
		if was {
			removed++
		}
		err = errors.Join(err, rmErr)
	}
	if err == nil {
		err = s.State.Remove()
	}
	if err != nil {
		return removed, fmt.Errorf("clean %s: %w", s.Out.Name(), err)
	}
	return removed, removeFolder(s.Place.Out, s.Out.Name())
}

// cleanable reports whether the output folder has been cooked into. It is an error if a
// watcher has it.
func cleanable(ctx context.Context, s *pass.Session) (ok bool, err error) {
	if !s.Used() {
		return false, nil
	}
	if process, beside := watch.Beside(ctx, s); beside {
		return false, &state.LockedError{Path: filepath.Join(s.State.Folder(), "socket"), Holder: "a watching cook (" + process + ")"}
	}
	return true, nil
}

// owned lists the outputs that cook made, each once.
func owned(s *pass.Session) ([]string, error) {
	known, err := s.Load()
	if err != nil {
		return nil, err
	}
	defer known.Close()
	last := s.Loaded(known.Index)
	var list []string
	listed := map[string]bool{}
	add := func(output string) {
		if !listed[output] {
			listed[output] = true
			list = append(list, output)
		}
	}
	for a := range last.Actions() {
		for i := range a.Made {
			add(a.Made[i].Path)
		}
	}
	claims, err := s.State.Claims(last.ID() != "", s.Observer.Note)
	for _, c := range claims {
		add(c.Output)
	}
	return list, err
}

// removeOutput removes an artifact, if it is there, and the folders that were there for
// it only.
func removeOutput(root confine.Root, output string) (was bool, err error) {
	info, err := root.Lstat(output)
	switch {
	case err == nil && info.IsDir():
		return false, nil
	case err == nil:
		err = root.Remove(output)
		was = err == nil
	}
	if err != nil && !pathname.IsAbsent(err) {
		return false, err
	}
	for dir := path.Dir(output); dir != "."; dir = path.Dir(dir) {
		if gone, err := root.RemoveEmpty(dir); !gone {
			return was, err
		}
	}
	return was, nil
}

// removeFolder removes the output folder if nothing else is in it, unless the user
// named it by a link, which would lead nowhere then.
func removeFolder(given, name string) error {
	if info, err := os.Lstat(given); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	err := os.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if left, listErr := os.ReadDir(name); listErr == nil && len(left) > 0 {
		return nil
	}
	return fmt.Errorf("clean: %w", err)
}
