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
	// IgnoreName is the name of the files that list what to leave out.
	IgnoreName = ".cookignore"
	// IDsName is the name of the file in the root that records renamed assets.
	IDsName = "assets.ids"
)

// Entry is one asset.
type Entry struct {
	Path  string // slash separated, relative to the root, any bytes but NUL
	Stamp Stamp  // of the target if Path is a link
}

// Options says what to leave out and how many workers to use. The zero value walks everything
// with one worker per processor.
type Options struct {
	Exclude []string // directories to skip: output, store; they need not exist
	Workers int      // 0 or less = GOMAXPROCS
	// ListAll makes every directory Odd, as on file systems without directory times.
	ListAll bool
	// Wanted are extensions that Defaults does not exclude, in lower case with their dots.
	Wanted []string
}

// Tree is the result of [Dir] or [Again].
type Tree struct {
	Entries  []Entry   // assets, sorted by the bytes of Path
	Configs  []Entry   // cook.toml files, sorted by directory: parents first
	Ignores  []Entry   // .cookignore files with stamps from before reading; sorted as Configs
	Problems []Problem // sorted by Path, then Kind
	Folders  []Folder  // the visited directories, in the order of CompareFolders
	LeftOut  []Entry   // files and directories that [Defaults] excluded, in the order of Directories

	Listed int64 // directories that were listed completely
	Stats  int64 // lstat calls, without those for links
}

// Dir walks root, which may itself be a link. Anything unreadable below root is a [Problem] in
// the tree. Dir returns an error if root cannot be listed, if ctx ends, or if root is inside an
// excluded directory, because an empty tree would look as if all assets were removed.
func Dir(ctx context.Context, root string, opt Options) (*Tree, error) {
	return scanDir(ctx, root, opt, openFolder)
}

func scanDir(ctx context.Context, root string, opt Options, open openFunc) (*Tree, error) {
	return walkRoot(ctx, root, opt, open, nil)
}

// walkRoot walks root for an errand, nil for the whole tree.
func walkRoot(ctx context.Context, root string, opt Options, open openFunc, e *errand) (*Tree, error) {
	fail := func(err error) (*Tree, error) {
		return nil, fmt.Errorf("scan %s: %w", pathname.Show(root), plainCause(err))
	}
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	real, info, err := resolveRoot(root)
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
	first, err := w.walkTree(workers, defaultList(opt.Wanted))
	if err != nil {
		return fail(err)
	}
	return gatherTree(first), nil
}

// resolveRoot returns the absolute path of a directory with all links resolved.
func resolveRoot(name string) (string, fs.FileInfo, error) {
	if name == "" {
		return "", nil, errors.New("empty directory name")
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

// Incomplete reports whether path may exist although it is not in Entries, because path or a
// directory above it could not be read. An output of such a path must not be removed.
func (t *Tree) Incomplete(path string) bool {
	if len(t.Problems) == 0 {
		return false
	}
	if t.hasProblem(IgnoreName, BadIgnore) || t.hasProblem(path, Unreadable) {
		return true
	}
	for end := strings.LastIndexByte(path, '/'); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		if t.hasProblem(path[:end], Unreadable) || t.hasProblem(path[:end]+"/"+IgnoreName, BadIgnore) {
			return true
		}
	}
	return false
}

func (t *Tree) hasProblem(path string, kind Kind) bool {
	i := sort.Search(len(t.Problems), func(i int) bool { return t.Problems[i].Path >= path })
	for ; i < len(t.Problems) && t.Problems[i].Path == path; i++ {
		if t.Problems[i].Kind == kind {
			return true
		}
	}
	return false
}
