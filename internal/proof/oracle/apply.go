package oracle

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// apply applies an edit. The edit may fail, for example if a file is at the path of a directory.
// The script then continues without the edit.
func (p *Player) apply(e Edit) error {
	name, to := p.name(e.Path), p.name(e.To)
	switch e.Kind {
	case Write:
		return write(name, e.Data)
	case Replace:
		if err := write(name+"~", e.Data); err != nil {
			return err
		}
		if err := os.Rename(name+"~", name); err != nil {
			return os.Remove(name + "~")
		}
		return nil
	case Overwrite:
		return change(name, 0, func(f *os.File) error {
			_, err := f.WriteAt([]byte(e.Data), e.N)
			return err
		})
	case KeepTime:
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if err := change(name, os.O_TRUNC, func(f *os.File) error {
			_, err := f.WriteString(e.Data)
			return err
		}); err != nil {
			return err
		}
		if runtime.GOOS == "windows" {
			return nil // keep the new time, because without it only the ctime would reveal the edit
		}
		return os.Chtimes(name, info.ModTime(), info.ModTime())
	case Append:
		return change(name, os.O_APPEND, func(f *os.File) error {
			_, err := f.WriteString(e.Data)
			return err
		})
	case Truncate:
		return change(name, 0, func(f *os.File) error { return f.Truncate(e.N) })
	case Touch:
		return os.Chtimes(name, time.Unix(e.N, 0), time.Unix(e.N, 0))
	case Retouch:
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		return os.Chtimes(name, info.ModTime(), info.ModTime())
	case Chmod:
		return os.Chmod(name, fs.FileMode(e.N))
	case Restore:
		return restore(name)
	case Rename:
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.Rename(name, to)
	case Swap:
		return swap(name, to)
	case Remove:
		return os.RemoveAll(name)
	case Mkdir:
		return os.MkdirAll(name, 0o777)
	case Link, HardLink:
		if _, err := os.Stat(to); err != nil && e.Kind == HardLink || name == to {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
			return err
		}
		if e.Kind == HardLink {
			return os.Link(to, name)
		}
		return os.Symlink(filepath.FromSlash(e.To), name)
	case Block:
		if err := os.Remove(name); err != nil {
			return err
		}
		p.blocks = append(p.blocks, name)
		return write(filepath.Join(name, "mine"), "not cook's")
	case Flip, Cut, Lose:
		return damage(e.Kind, name, uint64(e.N))
	case Map:
		return p.openMapping(name, e.N)
	case MapWrite:
		return p.writeMapping(name, e.N)
	case Tick:
		return NextTick(p.place.Dir)
	case Wait:
		time.Sleep(time.Duration(e.N) * time.Millisecond)
	}
	return nil
}

func write(name, data string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(data), 0o666)
}

// change opens an existing file for writing, and lets a function change it.
func change(name string, flag int, do func(*os.File) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(f)
}

func restore(name string) error {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil {
		return err
	}
	if err := os.WriteFile(name, data, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chmod(name, info.Mode().Perm())
}

func swap(a, b string) error {
	if _, err := os.Lstat(b); err != nil || a == b {
		return err
	}
	if err := os.Rename(a, a+"~"); err != nil {
		return err
	}
	if err := os.Rename(b, a); err != nil {
		return os.Rename(a+"~", a) // the paths cannot be swapped, because one contains the other
	}
	return os.Rename(a+"~", b)
}

// damage damages one of the files that match a pattern or are in a directory.
func damage(kind Kind, pattern string, n uint64) error {
	var files []string
	found, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, name := range found {
		filepath.WalkDir(name, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				files = append(files, name)
			}
			return nil // a missing file cannot be damaged
		})
	}
	if len(files) == 0 {
		return nil
	}
	slices.Sort(files)
	name := files[n%uint64(len(files))]
	if kind == Lose {
		return os.Remove(name)
	}
	data, err := os.ReadFile(name)
	if err != nil || len(data) == 0 {
		return err
	}
	at := n / uint64(len(files)) % uint64(len(data))
	if kind == Cut {
		data = data[:at]
	} else {
		data[at] ^= 4
	}
	if err := os.Chmod(name, 0o666); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o666)
}

// NextTick waits until a new file gets a later time than all existing files.
func NextTick(dir string) error {
	name := filepath.Join(dir, "tick")
	now := func() (int64, error) {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			return 0, err
		}
		defer os.Remove(name)
		return changeTime(name)
	}
	begin, err := now()
	for t := begin; err == nil && t <= begin; t, err = now() {
		time.Sleep(200 * time.Microsecond)
	}
	return err
}
