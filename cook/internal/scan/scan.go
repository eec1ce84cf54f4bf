package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/internal/pathname"
)

const (
	// ConfigName is the name of the files listed in [Tree.Configs].
	ConfigName = "cook.toml"
	// IgnoreName is the name of the files that say what is left out.
	IgnoreName = ".cookignore"
	// IDsName is the name of the file in the root that says which assets were renamed.
	IDsName = "assets.ids"
)

// Entry is one asset.
type Entry struct {
	Path  string // slash separated, relative to the root, any bytes but NUL
	Stamp Stamp  // of the target where Path is a link
}

// Options says what to leave out and how hard to work. The zero value walks
// everything with one worker per processor.
type Options struct {
	Exclude []string // folders left out: output, store. They need not exist.
	Workers int      // 0 or less = GOMAXPROCS
	// ListAll makes every folder Odd, as where folders keep no times.
	ListAll bool
	// Wanted are extensions that Defaults does not leave out, in lower case with their dots.
	Wanted []string
}

// Tree is what [Dir] or [Again] found.
type Tree struct {
	Entries  []Entry   // assets, sorted by the bytes of Path
	Configs  []Entry   // cook.toml files, sorted by their folder's path: parents come first
	Ignores  []Entry   // .cookignore files that were read, with stamps from before that; sorted as Configs
	Problems []Problem // sorted by Path, then Kind
	Folders  []Folder  // those that were visited, in the order of CompareFolders
	LeftOut  []Entry   // files and folders that [Defaults] left out of listed folders, in the order of Folders

	Listed int64 // folders that were listed to the end
	Stats  int64 // names that were asked for their stamps; resolving links is not counted
}

// Dir walks root, which may itself be a link. What cannot be read below it is
// a [Problem] in the tree; the error is for a root that cannot be listed or
// that lies inside an excluded folder (an empty answer would look as if every
// asset had gone), and for the end of ctx.
func Dir(ctx context.Context, root string, opt Options) (*Tree, error) {
	return dir(ctx, root, opt, openFolder)
}

func dir(ctx context.Context, root string, opt Options, open openFunc) (*Tree, error) {
	return walkRoot(ctx, root, opt, open, nil)
}

// walkRoot walks root for an errand, nil for the whole tree.
func walkRoot(ctx context.Context, root string, opt Options, open openFunc, e *errand) (*Tree, error) {
	fail := func(err error) (*Tree, error) {
		return nil, fmt.Errorf("scan %s: %w", pathname.Show(root), cause(err))
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	real, info, err := realFolder(root)
	if err != nil {
		return fail(err)
	}
	exclude, err := newExclusions(real, info, opt.Exclude)
	if err != nil {
		return fail(err)
	}
	top, err := os.OpenRoot(real)
	if err != nil {
		return fail(err)
	}
	defer top.Close()

	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	w := newWalker(ctx, resolver{root: top, real: real, exclude: exclude}, open)
	w.listAll = opt.ListAll
	w.errand = e
	first, err := w.walk(workers, defaultList(opt.Wanted))
	if err != nil {
		return fail(err)
	}
	return gather(first), nil
}

// realFolder gives the absolute path of a folder with every link resolved.
func realFolder(name string) (string, fs.FileInfo, error) {
	if name == "" {
		return "", nil, errors.New("empty folder name")
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", nil, err
	}
	if !info.IsDir() {
		return "", nil, syscall.ENOTDIR
	}
	return real, info, nil
}

// Incomplete reports whether the absence of path from Entries proves nothing,
// because path is or lies under something that could not be read. An output
// must not be removed on the strength of such an absence.
func (t *Tree) Incomplete(path string) bool {
	if len(t.Problems) == 0 {
		return false
	}
	if t.has(IgnoreName, BadIgnore) || t.has(path, Unreadable) {
		return true
	}
	for end := strings.LastIndexByte(path, '/'); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if t.has(path[:end], Unreadable) || t.has(path[:end]+"/"+IgnoreName, BadIgnore) {
			return true
		}
	}
	return false
}

func (t *Tree) has(path string, kind Kind) bool {
	i := sort.Search(len(t.Problems), func(i int) bool { return t.Problems[i].Path >= path })
	for ; i < len(t.Problems) && t.Problems[i].Path == path; i++ {
		if t.Problems[i].Kind == kind {
			return true
		}
	}
	return false
}
