package pass

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Session is what a pass works with: folders, clock, lock. It does not change once it
// is open and locked; but if it is for all targets, it learns in the pass which these are.
type Session struct {
	Options
	Checksum hashing.Func
	Recipes  *recipe.Set
	Started  time.Time
	Clock    *scan.Clock // of that time
	Assets   *confine.Dir
	Out      *confine.Dir // nil if there is no output folder, and the session may not make one
	State    *state.Dir   // of Out
	used     bool         // Out has been cooked into before
	// Fingerprint identifies all that decides about the whole tree, for any target, and
	// is not in it.
	Fingerprint hashing.Digest
	config      []byte     // what Place.Config said when the fingerprint was taken
	texts       *RuleTexts // rules to follow instead of those that there are; nil mostly
}

// Access says what a session does with the output folder.
type Access uint8

const (
	// Look makes no folder and takes no lock.
	Look Access = iota
	// Ask makes the folder and takes no lock.
	Ask
	// Write makes the folder and takes the lock.
	Write
	// WriteExisting takes the lock of a folder that has been cooked into before, and
	// makes none.
	WriteExisting
)

// Open begins a session.
func Open(opt Options, access Access) (*Session, error) {
	opt, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Session{Options: opt, Started: opt.Time.Now()}
	if s.Checksum, err = checksum(opt.Checksum); err != nil {
		return nil, err
	}
	s.Clock = scan.NewClock(s.Started, opt.Time.Now)
	if s.Recipes, err = recipe.NewSet(opt.Recipes...); err != nil {
		return nil, &ConfigError{err}
	}
	if s.Assets, err = confine.Open(opt.Place.Dir); err != nil {
		return nil, &ConfigError{err}
	}
	if err := s.openOut(access); err != nil {
		s.Close()
		return nil, err
	}
	s.fingerprint()
	return s, nil
}

// For returns a session that sees to one source only.
func (s *Session) For(source string) *Session {
	with := *s
	with.Scope.Source = source
	return &with
}

// Lock takes the output folder's lock for a session that was opened to Look or Ask. If a
// cook clean has removed the folder, or the lock, meanwhile, the folder is opened again
// for an access that locks. With WriteExisting, Used says whether it still is there.
func (s *Session) Lock(access Access) error {
	err := s.lock()
	if !reopens(err) {
		return err
	}
	s.closeOut()
	err = s.openOut(access)
	s.fingerprint()
	return err
}

func (s *Session) lock() error {
	stamp, err := s.State.Lock()
	if err == nil && s.Time.File != nil {
		s.Clock.Written(s.Time.File(stamp))
	}
	return err
}

// Close ends a session.
func (s *Session) Close() {
	s.closeOut()
	s.Assets.Close()
}

func (s *Session) closeOut() {
	if s.Out != nil {
		s.State.Close()
		s.Out.Close()
	}
	s.Out, s.State, s.used = nil, nil, false
}

// openTries is how often a session tries to open and lock a folder that is removed and
// made again all the time.
const openTries = 100

// openOut opens the output folder, and takes its lock. A cook clean may remove the
// folder, or the lock, in the middle of that.
func (s *Session) openOut(access Access) error {
	var err error
	for range openTries {
		if err = s.tryOut(access); err == nil {
			return nil
		}
		s.closeOut()
		if !reopens(err) {
			return err
		}
	}
	return err
}

// reopens reports whether the output folder is to be opened again after an error.
func reopens(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, state.ErrLostLock)
}

func (s *Session) tryOut(access Access) error {
	makes := access == Ask || access == Write
	if makes {
		if err := os.MkdirAll(s.Place.Out, 0o777); err != nil {
			if info, linkErr := os.Lstat(s.Place.Out); linkErr == nil && info.Mode()&fs.ModeSymlink != 0 {
				return configError("output folder %s is a link that leads to no folder; make that or remove the link", s.Place.Out)
			}
			return fmt.Errorf("output folder: %w", err)
		}
	}
	real := s.Place.Out
	out, err := confine.Open(s.Place.Out)
	if err == nil {
		s.Out, s.State, real = out, state.Open(out), out.Name()
	}
	if err := s.checkPlaces(real); err != nil {
		return err
	}
	if !makes && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("output folder: %w", err)
	}
	if s.used = s.State.Exists(); !s.used {
		if err := s.State.CheckForeign(); err != nil {
			return &ConfigError{err}
		}
		if !makes {
			return nil
		}
	}
	if makes {
		if err := s.settleState(); err != nil {
			return err
		}
	}
	if !s.used {
		if err := s.State.Make(); err != nil {
			return err
		}
	}
	if access == Look || access == Ask {
		return nil
	}
	return s.lock()
}

// settleState puts the state where the project says or, without a word of it, beside an output
// folder that is likely to be served. In the latter case a state in the output folder is better
// than none.
func (s *Session) settleState() error {
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

// checkPlaces proves that neither the output folder nor the asset folder would be
// written over by the other's files. Output inside the assets is fine: the scan leaves
// it out.
func (s *Session) checkPlaces(out string) error {
	assets := s.Assets.Name()
	if _, inside := pathname.Below(out, assets); inside {
		return configError("output folder %s holds the asset folder %s; choose another output folder", out, assets)
	}
	if rel, ok := pathname.Below(assets, s.Place.Cache); ok && rel == "." {
		return configError("the store cannot be the asset folder %s; choose another folder for the store", assets)
	}
	return nil
}

// Used reports whether the output folder had been cooked into before the session
// was opened.
func (s *Session) Used() bool { return s.used }

// fingerprint hashes the program, the folders and the options. An index of another
// fingerprint does not vouch for what this session would make. It stays zero if it
// cannot be told.
func (s *Session) fingerprint() {
	s.Fingerprint, s.config = hashing.Digest{}, nil
	program, err := os.Executable()
	if err != nil {
		return
	}
	info, err := os.Stat(program)
	if err != nil || s.Out == nil {
		return
	}
	h := hashing.NewKey("assetcook whole 2")
	stamp := scan.StampOf(info)
	h.String("program", program)
	for _, v := range [...]int64{stamp.Size, stamp.MTime, stamp.CTime, int64(stamp.Inode), int64(stamp.Device)} {
		h.Int64("stamp", v)
	}
	h.String("assets", s.Assets.Name())
	h.String("out", s.Out.Name())
	h.String("checksum", s.Checksum.Name)
	for _, dir := range s.ownFolders() {
		h.String("not scanned", dir)
	}
	if s.Place.IDs {
		h.String("assets have", "IDs")
	}
	for _, name := range s.Recipes.Names() {
		r, _ := s.Recipes.Lookup(name)
		h.String("recipe", fmt.Sprintf("%s %d %q %q", r.Name, r.Version, r.Extensions, r.Hints))
	}
	if s.Place.Config != "" {
		data, err := readConfig(s.Place.Config)
		if err != nil {
			return
		}
		s.config = data
		h.String("config", s.Place.Config)
		h.Digest("rules", hashing.DigestOf(data))
	}
	s.Fingerprint = h.Sum()
}

// ownFolders are those of ours that lie among the assets.
func (s *Session) ownFolders() []string {
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
			continue // it does not exist yet
		}
		if rel, ok := pathname.Below(s.Assets.Name(), real); ok && rel != "." {
			inside = append(inside, real)
		}
	}
	return inside
}

// OpenStore opens the store, nil if there is none. A run without one works as well,
// only more often.
func (s *Session) OpenStore() *store.Store {
	open := store.Open
	if s.Mode.DryRun {
		open = store.OpenReadOnly
	}
	opened, err := open(s.Place.Cache)
	if err != nil {
		if !s.Mode.DryRun {
			s.Observer.Note(fmt.Sprintf("store: %v; results are not kept for later", err))
		}
		return nil
	}
	return opened
}

// inScope reports whether the session is to bring a source up to date.
func (s *Session) inScope(p string) bool { return s.Scope.has(p) }

// Wants reports whether the session is to bring a known action up to date.
func (s *Session) Wants(a *index.Action) bool { return s.wants(a.Path, a.Target) }

func (s *Session) wants(source, target string) bool {
	return slices.Contains(s.Scope.Targets, target) && s.inScope(source)
}
