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
	"github.com/assetcook/assetcook/cook/watch"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
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
//
// An interrupt leaves the artifacts that were not reached to the next run.
func Clean(ctx context.Context, opt Options) (removed int, err error) {
	removed, err = clean(ctx, opt)
	return removed, advised(err)
}

func clean(ctx context.Context, opt Options) (removed int, err error) {
	opt.DryRun = true // make no folder that is not there
	k, err := begin(opt)
	if err != nil {
		return 0, err
	}
	defer k.close()
	if k.out == nil || !k.used {
		return 0, nil
	}
	k.DryRun = false
	if pid, beside := watch.Listens(ctx, k.outFile(plan.StateDir)); beside {
		return 0, &LockedError{Path: k.outFile(plan.StateDir + "/socket"), Holder: "cook -watch (" + watch.Process(pid) + ")"}
	}
	if err := k.takeOut(); err != nil {
		return 0, err
	}
	if err := errors.Join(k.readIndex(), k.readClaims()); err != nil {
		return 0, err
	}
	root := k.out.Root()
	outward := map[string]bool{}
	for p := range plan.Owned(k.last, k.claims) {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		was, rmErr := removeOutput(root, p)
		if dir := k.outward(p, rmErr); dir != "" {
			if outward[dir] {
				continue
			}
			outward[dir] = true
			rmErr = fmt.Errorf("%s is a link that leads out of the output folder; remove the link", pathname.Show(dir))
		}
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
	return removed, removeFolder(k.Out, k.out.Name())
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

// outward is the link that keeps an output from being reached, "" for none.
func (k *kitchen) outward(output string, err error) string {
	if err == nil {
		return ""
	}
	return k.out.Outward(output)
}

// removeFolder removes the output folder if nothing of anybody else's is in it,
// unless the user named it by a link, which would lead nowhere then.
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
