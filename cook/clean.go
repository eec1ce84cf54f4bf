package cook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/internal/confine"
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
		was, rmErr := removeOutput(root, p)
		if was {
			removed++
		}
		err = errors.Join(err, rmErr)
	}
	if err != nil {
		return removed, fmt.Errorf("clean %s: %w", k.out.Name(), err)
	}
	if err := errors.Join(k.removeManifest(), removeState(root)); err != nil {
		return removed, fmt.Errorf("clean %s: %w", k.out.Name(), err)
	}
	return removed, removeFolder(k.out.Name())
}

// removeState removes the cooker's own folder, the lock last: from then on
// another cook may make a new one, and the folder stays.
func removeState(root confine.Root) error {
	state, err := root.Open(plan.StateDir)
	if err != nil {
		return err
	}
	names, err := state.Readdirnames(-1)
	state.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name = plan.StateDir + "/" + name; name != lockName {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	if err := root.RemoveAll(lockName); err != nil {
		return err
	}
	_, err = root.RemoveEmpty(plan.StateDir)
	return err
}

// removeOutput removes an artifact, if it is there, and the folders that were there
// for it only.
func removeOutput(root confine.Root, output string) (was bool, err error) {
	info, err := root.Lstat(output)
	switch {
	case err == nil && info.IsDir():
		return false, nil
	case err == nil:
		err = root.Remove(output)
		was = err == nil
	}
	if err != nil && !isAbsent(err) {
		return false, err
	}
	for dir := path.Dir(output); dir != "."; dir = path.Dir(dir) {
		if gone, err := root.RemoveEmpty(dir); !gone {
			return was, err
		}
	}
	return was, nil
}

// removeFolder removes the output folder if nothing of anybody else's is in it.
func removeFolder(name string) error {
	err := os.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if left, listErr := os.ReadDir(name); listErr == nil && len(left) > 0 {
		return nil
	}
	return fmt.Errorf("clean: %w", err)
}
