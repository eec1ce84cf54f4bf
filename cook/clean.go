package cook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"time"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/store"
)

// Trim shrinks the store of opt.Cache to opt.CacheSize, least recently used
// results first.
func Trim(ctx context.Context, opt Options) (store.TrimStats, error) {
	dir, err := cacheDir(opt.Cache)
	if err != nil {
		return store.TrimStats{}, &ConfigError{err}
	}
	if !exists(dir) {
		return store.TrimStats{}, configError("no store in %s", dir)
	}
	s, err := store.Open(dir)
	if err != nil {
		return store.TrimStats{}, err
	}
	if opt.CacheSize <= 0 {
		opt.CacheSize = DefaultCacheSize
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return s.Trim(ctx, opt.CacheSize, opt.Now())
}

// Clean removes from the output folder what the cooker made, and the cooker's
// own files, and returns how many artifacts that were. Other files stay, and
// so do the store and the sources.
func Clean(opt Options) (removed int, err error) {
	k, err := begin(opt)
	if err != nil {
		return 0, err
	}
	defer k.close()
	if _, beside := k.askWatcher(context.Background()); beside {
		return 0, &LockedError{Path: k.outFile(plan.StateDir), Holder: "cook -watch"}
	}
	if err := k.takeOut(); err != nil {
		return 0, err
	}
	if err := errors.Join(k.readIndex(), k.readClaims()); err != nil {
		return 0, err
	}
	root := k.out.Root()
	for p := range plan.Owned(k.last, k.claims) {
		if info, err := root.Lstat(p); err != nil || info.IsDir() {
			continue
		}
		if rmErr := root.Remove(p); rmErr != nil {
			err = errors.Join(err, rmErr)
			continue
		}
		removed++
		for dir := path.Dir(p); dir != "." && root.Remove(dir) == nil; dir = path.Dir(dir) {
		}
	}
	if err != nil {
		return removed, fmt.Errorf("clean: %w", err)
	}
	if err := k.removeManifest(); err != nil {
		return removed, err
	}
	if err := root.RemoveAll(plan.StateDir); err != nil {
		return removed, err
	}
	// The folder itself goes if nothing of anybody else's is in it.
	os.Remove(k.out.Name())
	return removed, nil
}
