package scan

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// Again lists some folders of root again, and all folders below them that
// known does not know. The result is about those folders only; put together
// with what is known of the others it is what [Dir] would give.
//
// dirs are folders that Dir or Again found earlier, by Path and Real. One that
// Dir would not find any more (it is gone, no folder, ignored, excluded, or its
// path leads to another place) is not in the result. One whose parent is among
// dirs too is found by listing the parent. The parents of the others are taken
// to be unchanged: they are not listed, only passed through, as are the folders
// above them, to see what each of the dirs is now and to read the .cookignore
// files again. If one of those cannot be read, it is a [Problem] as it would be
// for Dir, and what lies below it is missing.
//
// known is asked about every folder that is met in a folder that is listed and
// is not among dirs, with its Path and Real. True means that the caller looks
// after it: only those of dirs that lie below it are visited. So known must not
// answer for a folder below one whose .cookignore has changed. It is called by
// one goroutine at a time; nil knows nothing.
func Again(ctx context.Context, root string, opt Options, dirs []Folder, known func(f Folder) bool) (*Tree, error) {
	return again(ctx, root, opt, dirs, known, openFolder)
}

func again(ctx context.Context, root string, opt Options, dirs []Folder, known func(Folder) bool, open openFunc) (*Tree, error) {
	return walkRoot(ctx, root, opt, open, newErrand(dirs, known))
}

// errand says which folders a walk is for. A nil errand is for all of them.
type errand struct {
	listed map[place]bool      // to be listed in any case
	below  map[string][]string // path of a folder -> names in it that lead to those
	mu     sync.Mutex          // held while known runs
	known  func(Folder) bool
}

func newErrand(dirs []Folder, known func(Folder) bool) *errand {
	e := &errand{listed: map[place]bool{}, below: map[string][]string{}, known: known}
	led := map[string]bool{} // paths that below leads to
	for _, f := range dirs {
		if f.Path != "" && !isClean(f.Path) {
			continue // no walk found that one
		}
		e.listed[f.place()] = true
		for path := f.Path; path != "" && !led[path]; path = folderOf(path) {
			led[path] = true
			above := folderOf(path)
			e.below[above] = append(e.below[above], strings.TrimPrefix(path[len(above):], "/"))
		}
	}
	return e
}

// isClean reports whether a path is of the form that a walk gives. What the
// caller remembers may have been damaged since.
func isClean(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return strings.IndexByte(path, 0) < 0 && filepath.IsLocal(filepath.FromSlash(path))
}

// first gives the root's node, nil if the errand leads nowhere.
func (e *errand) first() *node {
	n := &node{real: "."}
	if e != nil && !e.listed[place{}] {
		if len(e.below) == 0 {
			return nil
		}
		n.passing = true
	}
	return n
}

// leads reports whether sub, which was met in n, is to be visited, and marks
// it if it is only to be passed through.
func (e *errand) leads(n, sub *node) bool {
	if e == nil || e.listed[sub.place()] {
		return true
	}
	if !n.passing && !e.knows(sub) {
		return true
	}
	sub.passing = true
	return len(e.below[sub.path]) > 0
}

func (e *errand) knows(n *node) bool {
	if e.known == nil {
		return false
	}
	p := n.place()
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known(Folder{Path: p.path, Real: p.real})
}
