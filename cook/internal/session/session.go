// Package session opens the directories that a pass works on.
//
// A [Session] holds the options, the asset directory, the output directory with its state and lock,
// the clock, and the fingerprint: a hash of everything outside the tree that affects the whole tree
// for any target. Once [Open] and [Session.Lock] have returned, no field of a session changes.
// [Session.Asking] and [Session.Following] return changed copies.
//
// The package also reads the inputs of every pass: the index of the last run ([Session.LoadIndex])
// and the rule files of a tree ([Session.CompileRules]).
package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/profile"
)

// A Session is everything that a pass works with. It never changes after Open and Lock.
type Session struct {
	Place    Place
	Scope    Scope
	Mode     Mode
	Limits   Limits
	Probe    profile.Probe
	Observer Observer
	Clock    Clock
	Assets   *confine.Dir
	Out      *confine.Dir // nil if the directory is missing and the session may not create it
	State    *state.Dir   // state directory of Out
	Basis    Basis
	before   before
}

// before is the state of the output directory before the session.
type before struct {
	used bool // set if a run has cooked into the directory
	made bool // set if Open made the directory
}

// A Clock holds the time sources of a session.
type Clock struct {
	Now     func() time.Time
	Started time.Time
	Stamps  *scan.Clock // determines whether stamps can be trusted
	file    func(scan.Stamp) scan.Stamp
}

// A Basis is everything outside the tree that affects the whole tree, for any target.
type Basis struct {
	Checksum hashing.Func
	Engine   string // engine that replaces the engine of cook.toml; "" keeps it
	Recipes  *recipeset.Set
	// Fingerprint is a hash of the program, the directories and the options. It is zero if it
	// cannot be computed. An index with a different fingerprint is not valid for the session.
	Fingerprint hashing.Digest
	config      []byte     // text of Place.Config when Fingerprint was computed
	followed    *RuleTexts // rules to use instead of the current files; usually nil
}

// Open opens a session. Close it after use.
func Open(opt Options, access Access) (*Session, error) {
	opt, err := opt.WithDefaults()
	if err != nil {
		return nil, err
	}
	s := &Session{
		Place: opt.Place, Scope: opt.Scope, Mode: opt.Mode, Limits: opt.Limits, Probe: opt.Probe, Observer: opt.Observer,
		Clock: Clock{Now: opt.Time.Now, Started: opt.Time.Now(), file: opt.Time.File},
	}
	if s.Basis.Checksum, err = checksum(opt.Checksum); err != nil {
		return nil, err
	}
	s.Basis.Engine = opt.Engine
	s.Clock.Stamps = scan.NewClock(s.Clock.Started, opt.Time.Now)
	if s.Basis.Recipes, err = recipeset.New(opt.Recipes...); err != nil {
		return nil, &ConfigError{err}
	}
	if s.Assets, err = confine.Open(opt.Place.Dir); err != nil {
		return nil, &ConfigError{err}
	}
	if err := openOut(s, access); err != nil {
		s.Close()
		return nil, err
	}
	computeFingerprint(s)
	return s, nil
}

// Lock locks the output directory of a session opened with Look or Ask. It completes Open, so call
// it before a pass. If a cook clean has removed the directory or the lock meanwhile, Lock opens the
// directory again with the given access. With access WriteExisting, the directory may no longer
// exist afterwards; see Used.
func (s *Session) Lock(access Access) error {
	err := lock(s)
	if !reopens(err) {
		return err
	}
	closeOut(s)
	err = openOut(s, access)
	computeFingerprint(s)
	return err
}

// Close releases the lock and closes the directories.
func (s *Session) Close() {
	closeOut(s)
	s.Assets.Close()
}

// Abandon removes the state of an output directory into which nothing was ever cooked. It also
// removes the directory if Open made it. Call it when a first pass could not begin. The session
// must have the lock, and is closed afterwards.
func (s *Session) Abandon() error {
	if s.before.used || s.Out == nil {
		return nil
	}
	if removed, err := state.RemoveUnused(s.State); !removed || err != nil || !s.before.made {
		return err
	}
	name := s.Out.Name()
	if runtime.GOOS == "windows" {
		s.Out.Close() // drives without POSIX deletion cannot remove an open directory
	}
	err := busyfile.Remove(name)
	if left, listErr := os.ReadDir(name); listErr != nil || len(left) > 0 {
		return nil // another process removed the directory, or uses it
	}
	return err
}

// Used reports whether a run had cooked into the output directory before Open.
func (s *Session) Used() bool { return s.before.used }

// A Question is a query about one source. Answering it changes nothing.
type Question struct {
	Source string
	Beside bool
}

// Asking returns a session for a pass that answers a question.
func (s *Session) Asking(q Question) *Session {
	with := *s
	with.Scope.Source, with.Mode.Beside = q.Source, q.Beside
	return &with
}

// LoadIndex returns the index of the last run. A missing or damaged index causes more work, but is
// not a failure: the result is then an empty index, and the observer gets a note.
func (s *Session) LoadIndex() (*state.Known, error) {
	if s.Out == nil {
		return state.Empty(), nil
	}
	known, err := s.State.Index.Load()
	switch {
	case err == nil:
		return known, nil
	case errors.Is(err, fs.ErrNotExist):
		if s.State.Manifest.Exists() && s.State.Exists() {
			s.Observer.Note("the index is missing; this run checks everything again")
		}
	case errors.Is(err, state.ErrUnreadable):
		return nil, fmt.Errorf("%w; remove it", s.State.Index.Describe(err))
	default:
		s.Observer.Note(fmt.Sprintf("%v; this run checks everything again", s.State.Index.Describe(err)))
	}
	return state.Empty(), nil
}

// CheckedIndex reads all of an index and returns it, or an empty index if it is damaged.
func (s *Session) CheckedIndex(last *index.Index) *index.Index {
	if err := index.Guard(last.Check); err != nil {
		s.Observer.Note(fmt.Sprintf("%v; this run checks everything again", s.State.Index.Describe(err)))
		return index.Empty()
	}
	return last
}

// OpenStore opens the store. It returns nil if the store cannot be opened: a run without a store
// works, but cooks more often.
func (s *Session) OpenStore() *store.Store {
	open := store.Open
	if s.Mode.DryRun {
		open = store.OpenReadOnly
	}
	opened, err := open(s.Place.Cache)
	if err != nil {
		if !s.Mode.DryRun {
			s.Observer.Note(fmt.Sprintf("store: %v; results of this run are not stored", err))
		}
		return nil
	}
	return opened
}

// CheckOwner returns an error if the output directory belongs to another asset directory.
func (s *Session) CheckOwner() error {
	if s.Out == nil {
		return nil
	}
	other := s.State.OtherOwner(s.Assets.Name())
	if other == "" {
		return nil
	}
	return Configf("output directory %s holds the artifacts of the asset directory %s, not of %s; choose another output directory, or clean that one first",
		pathname.Show(s.Place.Out), pathname.Show(other), pathname.Show(s.Place.Dir))
}

// ScanOptions returns the options for listing the tree. A file that a recipe cooks by default is
// never ignored by default.
func (s *Session) ScanOptions() scan.Options {
	opt := scan.Options{Exclude: ownFolders(s), Workers: s.Limits.Workers, ListAll: s.Mode.ListAll}
	for _, name := range s.Basis.Recipes.Names() {
		r, _ := s.Basis.Recipes.Lookup(name)
		opt.Wanted = append(opt.Wanted, r.Extensions...)
	}
	return opt
}

// Ignored returns the ignore rule that excludes a path in the asset directory.
func (s *Session) Ignored(path string, isFolder bool) (scan.Verdict, bool) {
	return scan.Ignored(path, isFolder, s.ScanOptions().Wanted, func(name string) ([]byte, error) {
		f, err := s.Assets.OpenFile(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(io.LimitReader(f, scan.MaxIgnoreSize))
	})
}

// computeFingerprint computes the fingerprint of a new session, and keeps the rule file that it
// covers.
func computeFingerprint(s *Session) {
	s.Basis.Fingerprint, s.Basis.config = hashing.Digest{}, nil
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
	h.String("checksum", s.Basis.Checksum.Name)
	h.String("engine", s.Basis.Engine)
	for _, dir := range ownFolders(s) {
		h.String("not scanned", dir)
	}
	if s.Place.IDs {
		h.String("assets have", "IDs")
	}
	h.String("manifest", string(s.Place.Manifest))
	for _, name := range s.Basis.Recipes.Names() {
		r, _ := s.Basis.Recipes.Lookup(name)
		h.String("recipe", fmt.Sprintf("%s %d %q %q", r.Name, r.Version, r.Extensions, r.Hints))
	}
	if s.Place.Config != "" {
		data, err := readConfig(s.Place.Config)
		if err != nil {
			return
		}
		s.Basis.config = data
		h.String("config", s.Place.Config)
		h.Digest("rules", hashing.DigestOf(data))
	}
	s.Basis.Fingerprint = h.Sum()
}

// checksums maps the values of Options.Checksum to the names in the registry and the index, the
// default first. The name xxh3 has always meant the 128-bit variant: in a set of millions, 64
// bits would miss a change too often.
var checksums = [...]struct{ name, function string }{
	{"xxh3", "xxh128"},
	{"xxh64", "xxh64"},
	{"crc32", "crc32"},
	{"crc32c", "crc32c"},
	{"murmur3", "murmur3-128"},
	{"slice8", "slice8"},
	{"xxh128", "xxh128"},
	{"murmur3-128", "murmur3-128"},
}

// Checksums lists the values of Options.Checksum, the default first.
func Checksums() (names []string) {
	for _, c := range checksums {
		names = append(names, c.name)
	}
	return names
}

// checksum returns the function that a value of Options.Checksum names.
func checksum(name string) (hashing.Func, error) {
	if name == "" {
		name = checksums[0].name
	}
	for _, c := range checksums {
		if c.name == name {
			f, _ := hashing.Lookup(c.function)
			return f, nil
		}
	}
	return hashing.Func{}, Configf("unknown checksum %q; have %s", name, strings.Join(Checksums(), ", "))
}
