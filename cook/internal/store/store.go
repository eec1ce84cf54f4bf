package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/reflink"
	"github.com/assetcook/assetcook/internal/regular"
)

// Errors for errors.Is. Each error's text names the path.
var (
	// ErrMissing: the store has no such entry. The caller cooks.
	ErrMissing = errors.New("not in the store")
	// ErrDamaged: the entry was invalid. The caller cooks.
	ErrDamaged = errors.New("damaged store entry")
	// ErrMismatch: the content given to PutBlob does not match its ID and size, for example
	// because it changed in the meantime.
	ErrMismatch = errors.New("the content does not match its ID")
	// ErrUnavailable: the store's directory cannot be read or written (vanished, no permission,
	// disk full). The caller warns once and continues without the store.
	ErrUnavailable = errors.New("the store cannot be used")
	// ErrReadOnly: a store from OpenReadOnly cannot be changed.
	ErrReadOnly = errors.New("the store was opened read-only")
)

// refreshAfter is the age at which a time of last use is updated.
const refreshAfter = time.Hour

// kind is one of the directories of entries. Records hold its number: never renumber.
type kind uint8

const (
	blobs kind = iota
	reads
	results
	kinds
)

func (k kind) String() string { return [kinds]string{"blobs", "reads", "results"}[k] }

// Store is an open store. It is safe for concurrent use, by several processes and by several
// Stores on one directory.
type Store struct {
	// Now is the clock for times of last use. Set it before first use.
	Now func() time.Time

	dir      string // absolute
	root     string // dir/v1
	readOnly bool
	sums     *hashing.Summer
	added    atomic.Int64    // bytes put since Open or the last Trim
	readMu   [256]sync.Mutex // by first byte of the ActionID, for AddReadSet

	// clone is reflink.Clone except in tests.
	clone func(dst, src *os.File) error
	// fault, if set by a test, is called before each file operation and each write. If it returns
	// an error, the operation fails with that error.
	fault func(op, path string) error
}

// Open opens the store in dir and creates it if necessary.
func Open(dir string) (*Store, error) {
	s, err := newStore(dir)
	if err != nil {
		return nil, err
	}
	if err := s.make(); err != nil {
		return nil, fmt.Errorf("open store %s: %w: %w", s.dir, ErrUnavailable, err)
	}
	return s, nil
}

// OpenReadOnly opens the store in dir for queries: it creates nothing, deletes nothing, and does
// not update times of last use. Without a store, everything is missing.
func OpenReadOnly(dir string) (*Store, error) {
	s, err := newStore(dir)
	if err != nil {
		return nil, err
	}
	s.readOnly = true
	return s, nil
}

func newStore(dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("open store: no directory given")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	sum, _ := hashing.Lookup(recordSum)
	return &Store{
		Now:  time.Now,
		dir:  abs,
		root: filepath.Join(abs, "v1"),
		sums: hashing.NewSummer(sum),

		clone: reflink.Clone,
	}, nil
}

// Dir returns the absolute path of the directory given to Open.
func (s *Store) Dir() string { return s.dir }

const readme = `This directory is the store of assetcook: results of earlier cooks, kept so that
no checkout of this user does the same work again.

It may be deleted at any time, whole or in part, even while a cook is running:
this only costs time later. "cook trim" makes it smaller.
`

// The first line is fixed by the Cache Directory Tagging Specification,
// https://bford.info/cachedir/; backup programs skip directories that have it.
const cacheTag = `Signature: 8a477f597d28d172789f06886806bc55
# This directory is a cache of assetcook. See README.
`

func (s *Store) make() error {
	for _, dir := range []string{s.folder(blobs), s.folder(reads), s.folder(results), s.tmp()} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, text string }{{"README", readme}, {"CACHEDIR.TAG", cacheTag}} {
		path := filepath.Join(s.root, f.name)
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		err := atomicfile.Write(path, 0o666, func(w io.Writer) error {
			_, err := io.WriteString(w, f.text)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) folder(k kind) string { return filepath.Join(s.root, k.String()) }
func (s *Store) tmp() string          { return filepath.Join(s.root, "tmp") }

// path returns the file of an entry.
func (s *Store) path(k kind, id [32]byte) string {
	return filepath.Join(s.root, filepath.FromSlash(file(k, id)))
}

// stat returns the file info of an entry without following links. Anything but a regular file
// gives ErrDamaged.
func (s *Store) stat(path string) (fs.FileInfo, error) {
	if err := s.trip("stat", path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !info.Mode().IsRegular():
		return nil, s.damaged(path, "not a regular file")
	}
	return info, nil
}

// openStored opens an entry after stat. In between, the entry may vanish or be replaced.
func (s *Store) openStored(path string) (*os.File, error) {
	if err := s.trip("open", path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	f, err := regular.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case errors.Is(err, regular.ErrNot):
		return nil, s.damaged(path, "not a regular file")
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return f, nil
}

// damaged removes an entry and returns ErrDamaged. If another process replaced the entry in this
// moment, a good entry is lost, which costs a miss.
func (s *Store) damaged(path, why string) error {
	if !s.readOnly {
		if err := s.remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w: %s; remove it by hand: %w", path, ErrDamaged, why, err)
		}
	}
	return fmt.Errorf("%s: %w: %s", path, ErrDamaged, why)
}

// used updates the time of last use of an entry. Only Trim needs it, so errors are ignored. A
// time in the future is corrected too.
func (s *Store) used(path string, last time.Time) {
	if s.due(last) {
		s.mark(path, s.Now())
	}
}

func (s *Store) due(last time.Time) bool {
	age := s.Now().Sub(last)
	return !s.readOnly && (age > refreshAfter || age < -refreshAfter)
}

func (s *Store) mark(path string, now time.Time) {
	if s.trip("chtimes", path) == nil {
		os.Chtimes(path, now, now)
	}
}

func (s *Store) remove(path string) error {
	if err := s.trip("remove", path); err != nil {
		return err
	}
	return busyfile.Remove(path)
}

// create creates a temporary file for a new entry.
func (s *Store) create(perm fs.FileMode) (*atomicfile.File, error) {
	if err := s.trip("create", s.tmp()); err != nil {
		return nil, err
	}
	return atomicfile.Create(s.tmp(), perm)
}

// commit renames a file from create, of size bytes, to the entry at path. It creates the
// directory of the first byte. Only Open creates the directories above, so a store that was
// deleted stays deleted.
func (s *Store) commit(f *atomicfile.File, path string, size int64) error {
	if err := s.trip("rename", path); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := f.Commit(path); err != nil {
		return err
	}
	s.mark(path, s.Now())
	s.added.Add(size)
	return nil
}

func (s *Store) trip(op, path string) error {
	if s.fault == nil {
		return nil
	}
	return s.fault(op, path)
}

// writer returns f as a writer with the test's faults.
func (s *Store) writer(f *os.File) io.Writer {
	if s.fault == nil {
		return f
	}
	return faulty{f, s}
}

type faulty struct {
	*os.File
	s *Store
}

func (f faulty) Write(p []byte) (int, error) {
	if err := f.s.trip("write", f.Name()); err != nil {
		n, _ := f.File.Write(p[:len(p)/2]) // a full disk takes the first part
		return n, err
	}
	return f.File.Write(p)
}
