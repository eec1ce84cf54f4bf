// Package clean removes cook's artifacts, or all other files, from an output directory.
package clean

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/watch"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Run removes all artifacts and cook's own files from the output directory. It keeps all other
// files. The session must have been opened with Look. Run returns the number of removed artifacts.
// If it is interrupted, the next run removes the remaining artifacts.
func Run(ctx context.Context, s *session.Session) (removed int, err error) {
	if ok, err := beginClean(ctx, s); !ok {
		return 0, err
	}
	known, err := s.LoadIndex()
	if err != nil {
		return 0, err
	}
	defer known.Close()
	last := s.CheckedIndex(known.Index)
	claims, err := s.State.Journal.Claims(last.ID() != "", s.Observer.Note)
	if err != nil {
		return 0, err
	}
	outputs := state.Outputs(last.Results().Actions(), claims)
	removed, err = removeAll(ctx, s, outputs, nil)
	if ctx.Err() != nil {
		return removed, ctx.Err()
	}
	if err == nil {
		err = s.State.Remove()
	}
	if err != nil {
		return removed, fmt.Errorf("clean %s: %w", s.Out.Name(), err)
	}
	if runtime.GOOS == "windows" {
		s.Out.Close() // file systems without POSIX deletion cannot remove an open directory
	}
	return removed, removeOutputFolder(s.Place.Out, s.Out.Name())
}

// ExtraOptions are the options of Extra.
type ExtraOptions struct {
	// DryRun lists the files without removing them, and takes no lock.
	DryRun bool
	// Force also removes files from a directory that cook did not create.
	Force bool
	// Removed is called for each file that is removed.
	Removed func(file string)
}

// Extra removes the files in the output directory that no action produces, and returns their
// number.
func Extra(ctx context.Context, s *session.Session, opt ExtraOptions) (n int, err error) {
	if opt.DryRun {
		if !s.Used() {
			return 0, nil
		}
		if err := s.CheckOwner(); err != nil {
			return 0, err
		}
	} else if ok, err := beginClean(ctx, s); !ok {
		return 0, err
	}
	known, err := s.LoadIndex()
	if err != nil {
		return 0, err
	}
	defer known.Close()
	last := s.CheckedIndex(known.Index)
	if last.ID() == "" {
		return 0, &session.ConfigError{Err: fmt.Errorf("clean %s: the directory has no index, so its artifacts are unknown; run cook first", s.Out.Name())}
	}
	claims, err := s.State.Journal.Claims(true, s.Observer.Note)
	if err != nil {
		return 0, err
	}
	files, err := s.State.Extra(ctx, last.Results(), claims, s.Place.Cache)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	foreign := len(files) > 0 && !opt.Force && !s.State.MadeByCook()
	const whose = "cook did not make this directory, so its other files may still be needed"
	if opt.DryRun {
		for _, name := range files {
			opt.Removed(name)
		}
		if foreign {
			s.Observer.Note(fmt.Sprintf("%s: %s; use force to remove them", s.Out.Name(), whose))
		}
		return len(files), err
	}
	if foreign {
		return 0, &session.ConfigError{Err: fmt.Errorf("clean %s: %s, such as %s; list them first, then remove them by force", s.Out.Name(), whose, pathname.Show(files[0]))}
	}
	n, rmErr := removeAll(ctx, s, files, opt.Removed)
	if ctx.Err() != nil {
		return n, ctx.Err()
	}
	if err = errors.Join(err, rmErr); err != nil {
		return n, fmt.Errorf("clean %s: %w", s.Out.Name(), err)
	}
	return n, s.State.CheckLock()
}

// beginClean locks the output directory if a run has cooked into it.
func beginClean(ctx context.Context, s *session.Session) (ok bool, err error) {
	if ok, err := cleanable(ctx, s); !ok {
		return false, err
	}
	if err := s.Lock(session.WriteExisting); err != nil {
		return false, err
	}
	if ok, err := cleanable(ctx, s); !ok { // another process may have removed or replaced the directory
		return false, err
	}
	if err := s.CheckOwner(); err != nil {
		return false, err
	}
	return true, nil
}

// cleanable reports whether a run has cooked into the output directory. It returns an error if a
// watcher runs there.
func cleanable(ctx context.Context, s *session.Session) (ok bool, err error) {
	if !s.Used() {
		return false, nil
	}
	if process, beside := watch.Beside(ctx, s); beside {
		return false, &state.LockedError{Path: filepath.Join(s.State.Folder(), "socket"), Holder: "a watching cook (" + process + ")"}
	}
	return true, nil
}

// removeAll removes files of the output directory until it is interrupted, and returns the number
// of removed files.
func removeAll(ctx context.Context, s *session.Session, files []string, each func(file string)) (removed int, err error) {
	root := s.Out.Root()
	outward := map[string]bool{}
	for _, p := range files {
		if ctx.Err() != nil {
			return removed, ctx.Err()
		}
		was, rmErr := removeOutputFile(root, p)
		if rmErr != nil {
			if dir := s.Out.Outward(p); dir != "" {
				if outward[dir] {
					continue
				}
				outward[dir] = true
				rmErr = fmt.Errorf("%s is a link that leads out of the output directory; remove the link", pathname.Show(dir))
			}
		}
		if was {
			removed++
			if each != nil {
				each(p)
			}
		}
		err = errors.Join(err, rmErr)
	}
	return removed, err
}

// removeOutputFile removes a file, if it exists, and directories that become empty.
func removeOutputFile(root confine.Root, file string) (was bool, err error) {
	info, err := root.Lstat(file)
	switch {
	case err == nil && info.IsDir():
		return false, nil
	case err == nil:
		err = root.Remove(file)
		was = err == nil
	}
	if err != nil && !pathname.IsAbsent(err) {
		return false, err
	}
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if gone, err := root.RemoveEmpty(dir); !gone {
			return was, err
		}
	}
	return was, nil
}

// removeOutputFolder removes an empty output directory. It keeps the directory if the user named it
// by a link, because the link would dangle.
func removeOutputFolder(given, name string) error {
	if info, err := os.Lstat(given); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	err := busyfile.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if left, listErr := os.ReadDir(name); listErr == nil && len(left) > 0 {
		return nil
	}
	return fmt.Errorf("clean: %w", err)
}

// Store removes everything from the store that the index does not record: other results of this
// project, and all results of other projects. The session must have been opened with Look. It
// holds the lock of the output directory, so this project cannot be cooked meanwhile.
func Store(ctx context.Context, s *session.Session) (store.TrimStats, error) {
	ok, err := beginClean(ctx, s)
	if err != nil {
		return store.TrimStats{}, err
	}
	if !ok {
		return store.TrimStats{}, neverCooked(s)
	}
	known, err := s.LoadIndex()
	if err != nil {
		return store.TrimStats{}, err
	}
	defer known.Close()
	last := s.CheckedIndex(known.Index)
	if last.ID() == "" {
		return store.TrimStats{}, neverCooked(s)
	}
	keep := recordedOutputs(last)
	in, err := store.Open(s.Place.Cache)
	if err != nil {
		return store.TrimStats{}, err
	}
	stats, err := in.TrimTo(ctx, keep, s.Clock.Now())
	if err != nil {
		return stats, err
	}
	return stats, s.State.CheckLock()
}

func neverCooked(s *session.Session) error {
	return &session.ConfigError{Err: fmt.Errorf("output directory %s has no index, so the results that its last run used are unknown; run cook first", s.Place.Out)}
}

// recordedOutputs returns the store entries that are needed to restore all artifacts of an index.
// For a chain of recipes, it returns only the final result.
func recordedOutputs(x *index.Index) *store.Keep {
	keep := &store.Keep{}
	for a := range x.Results().Actions() {
		if a.State != index.Done {
			continue
		}
		keep.Result(a.ID, plan.ResultID(a.ID, a.Deps))
		for _, m := range a.Made {
			keep.Blob(m.Blob)
		}
	}
	return keep
}
