package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/manifest"
)

// targetNames are the targets that scripts use. Their outputs are in directories of the same
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

// targets returns the targets of a run. An empty list means the unnamed target, and all means the
// targets that scripts declare; a target that is not declared has no outputs.
func targets(names []string) []string {
	if slices.Contains(names, "all") {
		return targetNames
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// sameBytes compares two files of a Tree, ignoring their modes.
func sameBytes(a, b string) bool {
	_, a, _ = strings.Cut(a, " ")
	_, b, _ = strings.Cut(b, " ")
	return a == b
}

// A listing contains the assets of a manifest, by source and target.
type listing map[string]listed

type listed manifest.Asset

func (l listed) key() string { return l.Source + " [" + l.Target + "]" }

func (l listed) text() string { return fmt.Sprint(l.Outputs) }

// of returns the part of a listing that belongs to some targets, as a Tree to compare.
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
