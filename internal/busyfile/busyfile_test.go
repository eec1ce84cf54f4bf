package busyfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var errBusy = errors.New("in use")

// folder is a directory that, like Windows, refuses to remove or replace busy files.
type folder struct {
	*os.Root
	held  map[string]bool // names of files that cannot be removed or replaced
	fixed map[string]bool // names of files that cannot be renamed
}

func (f folder) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS(), name) }

func (f folder) RemoveAll(name string) error {
	for held := range f.held {
		if strings.HasPrefix(held, name+"/") {
			return errBusy
		}
	}
	return f.Root.RemoveAll(name)
}

func (f folder) Remove(name string) error {
	if f.held[name] {
		return errBusy
	}
	return os.Remove(filepath.Join(f.Name(), name))
}

func (f folder) Rename(from, to string) error {
	if f.held[to] || f.fixed[from] {
		return errBusy
	}
	err := f.Root.Rename(from, to)
	if err == nil && f.held[from] {
		f.held[to] = true
		delete(f.held, from)
	}
	return err
}

// open returns the Files of a new directory with the files "old" and "new". The files in held are
// busy. open also returns a list that records the length of each pause.
func open(t *testing.T, held ...string) (*Files, folder, *[]time.Duration) {
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	in := folder{root, map[string]bool{}, map[string]bool{}}
	for _, name := range held {
		in.held[name] = true
	}
	var waits []time.Duration
	f := &Files{In: in, Trash: "trash", Busy: func(err error) bool { return errors.Is(err, errBusy) },
		Pause: func(d time.Duration) { waits = append(waits, d) }}
	return f, in, &waits
}

func content(in folder, name string) string {
	data, err := in.ReadFile(name)
	if err != nil {
		return "none"
	}
	return string(data)
}

func TestFileThatIsReleasedIsReplaced(t *testing.T) {
	f, in, waits := open(t, "old")
	f.Pause = func(d time.Duration) {
		if *waits = append(*waits, d); len(*waits) == 3 {
			delete(in.held, "old")
		}
	}
	if err := f.Rename("new", "old"); err != nil || content(in, "old") != "new" {
		t.Errorf("old holds %s, %v", content(in, "old"), err)
	}
	if want := []time.Duration{1e6, 2e6, 4e6}; !slices.Equal(*waits, want) {
		t.Errorf("paused %v, want %v", *waits, want)
	}
	if content(in, "trash") != "none" {
		t.Error("the file was moved aside")
	}
}

func TestFileThatStaysBusyIsMovedAside(t *testing.T) {
	for name, call := range map[string]func(*Files) error{
		"rename": func(f *Files) error { return f.Rename("new", "old") },
		"remove": func(f *Files) error { return f.Remove("old") },
	} {
		f, in, _ := open(t, "old")
		want := map[string]string{"rename": "new", "remove": "none"}[name]
		if err := call(f); err != nil || content(in, "old") != want {
			t.Errorf("%s: old holds %s, %v; want %s", name, content(in, "old"), err, want)
		}
		if left, _ := os.ReadDir(filepath.Join(in.Name(), "trash")); len(left) != 1 {
			t.Errorf("%s: trash holds %v, want the busy file", name, left)
		}
	}
}

func TestBusyFileKeepsNoOtherFromRemoval(t *testing.T) {
	f, in, _ := open(t, "dir/b")
	if err := errors.Join(in.Mkdir("dir", 0o777), in.WriteFile("dir/a", nil, 0o666), in.WriteFile("dir/b", nil, 0o666), in.WriteFile("dir/c", nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	in.fixed["dir/b"] = true
	var busy *Error
	if err := f.RemoveAll("dir"); !errors.As(err, &busy) || busy.Path != "dir/b" {
		t.Errorf("error %v, want one about dir/b", err)
	}
	if left, err := in.ReadDir("dir"); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	delete(in.held, "dir/b")
	if err := f.RemoveAll("dir"); err != nil || content(in, "dir") != "none" {
		t.Errorf("error %v", err)
	}
}

func TestFileThatCannotBeMovedIsNamedAndStays(t *testing.T) {
	f, in, _ := open(t, "old")
	in.fixed["old"] = true
	for name, err := range map[string]error{"rename": f.Rename("new", "old"), "remove": f.Remove("old")} {
		var busy *Error
		if !errors.As(err, &busy) || busy.Path != "old" || !errors.Is(err, errBusy) {
			t.Errorf("%s: %v, want an Error about old", name, err)
		}
	}
	if content(in, "old") != "old" || content(in, "new") != "new" {
		t.Errorf("old holds %s, new %s", content(in, "old"), content(in, "new"))
	}
}

func TestBusyFileIsMovedBackIfNothingReplacesIt(t *testing.T) {
	f, in, _ := open(t, "old")
	in.fixed["new"] = true
	if err := f.Rename("new", "old"); !errors.Is(err, errBusy) {
		t.Errorf("error %v", err)
	}
	if content(in, "old") != "old" || content(in, "new") != "new" {
		t.Errorf("old holds %s, new %s", content(in, "old"), content(in, "new"))
	}
}

func TestDirectoryIsNeverMovedAside(t *testing.T) {
	f, in, _ := open(t, "dir")
	if err := in.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Rename("new", "dir"); err == nil {
		t.Error("the directory was replaced")
	}
	if err := f.Remove("dir"); err == nil {
		t.Error("the directory was removed")
	}
	if info, err := in.Lstat("dir"); err != nil || !info.IsDir() {
		t.Errorf("the directory is gone: %v", err)
	}
}

func TestManyBusyFilesPauseLessAndLess(t *testing.T) {
	f, _, waits := open(t, "old")
	f.Trash = ""
	for range 1000 {
		f.Remove("old")
	}
	var sum time.Duration
	for _, wait := range *waits {
		sum += wait
	}
	if sum > 3*time.Second {
		t.Errorf("1000 calls paused for %v", sum)
	}
}
