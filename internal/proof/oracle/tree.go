package oracle

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Tree maps slash-separated paths below a directory to their contents: the mode and bytes of a
// file, or the target of a symbolic link. The path of a directory ends in a slash.
type Tree map[string]string

// ReadTree reads the tree below dir, without .cook (the state, or a file with its location),
// .cook-work, and the tag files that cook writes into a directory that it found empty.
func ReadTree(dir string) (Tree, error) {
	t := Tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case rel == ".":
			return nil
		case (rel == ".cook" || rel == ".cook-work") && d.IsDir():
			return fs.SkipDir
		case rel == ".cook": // file with the location of the state
			return nil
		case rel == "CACHEDIR.TAG", rel == ".gitignore":
			return nil
		case d.IsDir():
			t[rel+"/"] = ""
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			t[rel] = "link to " + to
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			t[rel] = info.Mode().String()
			return nil
		}
		data, err := os.ReadFile(name)
		t[rel] = info.Mode().String() + " " + string(data)
		return err
	})
	return t, err
}

// Diff returns the differences between got and t, one path per line; "" if there are none.
func (t Tree) Diff(got Tree) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if have, ok := got[name]; !ok {
			lines = append(lines, "missing "+name)
		} else if have != t[name] {
			lines = append(lines, fmt.Sprintf("%s differs: %.80q, want %.80q", name, have, t[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := t[name]; !ok {
			lines = append(lines, "superfluous "+name)
		}
	}
	return strings.Join(lines, "\n")
}

// key returns a string that identifies the tree.
func (t Tree) key() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&b, "%q %q\n", name, t[name])
	}
	return b.String()
}
