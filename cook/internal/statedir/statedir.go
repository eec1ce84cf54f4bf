// Package statedir finds the directory that holds the state of an output directory.
//
// The state is the directory OUT/.cook. If a web server may serve OUT unchanged, or if the project
// names another directory, called HOME here, the state is in HOME/.cook. In this case, two files
// connect the directories, each with a relative path, so that both directories can be moved
// together:
//
//	OUT/.cook            names HOME
//	HOME/.cook/outputs   names OUT
//
// Home uses the path in OUT/.cook only if both files agree, so a file from a cloned repository
// cannot redirect what cook writes.
package statedir

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

const (
	// Work is the directory in OUT for scratch files, if OUT/.cook is a file. It exists only
	// during a run.
	Work = ".cook-work"
	// Outputs is the file in HOME that names OUT.
	Outputs = manifest.StateDir + "/outputs"

	// beside is the name of the directory that holds the states of served directories. It is a
	// sibling of the served directory.
	beside = ".cook-state"
)

// Home returns the directory whose .cook is the state of out. That is out itself, unless the
// file out/.cook names another directory and a file there names out.
func Home(out string) string {
	real, err := filepath.EvalSymlinks(out)
	if err != nil {
		return out
	}
	if home := Named(real, manifest.StateDir); home != "" && isSameFile(Named(home, Outputs), real) {
		return home
	}
	return out
}

// Named returns the directory that a file in another directory names. It returns "" if the file
// is missing or damaged. The returned name contains no links.
func Named(dir, file string) string {
	f, err := regular.Open(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText))
	if err != nil {
		return ""
	}
	var path string
	if _, err := fmt.Sscanf(string(text), textFormat, &path); err != nil || !strings.HasSuffix(string(text), "\n") {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// Text returns the content of a file in dir that names another directory. Neither name may
// contain links. It fails if there is no relative path between the two directories.
func Text(dir, to string) ([]byte, error) {
	path, err := filepath.Rel(dir, to)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w; choose a directory on the same volume", to, err)
	}
	return fmt.Appendf(nil, textFormat, filepath.ToSlash(path)), nil
}

const (
	textFormat = "cook: %q\n"
	maxText    = 64 << 10
)

// served lists names of directories that are usually deployed unchanged.
var served = []string{"public", "static", "www", "dist", "htdocs", "site"}

// Served reports whether an output directory is likely to be served unchanged: it or a parent
// directory has the name of a served directory, or an index.html is beside it. A directory that
// contains the assets does not count. home is the directory for the state outside the served
// directory, or "" if there is none.
func Served(out, assets string) (home string, likely bool) {
	top := ""
	for at := out; filepath.Dir(at) != at && !holdsPath(at, assets); at = filepath.Dir(at) {
		if slices.Contains(served, strings.ToLower(filepath.Base(at))) {
			top = at
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(at), "index.html")); err == nil {
			likely = true
			if !holdsPath(filepath.Dir(at), assets) {
				top = filepath.Dir(at)
			}
		}
	}
	above := filepath.Dir(top)
	if top == "" || above == top {
		return "", likely || top != ""
	}
	rel, err := filepath.Rel(above, out)
	if err != nil {
		return "", true
	}
	return filepath.Join(above, beside, rel), true
}

// Prune removes the directory home if it is empty, and then the empty directories above it that
// Served chose.
func Prune(home string) {
	for dir := home; slices.Contains(strings.Split(dir, string(filepath.Separator)), beside); dir = filepath.Dir(dir) {
		if busyfile.Remove(dir) != nil {
			return
		}
	}
}

func holdsPath(dir, name string) bool {
	_, ok := pathname.Below(dir, name)
	return ok
}

func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil || a == "" {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
