// Package state owns cook's own files in an output directory: the directory .cook and the manifest.
//
//	.cook/lock          held by the running cook; see Dir.Lock
//	.cook/index         index of the last run, without later changes
//	.cook/changes-ID    changes of the index with that ID; see package index
//	.cook/journal       outputs of cook that no index has
//	.cook/dirty         exists while sources on other file systems are synced; see Pending
//	.cook/history       one line for each of the last runs
//	.cook/earlier       what each of the last runs changed; see Earlier
//	.cook/socket        socket of a watcher; see package watch
//	.cook/outputs       names the output directory if .cook is elsewhere; see Dir.Settle
//	manifest.json, manifest.parts
//
// # Order of writes
//
// A run writes the index last. Before, everything that earlier indexes do not describe must be on
// the disk. A run that ends too early therefore leaves an older index, and the next run finds more
// differences than there are, but never fewer. The name of a new artifact is in the journal, on the
// disk, before the artifact exists under that name. A file that is in neither the index, the
// journal nor the manifest belongs to another program, and cook never changes it.
package state

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Dir is the state of one output directory. Only the holder of the lock may change it.
type Dir struct {
	Index    IndexFile
	Manifest Manifest
	Journal  Journal
	History  History
	Noted    Noted
	Earlier  Earlier

	files *files
	disk  syncer
	// fine reports whether each change on the device gets a distinct stamp; see FineStamps. It
	// measures this on its first call.
	fine func() (fine bool, device uint64)
}

// Open returns the state of an output directory. The caller must close it.
func Open(out *confine.Dir) *Dir {
	f := &files{out: out, home: out}
	d := &Dir{files: f, Index: IndexFile{f}, Manifest: Manifest{f}, Journal: Journal{f}, History: History{f}, Noted: Noted{f}, Earlier: Earlier{f}, disk: syncer{files: f}}
	d.fine = sync.OnceValues(func() (bool, uint64) { return measureStamps(f.lock.signLock) })
	defer func() { out.MoveBusyTo(d.Trash()) }()
	if info, err := out.Root().Lstat(manifest.StateDir); err != nil || !info.Mode().IsRegular() {
		return d
	}
	if name := statedir.Home(out.Name()); name != out.Name() {
		if home, err := confine.Open(name); err == nil {
			f.home = home
		}
	}
	return d
}

// Exists reports whether a run has cooked into the output directory before.
func (d *Dir) Exists() bool {
	info, err := d.files.home.Root().Lstat(manifest.StateDir)
	return err == nil && !info.Mode().IsRegular() // a file .cook names a directory that is missing
}

// Make creates the directory of the state. If the output directory is empty, it also writes the
// tags.
func (d *Dir) Make() error {
	empty := d.files.holdsNothing()
	err := error(nil)
	if d.files.home == d.files.out {
		err = d.files.removeName()
	}
	if err == nil {
		err = d.files.home.Root().MkdirAll(manifest.StateDir, 0o777)
	}
	if err != nil {
		return fmt.Errorf("output directory %s: %w", d.files.out.Name(), err)
	}
	if empty {
		return d.files.writeTags()
	}
	return nil
}

// Close releases the lock and closes the state.
func (d *Dir) Close() {
	d.files.unlock()
	if d.files.home != d.files.out {
		d.files.home.Close()
		d.files.home = d.files.out
	}
}

// Folder returns the absolute name of the directory .cook.
func (d *Dir) Folder() string { return d.files.absoluteName(manifest.StateDir) }

// Home returns the absolute name of the directory that contains .cook.
func (d *Dir) Home() string { return d.files.home.Name() }

// LogFile returns the name of the file with all failures and warnings of the last run. The file
// exists only if there were too many to print.
func LogFile(out string) string {
	return filepath.Join(statedir.Home(out), manifest.StateDir, "last.log")
}

// Work returns the directory for temporary files, relative to the output directory.
func (d *Dir) Work() string {
	if d.files.home == d.files.out {
		return manifest.StateDir
	}
	return statedir.Work
}

// Trash returns the directory for files to remove, relative to the output directory. It exists
// during a run. It stays while another program has one of the files open.
func (d *Dir) Trash() string { return d.Work() + "/trash" }

// MayExist reports whether a file or directory exists in the output directory. If it cannot find
// out, it returns true.
func (d *Dir) MayExist(output string) bool { return d.files.mayExist(output) }

func (f *files) mayExist(p string) bool {
	_, err := f.homeOf(p).Root().Lstat(p)
	return err == nil || !pathname.IsAbsent(err)
}

// A Finder looks for files in the output directory. It is fast if successive files are in the same
// directory. It may miss directories that are created at the same time.
type Finder struct {
	out  *confine.Dir
	path string
	dir  *confine.Folder

	listed string // path of the directory that contains names
	names  []string
}

// Finder returns a new Finder. The caller must close it.
func (d *Dir) Finder() *Finder { return &Finder{out: d.files.out} }

// Fitting returns the files that match a planned name, with any digits in place of {hash}.
func (f *Finder) Fitting(name hashname.Name) (list []string) {
	dir := path.Dir(name.Shape())
	if f.names == nil || dir != f.listed {
		f.listed, f.names = dir, []string{}
		if opened, err := f.out.Root().Open(dir); err == nil {
			f.names, _ = opened.Readdirnames(-1) // if the listing fails halfway, the names so far are used
			opened.Close()
		}
		slices.Sort(f.names)
	}
	for _, base := range f.names {
		if p := path.Join(dir, base); name.Fits(p) && f.MayBeFile(p) {
			list = append(list, p)
		}
	}
	return list
}

// MayBeFile reports whether a file exists that is not a directory. If it cannot find out, it
// returns true.
func (f *Finder) MayBeFile(output string) bool {
	dir, base := path.Split(output)
	if f.dir == nil || dir != f.path {
		f.Close()
		opened := f.out.Root().Folder(path.Clean(dir))
		f.path, f.dir = dir, &opened
	}
	if f.dir.Absent() {
		return false
	}
	info, err := f.dir.Lstat(base)
	return err == nil && !info.IsDir() || err != nil && !pathname.IsAbsent(err)
}

// Close closes the open directory.
func (f *Finder) Close() {
	if f.dir != nil {
		f.dir.Close()
		f.dir = nil
	}
}

// Interrupted reports whether the last run left files to clean up.
func (d *Dir) Interrupted() bool {
	for _, left := range []string{journalName, dirtyName, d.Work() + "/tmp", d.Work() + "/trash"} {
		if _, err := d.files.homeOf(left).Root().Lstat(left); !errors.Is(err, fs.ErrNotExist) {
			return true
		}
	}
	return false
}

// ClearLeftovers removes the temporary files of a killed process from .cook.
func (d *Dir) ClearLeftovers() error {
	home := d.files.home.Root()
	left, err := fs.ReadDir(home.FS(), manifest.StateDir)
	for _, e := range left {
		if strings.HasPrefix(e.Name(), atomicfile.Prefix) {
			err = errors.Join(err, home.Remove(manifest.StateDir+"/"+e.Name()))
		}
	}
	return err
}

// BeginReading records that the run begins to read contents. Earlier syncs do not count any more.
func (d *Dir) BeginReading() { d.files.logged = false }

// Remove removes all of cook's own files, the lock last. It does not remove the output directory,
// because another cook may lock it as soon as the lock is gone.
func (d *Dir) Remove() error {
	root := d.files.home.Root()
	parts, err := d.Manifest.listParts()
	if err != nil {
		return err
	}
	if err := d.files.removeTags(); err != nil {
		return err
	}
	if err := d.files.out.Root().Remove(manifest.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := d.Manifest.removeParts(parts); err != nil {
		return err
	}
	if d.files.home != d.files.out {
		// These files are removed under the lock, because another cook may write new ones later.
		if err := d.files.out.Root().Remove(manifest.StateDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	state, err := root.Open(manifest.StateDir)
	if err != nil {
		return err
	}
	names, err := state.Readdirnames(-1)
	state.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if name = manifest.StateDir + "/" + name; name != lockName {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	if runtime.GOOS == "windows" {
		d.files.unlock() // Windows cannot remove an open file
	}
	if err := root.RemoveAll(lockName); err != nil {
		return err
	}
	if _, err = root.RemoveEmpty(manifest.StateDir); err == nil && d.files.home != d.files.out {
		statedir.Prune(d.files.home.Name())
	}
	return err
}

// RemoveUnused removes the state if it records no outputs. It reports whether it has removed the
// state.
func RemoveUnused(d *Dir) (removed bool, err error) {
	for _, at := range [...]struct {
		root confine.Root
		name string
	}{{d.files.out.Root(), manifest.Name}, {d.files.home.Root(), IndexName}, {d.files.home.Root(), journalName}} {
		if _, err := at.root.Lstat(at.name); !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	return true, d.Remove()
}

type tag struct{ name, text string }

// tags are files that tell backup programs (https://bford.info/cachedir/) and git to skip the
// output directory.
var tags = [...]tag{
	{"CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by cook: what is in this folder can be made again.\n# See https://bford.info/cachedir/\n"},
	{".gitignore", "# Made by cook: what is in this folder can be made again.\n*\n"},
}

// writeTags writes the tags into an empty output directory. Users may edit or remove them, because
// cook never writes them again.
func (f *files) writeTags() error {
	for _, tag := range tags {
		err := f.writeNew(tag.name, []byte(tag.text))
		if err != nil {
			return fmt.Errorf("write %s: %w", f.absoluteName(tag.name), err)
		}
	}
	return nil
}

// IsTag reports whether a file in the output directory is a tag that was not edited.
func (d *Dir) IsTag(output string) bool { return d != nil && d.files.isTag(output) }

func (f *files) isTag(output string) bool {
	for _, tag := range tags {
		if output == tag.name {
			text, err := f.readStateFile(output)
			return err == nil && string(text) == tag.text
		}
	}
	return false
}

// MadeByCook reports whether cook has created the output directory, or found it empty. In this
// case, an unedited tag exists.
func (d *Dir) MadeByCook() bool {
	return slices.ContainsFunc(tags[:], func(tag tag) bool { return d.IsTag(tag.name) })
}

// removeTags removes the tags that were not edited.
func (f *files) removeTags() error {
	for _, tag := range tags {
		if !f.isTag(tag.name) {
			continue
		}
		if err := f.out.Root().Remove(tag.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// holdsNothing reports whether the output directory is empty, except for a file .cook that names
// another directory.
func (f *files) holdsNothing() bool {
	dir, err := f.out.Root().Open(".")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(2)
	return err == io.EOF || f.home != f.out && slices.Equal(names, []string{manifest.StateDir})
}
