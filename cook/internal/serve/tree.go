package serve

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/export"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dirfd"
)

// A tree is the set of files that are served.
//
// The manifest lists the artifacts. A watcher announces new artifacts a moment before it writes the
// manifest, so announced artifacts are served, too.
type tree struct {
	out, target string

	reading sync.Mutex // held while the manifest is read

	mu        sync.Mutex // guards the fields below
	stamp     dirfd.Info // stamp of the manifest when it was last read
	listed    map[string]bool
	lists     map[string]manifestFile // nil if nothing is cooked for the target
	announced map[string]bool         // announced artifacts that the manifest does not list yet
	digests   map[string]stampedDigest
}

// A manifestFile is the manifest or one of its parts, for the target.
type manifestFile struct {
	data []byte
	etag string
}

// A stampedDigest is the digest of a file whose stamp has not changed since the file was hashed.
type stampedDigest struct {
	stamp  dirfd.Info
	digest hashing.Digest
}

func newServedTree(opt Options) tree {
	return tree{out: opt.Out, target: opt.Target, announced: map[string]bool{}, digests: map[string]stampedDigest{}}
}

// announce adds and removes artifacts that a cook has changed.
func (t *tree) announce(changes []reload.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range changes {
		if c.Removed {
			delete(t.listed, c.Path)
			delete(t.announced, c.Path)
			delete(t.digests, c.Path)
		} else if !t.listed[c.Path] {
			t.announced[c.Path] = true
		}
	}
}

// serves reports whether an artifact is served. If a name is unknown, it reads a changed manifest.
func (t *tree) serves(name string) bool {
	return t.listsArtifact(name) || t.refresh() && t.listsArtifact(name)
}

// listsArtifact reports whether an artifact is listed or announced. The state of cook is neither, whatever
// a damaged manifest lists.
func (t *tree) listsArtifact(name string) bool {
	first, _, _ := strings.Cut(path.Join(t.target, name), "/")
	if strings.EqualFold(first, manifest.StateDir) || strings.EqualFold(first, statedir.Work) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.listed[name] || t.announced[name]
}

// isCooked reports whether the manifest has outputs of the target.
func (t *tree) isCooked() bool {
	t.refresh()
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lists != nil
}

// presentManifest returns a file of the present manifest.
func (t *tree) presentManifest(name string) (data []byte, etag string, ok bool) {
	t.refresh()
	t.mu.Lock()
	defer t.mu.Unlock()
	file, ok := t.lists[name]
	return file.data, file.etag, ok
}

// refresh reads the manifest if its stamp has changed, and reports whether it has read the
// manifest. If the manifest cannot be read, the last one stays.
func (t *tree) refresh() bool {
	t.reading.Lock()
	defer t.reading.Unlock()
	info, err := os.Stat(filepath.Join(t.out, manifest.Name))
	if err != nil {
		return false
	}
	stamp := dirfd.InfoOf(info)
	t.mu.Lock()
	last := t.stamp
	t.mu.Unlock()
	if stamp == last {
		return false
	}
	listing, err := export.ListTarget(t.out, t.target)
	if err != nil && !errors.Is(err, export.ErrNoTarget) {
		return false // a cook may have replaced a part meanwhile; the next request reads again
	}
	var lists map[string]manifestFile
	if err == nil {
		lists = make(map[string]manifestFile, len(listing.Lists))
	}
	for _, l := range listing.Lists {
		lists[l.Name] = manifestFile{l.Data, etagOf(hashing.DigestOf(l.Data))}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stamp, t.listed, t.lists = stamp, listing.Artifacts, lists
	for name := range t.announced {
		if t.listed[name] {
			delete(t.announced, name)
		}
	}
	for name := range t.digests {
		if !t.listed[name] && !t.announced[name] {
			delete(t.digests, name)
		}
	}
	return true
}

var errNotListed = errors.New("the manifest does not list the file")

// openArtifact opens an artifact, and returns the ETag of the opened file.
func (t *tree) openArtifact(name string) (f *os.File, etag string, err error) {
	if !t.serves(name) {
		return nil, "", errNotListed
	}
	if f, err = openWithoutLinks(t.out, path.Join(t.target, name)); err != nil {
		return nil, "", err
	}
	digest, err := t.digestOf(name, f)
	if err != nil {
		f.Close()
		return nil, "", err
	}
	return f, etagOf(digest), nil
}

// digestOf hashes an open file, unless the file of this name had the same stamp when it was last
// hashed. It leaves the offset at the start of the file.
func (t *tree) digestOf(name string, f *os.File) (digest hashing.Digest, err error) {
	info, err := f.Stat()
	if err != nil {
		return digest, err
	}
	stamp := dirfd.InfoOf(info)
	t.mu.Lock()
	known := t.digests[name]
	t.mu.Unlock()
	if known.stamp == stamp {
		return known.digest, nil
	}
	blake3, _ := hashing.Lookup("blake3")
	sum := blake3.New()
	if _, err = io.Copy(sum, f); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return digest, err
	}
	copy(digest[:], sum.Sum(nil))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.digests[name] = stampedDigest{stamp, digest}
	return digest, nil
}

func etagOf(d hashing.Digest) string { return `"` + d.String() + `"` }

// openWithoutLinks opens a regular file in a directory. It refuses paths through symbolic links: a
// cook makes none, and a link may lead to a file that is not an artifact.
func openWithoutLinks(dir, name string) (*os.File, error) {
	d, err := confine.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for at := 0; at >= 0; {
		next := strings.IndexByte(name[at:], '/')
		end := len(name)
		if next >= 0 {
			end = at + next
		}
		info, err := d.Root().Lstat(name[:end])
		if err != nil {
			return nil, err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, &fs.PathError{Op: "open", Path: name[:end], Err: errors.New("this is a link")}
		}
		if at = end + 1; next < 0 {
			break
		}
	}
	return d.OpenFile(name)
}
