package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// openTries limits the attempts to open and lock an output directory while other programs keep
// removing it.
const openTries = 100

// openOut opens the output directory of a new session and takes its lock if the access needs that.
// A cook clean may remove the directory or the lock at any moment, so it tries again.
func openOut(s *Session, access Access) error {
	var err error
	for range openTries {
		if err = tryOut(s, access); err == nil {
			return nil
		}
		closeOut(s)
		if !reopens(err) {
			return err
		}
	}
	return err
}

// closeOut releases the lock and closes the output directory.
func closeOut(s *Session) {
	if s.Out != nil {
		s.State.Close()
		s.Out.Close()
	}
	s.Out, s.State, s.before.used = nil, nil, false
}

// reopens reports whether an error means that the output directory was removed or replaced.
func reopens(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, state.ErrLostLock)
}

// lock takes the lock. The stamp of the lock file shows the file system's current time, and stamps
// are compared with this time.
func lock(s *Session) error {
	stamp, err := s.State.Lock()
	if err == nil && s.Clock.file != nil {
		s.Clock.Stamps.Written(s.Clock.file(stamp))
	}
	return err
}

// tryOut tries once to open the output directory; see openOut.
func tryOut(s *Session, access Access) error {
	makes := access == Ask || access == Write
	if makes {
		if _, err := os.Lstat(s.Place.Out); errors.Is(err, fs.ErrNotExist) {
			s.before.made = true
		}
		if err := os.MkdirAll(s.Place.Out, 0o777); err != nil {
			if info, linkErr := os.Lstat(s.Place.Out); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
				return Configf("output directory %s is a link, but not to a directory; make that directory or remove the link", s.Place.Out)
			}
			return fmt.Errorf("output directory: %w", err)
		}
	}
	real := s.Place.Out
	out, err := confine.Open(s.Place.Out)
	if err == nil {
		s.Out, s.State, real = out, state.Open(out), out.Name()
	}
	if err := checkOverlaps(s.Assets.Name(), real, s.Place.Cache); err != nil {
		return err
	}
	if !makes && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output directory: %w", err)
	}
	if s.before.used = s.State.Exists(); !s.before.used {
		if err := s.State.Manifest.CheckForeign(); err != nil {
			return &ConfigError{err}
		}
		if !makes {
			return nil
		}
	}
	if makes {
		if err := settleState(s); err != nil {
			return err
		}
	}
	if !s.before.used {
		if err := s.State.Make(); err != nil {
			return err
		}
	}
	if access == Look || access == Ask {
		return nil
	}
	return lock(s)
}

// settleState moves the state to the directory that the project names. If there is no such
// directory and the output directory is likely to be served, it moves the state out of the output
// directory. If the move fails, the state stays in the output directory.
func settleState(s *Session) error {
	home := s.Place.State
	if home == "" {
		home, _ = statedir.Served(s.Out.Name(), s.Assets.Name())
	}
	if home == "" {
		return nil
	}
	settled, err := s.State.Settle(home)
	var locked *state.LockedError
	switch {
	case settled:
		s.Observer.Note(fmt.Sprintf("the state of %s is in %s", pathname.FromHere(s.Out.Name()), pathname.FromHere(s.State.Folder())))
	case err == nil:
	case errors.As(err, &locked), reopens(err):
		return err
	case s.Place.State != "":
		return &ConfigError{err}
	}
	return nil
}

// checkOverlaps returns an error if outputs or the store would overwrite assets. The output
// directory may be inside the asset directory, because the scan skips it.
func checkOverlaps(assets, out, cache string) error {
	if _, inside := pathname.Below(out, assets); inside {
		return Configf("output directory %s holds the asset directory %s; choose another output directory", out, assets)
	}
	if rel, ok := pathname.Below(assets, cache); ok && rel == "." {
		return Configf("the store cannot be the asset directory %s; choose another directory for the store", assets)
	}
	return nil
}

// ownFolders returns the directories inside the assets that belong to cook.
func ownFolders(s *Session) []string {
	var inside []string
	dirs := []string{s.Place.Out, s.Place.Cache}
	if s.State != nil && s.State.Home() != s.Out.Name() {
		dirs = append(dirs, s.State.Folder())
	}
	for _, dir := range dirs {
		real, err := dir, error(nil)
		if dir == s.Place.Out && s.Out != nil {
			real = s.Out.Name()
		} else if real, err = filepath.EvalSymlinks(dir); err != nil {
			continue // the directory does not exist yet
		}
		if rel, ok := pathname.Below(s.Assets.Name(), real); ok && rel != "." {
			inside = append(inside, real)
		}
	}
	return inside
}
