package store

import (
	"encoding/hex"
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

// These are errors for errors.Is. The text of each returned error names the path.
var (
	// ErrMissing: the store has no such entry. The caller can cook instead.
	ErrMissing = errors.New("the store does not have the entry")
	// ErrDamaged: the entry was invalid. The caller can cook instead.
	ErrDamaged = errors.New("the store entry is damaged")
	// ErrMismatch: the content given to PutBlob does not match its ID and size, for example
	// because it changed in the meantime.
	ErrMismatch = errors.New("the content does not match its ID")
	// ErrUnavailable: the store's directory cannot be read or written (vanished, no permission,
	// disk full). The caller should warn once and continue without the store.
	ErrUnavailable = errors.New("the store cannot be used")
	// ErrReadOnly: a store from OpenReadOnly cannot be changed.
	ErrReadOnly = errors.New("the store was opened read-only")
)

// refreshAfter is the least time between updates of the time of last use.
const refreshAfter = time.Hour

// kind is the kind of an entry. Each kind has its own directory. Records contain the number of the
// kind, so it must never change.
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

	dir    string // absolute path
	files  entryFiles
	readMu [256]sync.Mutex // locks for AddReadSet, by first byte of the ActionID
}

// entryFiles accesses the files of a store's entries.
type entryFiles struct {
	root     string // subdirectory v1 of dir
	readOnly bool
	clock    func() time.Time // Store.Now
	sums     *hashing.Summer
	added    atomic.Int64 // bytes put since Open or the last Trim

	// clone is reflink.Clone except in tests.
	clone func(dst, src *os.File) error
	// fault, if set by a test, is called before each file operation and each write. If it returns
	// an error, the operation fails with that error.
	fault func(op, path string) error
}

// Open opens the store in dir and creates it if necessary.
func Open(dir string) (*Store, error) {
	s, err := storeIn(dir)
	if err != nil {
		return nil, err
	}
	if err := s.files.makeFolders(); err != nil {
		return nil, fmt.Errorf("open store %s: %w: %w", s.dir, ErrUnavailable, err)
	}
	return s, nil
}

// OpenReadOnly opens the store in dir for queries: it creates nothing, deletes nothing, and
// does not update times of last use. If there is no store, all entries are missing.
func OpenReadOnly(dir string) (*Store, error) {
	s, err := storeIn(dir)
	if err != nil {
		return nil, err
	}
	s.files.readOnly = true
	return s, nil
}

func storeIn(dir string) (*Store, error) {
	if dir == "" {
		return nil, errors.New("open store: no directory given")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	sum, _ := hashing.Lookup(recordSum)
	s := &Store{Now: time.Now, dir: abs}
	s.files.root = filepath.Join(abs, "v1")
	s.files.clock = func() time.Time { return s.Now() }
	s.files.sums = hashing.NewSummer(sum)
	s.files.clone = reflink.Clone
	return s, nil
}

// Dir returns the absolute path of the directory given to Open.
func (s *Store) Dir() string { return s.dir }

const readme = `This directory is the store of assetcook: results of earlier cooks, kept so that
no checkout of this user does the same work again.

It may be deleted at any time, whole or in part, even while a cook is running:
this only costs time later. "cook trim" makes it smaller.
`

// The first line is fixed by the Cache Directory Tagging Specification,
// https://bford.info/cachedir/; backup programs skip directories with this file.
const cacheTag = `Signature: 8a477f597d28d172789f06886806bc55
# This directory is a cache of assetcook. See README.
`

func (d *entryFiles) makeFolders() error {
	for _, dir := range []string{d.kindFolder(blobs), d.kindFolder(reads), d.kindFolder(results), d.tmp()} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	for _, f := range []struct{ name, text string }{{"README", readme}, {"CACHEDIR.TAG", cacheTag}} {
		path := filepath.Join(d.root, f.name)
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

func (d *entryFiles) kindFolder(k kind) string { return filepath.Join(d.root, k.String()) }
func (d *entryFiles) tmp() string              { return filepath.Join(d.root, "tmp") }

// entryPath returns the file of an entry.
func (d *entryFiles) entryPath(k kind, id [32]byte) string {
	return filepath.Join(d.root, filepath.FromSlash(entryFile(k, id)))
}

// statEntry returns the file info of an entry without following links. Anything but a regular file
// gives ErrDamaged.
func (d *entryFiles) statEntry(path string) (fs.FileInfo, error) {
	if err := d.injectFault("stat", path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	case !info.Mode().IsRegular():
		return nil, d.removeDamaged(path, "not a regular file")
	}
	return info, nil
}

// openStored opens an entry after statEntry. Between the two calls, the entry may vanish or be
// replaced.
func (d *entryFiles) openStored(path string) (*os.File, error) {
	if err := d.injectFault("open", path); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	f, err := regular.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", path, ErrMissing)
	case errors.Is(err, regular.ErrNot):
		return nil, d.removeDamaged(path, "not a regular file")
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return f, nil
}

// removeDamaged removes an entry and returns ErrDamaged. If another process replaces the entry
// at this moment, a good entry is lost, which causes a miss.
func (d *entryFiles) removeDamaged(path, why string) error {
	if !d.readOnly {
		if err := d.removeEntry(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w: %s; remove it by hand: %w", path, ErrDamaged, why, err)
		}
	}
	return fmt.Errorf("%s: %w: %s", path, ErrDamaged, why)
}

// markUsed updates the time of last use of an entry if it differs from the present by more than an
// hour, even if it is in the future. Only Trim uses that time, so errors are ignored.
func (d *entryFiles) markUsed(k kind, id [32]byte, last time.Time) {
	now := d.clock()
	if age := now.Sub(last); !d.readOnly && (age > refreshAfter || age < -refreshAfter) {
		d.setUseTime(d.entryPath(k, id), now)
	}
}

func (d *entryFiles) setUseTime(path string, now time.Time) {
	if d.injectFault("chtimes", path) == nil {
		os.Chtimes(path, now, now)
	}
}

func (d *entryFiles) removeEntry(path string) error {
	if err := d.injectFault("remove", path); err != nil {
		return err
	}
	return busyfile.Remove(path)
}

// createEntry creates a temporary file for a new entry.
func (d *entryFiles) createEntry(perm fs.FileMode) (*atomicfile.File, error) {
	if err := d.injectFault("create", d.tmp()); err != nil {
		return nil, err
	}
	return atomicfile.Create(d.tmp(), perm)
}

// commitEntry renames a file from create, of size bytes, to the entry at path. It creates the
// directory for the first byte of the ID. Only Open creates the directories above, so a store
// that was deleted stays deleted.
func (d *entryFiles) commitEntry(f *atomicfile.File, path string, size int64) error {
	if err := d.injectFault("rename", path); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := f.Commit(path); err != nil {
		return err
	}
	d.setUseTime(path, d.clock())
	d.added.Add(size)
	return nil
}

func (d *entryFiles) injectFault(op, path string) error {
	if d.fault == nil {
		return nil
	}
	return d.fault(op, path)
}

// faultyWriter returns a writer that writes to f, with the faults that a test has set.
func (d *entryFiles) faultyWriter(f *os.File) io.Writer {
	if d.fault == nil {
		return f
	}
	return faultyFile{f, d}
}

// A faultyFile is a file whose writes fail as a test specifies.
type faultyFile struct {
	*os.File
	d *entryFiles
}

func (f faultyFile) Write(p []byte) (int, error) {
	if err := f.d.injectFault("write", f.Name()); err != nil {
		n, _ := f.File.Write(p[:len(p)/2]) // a full disk may accept the start of the data
		return n, err
	}
	return f.File.Write(p)
}

// BlobID is the BLAKE3-256 hash of some content. A hashing.Digest converts to it.
type BlobID [32]byte

// ActionID is the key of the facts known before a recipe runs: salt, recipe, version, options,
// tool, source content.
type ActionID [32]byte

// ResultID is the key of an ActionID and the digests of the read set's current content.
type ResultID [32]byte

// ParseBlobID parses a text that BlobID.String returned.
func ParseBlobID(s string) (BlobID, error) {
	d, err := hashing.ParseDigest(s)
	if err != nil {
		return BlobID{}, fmt.Errorf("parse blob ID: %w", err)
	}
	return BlobID(d), nil
}

// String returns 64 lower-case hex digits.
func (id BlobID) String() string   { return hex.EncodeToString(id[:]) }
func (id ActionID) String() string { return hex.EncodeToString(id[:]) }
func (id ResultID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText implements [encoding.TextMarshaler].
func (id BlobID) MarshalText() ([]byte, error)   { return hex.AppendEncode(nil, id[:]), nil }
func (id ActionID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }
func (id ResultID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *BlobID) UnmarshalText(b []byte) error   { return unmarshalID(id[:], b) }
func (id *ActionID) UnmarshalText(b []byte) error { return unmarshalID(id[:], b) }
func (id *ResultID) UnmarshalText(b []byte) error { return unmarshalID(id[:], b) }

func unmarshalID(id, text []byte) error {
	d, err := hashing.ParseDigest(string(text))
	copy(id, d[:])
	return err
}

// IsZero reports whether the ID was never set.
func (id BlobID) IsZero() bool   { return id == BlobID{} }
func (id ActionID) IsZero() bool { return id == ActionID{} }
func (id ResultID) IsZero() bool { return id == ResultID{} }
