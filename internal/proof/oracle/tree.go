package oracle

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// A Tree maps slash-separated paths below a directory to their contents: the mode and bytes of a
// file, or the target of a symbolic link. The path of a directory ends in a slash.
type Tree map[string]string

// ReadTree reads the tree below dir. It omits .cook (the state, or a file with the state's
// location), .cook-work, and the tag files that cook writes to an empty directory.
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
		case rel == ".cook": // a file with the location of the state
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

// Diff returns the differences between got and the expected tree t, one path per line. It returns
// "" if the trees are equal.
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

// targetNames are the targets that scripts use. Their outputs are in directories with the same
// names; no source has such a name.
var targetNames = []string{"small", "big"}

// view returns the part of an output tree that belongs to some targets, without the
// manifest.
func view(t Tree, targets []string) Tree {
	part := Tree{}
	for name, content := range t {
		first, _, _ := strings.Cut(name, "/")
		if first != manifest.Name && first != manifest.PartsDir && inView(name, targets) {
			part[name] = content
		}
	}
	return part
}

func inView(name string, names []string) bool {
	first, _, _ := strings.Cut(name, "/")
	if !slices.Contains(targetNames, first) {
		first = ""
	}
	return slices.Contains(targets(names), first)
}

// targets returns the targets of a run. An empty list means the unnamed target. "all" means all
// targets that scripts declare. A target that is not declared has no outputs.
func targets(names []string) []string {
	if slices.Contains(names, "all") {
		return targetNames
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// sameBytes reports whether two files of a Tree have the same content, ignoring their modes.
func sameBytes(a, b string) bool {
	_, a, _ = strings.Cut(a, " ")
	_, b, _ = strings.Cut(b, " ")
	return a == b
}

// A listing holds the assets of a manifest, by source and target.
type listing map[string]listed

type listed manifest.Asset

func (l listed) key() string { return l.Source + " [" + l.Target + "]" }

func (l listed) text() string { return fmt.Sprint(l.Outputs) }

// of returns the part of a listing that belongs to the given targets. The result is a Tree, for
// comparison.
func (l listing) of(names []string) Tree {
	t := Tree{}
	for key, asset := range l {
		if slices.Contains(targets(names), asset.Target) {
			t[key] = asset.text()
		}
	}
	return t
}

func readListing(out string) (listing, error) {
	root, err := os.ReadFile(filepath.Join(out, manifest.Name))
	if err != nil {
		return nil, err
	}
	l := listing{}
	load := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(out, filepath.FromSlash(name))) }
	for a, err := range manifest.Read(root, load) {
		if err != nil {
			return nil, err
		}
		l[listed(a).key()] = listed(a)
	}
	return l, nil
}
