package pak

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"sort"
	"strings"
	"time"
)

// findEntry returns the entry of a file. Its errors are *fs.PathErrors.
func (p *Pak) findEntry(op, name string) (Entry, error) {
	if !fs.ValidPath(name) {
		return Entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e, ok, err := p.Lookup(name)
	if err == nil && (!ok || e.Gone) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Entry{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return e, nil
}

// Open opens a file or directory, as [fs.FS] requires. Open files implement [io.ReaderAt]. Reading
// uncompressed files allocates no memory.
func (p *Pak) Open(name string) (fs.File, error) {
	e, err := p.findEntry("open", name)
	if err == nil {
		return p.openEntry(e)
	}
	return openPakFolder(p, name, err)
}

// openPakFolder opens a directory. err is the error from opening the name as a file.
func openPakFolder(in fs.ReadDirFS, name string, err error) (fs.File, error) {
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list, listErr := in.ReadDir(name)
	if listErr != nil {
		return nil, err
	}
	return &folder{info: folderInfo(path.Base(name)), list: list}, nil
}

func (p *Pak) openEntry(e Entry) (fs.File, error) {
	f := &file{entry: e}
	if !e.Compressed {
		f.SectionReader = io.NewSectionReader(p.file, e.Offset, e.Size)
		return f, nil
	}
	data, err := p.readEntry(&e)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: e.Name, Err: err}
	}
	f.SectionReader = io.NewSectionReader(bytes.NewReader(data), 0, e.Size)
	return f, nil
}

// ReadFile reads a whole file, as [fs.ReadFileFS] requires.
func (p *Pak) ReadFile(name string) ([]byte, error) {
	e, err := p.findEntry("read", name)
	if err != nil {
		return nil, err
	}
	return p.readEntry(&e)
}

// readEntry returns the content of an entry without checking its digest. Its errors are
// *fs.PathErrors.
func (p *Pak) readEntry(e *Entry) ([]byte, error) {
	data, err := p.readUnchecked(e)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: e.Name, Err: err}
	}
	return data, nil
}

// Stat describes a file or directory, as [fs.StatFS] requires. Paks store neither times nor
// permissions.
func (p *Pak) Stat(name string) (fs.FileInfo, error) {
	e, err := p.findEntry("stat", name)
	if err == nil {
		return info{e}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) || name != "." && !p.isFolder(name) {
		return nil, err
	}
	return folderInfo(path.Base(name)), nil
}

func (p *Pak) isFolder(name string) bool {
	_, err := p.ReadDir(name)
	return err == nil
}

// ReadDir lists a directory, as [fs.ReadDirFS] requires.
func (p *Pak) ReadDir(name string) (list []fs.DirEntry, err error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	prefix := name + "/"
	if name == "." {
		prefix = ""
	}
	err = guardFaults(func() error {
		for i := p.search(prefix, 0); i < p.footer.count; {
			e, err := p.recordEntry(i)
			if err != nil {
				return err
			}
			rest, inside := strings.CutPrefix(e.Name, prefix)
			if !inside {
				break
			}
			first, _, deeper := strings.Cut(rest, "/")
			switch {
			case !deeper:
				if i++; !e.Gone {
					list = append(list, fs.FileInfoToDirEntry(info{e}))
				}
				continue
			case p.hasFileBelow(i, prefix+first+"/"):
				list = append(list, fs.FileInfoToDirEntry(folderInfo(first)))
			}
			i = p.search(prefix+first+"0", i+1) // "0" is the byte after "/"
		}
		return nil
	})
	if err == nil && len(list) == 0 && name != "." {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	// Records are sorted by full path, as if directory names ended in a slash. A directory lists
	// names without this slash.
	sort.SliceStable(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}

// hasFileBelow reports whether the record at index i or a later record is an existing file below a
// directory.
func (p *Pak) hasFileBelow(i int, prefix string) bool {
	for ; i < p.footer.count; i++ {
		e, err := p.recordEntry(i)
		if err != nil || !strings.HasPrefix(e.Name, prefix) {
			return false
		}
		if !e.Gone {
			return true
		}
	}
	return false
}

// search returns the index of the first record whose name is not less than name. It skips all
// records before the index from.
func (p *Pak) search(name string, from int) int {
	return from + sort.Search(p.footer.count-from, func(i int) bool {
		found, err := p.recordName(from + i)
		return err == nil && string(found) >= name
	})
}

// A file is an open file of a pak.
type file struct {
	*io.SectionReader
	entry  Entry
	closed bool
}

func (f *file) Stat() (fs.FileInfo, error) { return info{f.entry}, nil }

func (f *file) Read(b []byte) (int, error) {
	if f.closed {
		return 0, &fs.PathError{Op: "read", Path: f.entry.Name, Err: fs.ErrClosed}
	}
	return f.SectionReader.Read(b)
}

func (f *file) Close() error {
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.entry.Name, Err: fs.ErrClosed}
	}
	f.closed = true
	return nil
}

// folder holds an open directory of one or several paks.
type folder struct {
	info fs.FileInfo
	list []fs.DirEntry
	at   int
}

func (f *folder) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *folder) Close() error               { return nil }

func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.info.Name(), Err: errors.New("is a directory")}
}

// ReadDir lists the next n entries, or all entries if n is not positive.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	left := f.list[f.at:]
	if n <= 0 {
		f.at = len(f.list)
		return left, nil
	}
	if len(left) == 0 {
		return nil, io.EOF
	}
	left = left[:min(n, len(left))]
	f.at += len(left)
	return left, nil
}

// An info is the fs.FileInfo of an entry.
type info struct{ Entry }

func (i info) Name() string       { return path.Base(i.Entry.Name) }
func (i info) Size() int64        { return i.Entry.Size }
func (i info) Mode() fs.FileMode  { return 0o444 }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return i.Entry }

// A folderInfo is the fs.FileInfo of a directory; the string is its name.
type folderInfo string

func (f folderInfo) Name() string     { return string(f) }
func (folderInfo) Size() int64        { return 0 }
func (folderInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (folderInfo) ModTime() time.Time { return time.Time{} }
func (folderInfo) IsDir() bool        { return true }
func (folderInfo) Sys() any           { return nil }

// Layers combines paks into one file system. Files of later paks replace or remove files of earlier
// paks. The file system implements [fs.ReadFileFS] and [fs.ReadDirFS].
func Layers(paks ...*Pak) fs.FS { return &layeredPaks{paks} }

type layeredPaks struct{ paks []*Pak }

// findInLayers returns the entry of a file, and the pak that contains the file.
func (l *layeredPaks) findInLayers(op, name string) (*Pak, Entry, error) {
	if !fs.ValidPath(name) {
		return nil, Entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	for i := len(l.paks) - 1; i >= 0; i-- {
		e, ok, err := l.paks[i].Lookup(name)
		switch {
		case err != nil:
			return nil, Entry{}, &fs.PathError{Op: op, Path: name, Err: err}
		case ok && !e.Gone:
			return l.paks[i], e, nil
		case ok:
			return nil, Entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
		}
	}
	return nil, Entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// Open opens a file or directory, as [fs.FS] requires.
func (l *layeredPaks) Open(name string) (fs.File, error) {
	p, e, err := l.findInLayers("open", name)
	if err == nil {
		return p.openEntry(e)
	}
	return openPakFolder(l, name, err)
}

// ReadFile reads a whole file, as [fs.ReadFileFS] requires.
func (l *layeredPaks) ReadFile(name string) ([]byte, error) {
	p, e, err := l.findInLayers("read", name)
	if err != nil {
		return nil, err
	}
	return p.readEntry(&e)
}

// ReadDir lists a directory, as [fs.ReadDirFS] requires.
func (l *layeredPaks) ReadDir(name string) ([]fs.DirEntry, error) {
	found := map[string]fs.DirEntry{}
	for _, p := range l.paks { // entries by name; later paks override earlier paks
		list, err := p.ReadDir(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range list {
			found[e.Name()] = e
		}
	}
	var list []fs.DirEntry
	for base, e := range found {
		full := path.Join(name, base)
		if !e.IsDir() {
			if _, _, err := l.findInLayers("readdir", full); err != nil {
				continue // a later pak removes the file, or has a directory of that name
			}
		} else if len(l.paks) > 1 && !l.hasFile(full) {
			continue
		}
		list = append(list, e)
	}
	if len(list) == 0 && name != "." {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}

// hasFile reports whether a directory contains a file at any depth.
func (l *layeredPaks) hasFile(folder string) bool {
	for _, p := range l.paks {
		for i := p.search(folder+"/", 0); i < p.footer.count; i++ {
			e, err := p.recordEntry(i)
			if err != nil || !strings.HasPrefix(e.Name, folder+"/") {
				break
			}
			if _, _, err := l.findInLayers("readdir", e.Name); err == nil {
				return true
			}
		}
	}
	return false
}
