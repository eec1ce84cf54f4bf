package scan

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/dirfd"
	"github.com/assetcook/assetcook/internal/pathname"
)

// chunk is how many names or entries are processed between two checks of the context.
const chunk = 1024

var errTooLong = errors.New("path is longer than the system can open; shorten it")

// visitor is the state of a worker, with buffers that are reused.
type visitor struct {
	walker *walker
	names  []string
	path   []byte
	sizes  []int // length of the name of each entry
	dir    knownFiles
}

// knownFiles tells which files of a directory the caller of the walk knows.
type knownFiles struct {
	known   func(name string) bool // nil if the walk must look at every file
	special map[string]bool        // names that may not be regular files
	buf     []byte                 // buffer for the listing
}

// A typedFolder is a directory whose listing has the types of files.
type typedFolder interface {
	folder
	// appendNames appends the names in the directory. It sets special[name] for each name that may
	// not be a regular file.
	appendNames(names []string, special map[string]bool, buf []byte) ([]string, error)
}

// visit lists a directory and fills in its node. An error is about the directory as a whole.
func (v *visitor) visit(n *node) error {
	f, err := v.walker.open(v.walker.tree.root, filepath.FromSlash(n.real))
	if err != nil {
		return err
	}
	defer f.Close()
	if n.passing {
		return v.visitPassing(f, n)
	}
	// Take the stamp before the listing, so that a name that appears meanwhile changes it.
	if n.findings.stamp, err = f.stat(); err != nil {
		return err
	}
	v.dir.known = nil
	if v.walker.opt.Known != nil && !n.linked {
		v.dir.known = v.walker.opt.Known(n.path)
	}
	n.findings.odd = v.walker.opt.ListAll || !v.walker.devices.trustsDevice(f, n.findings.stamp.Device)
	if err := v.listNames(f); err != nil {
		return err
	}
	n.findings.listed = true
	if v.isCache(n) {
		return nil
	}
	if _, found := slices.BinarySearch(v.names, IgnoreName); found {
		if !v.addIgnoreRules(f, n) {
			return nil
		}
		n.findings.odd = n.findings.odd || len(n.findings.ignores) == 0 // the .cookignore has disappeared
	}
	if err := v.checkEntries(f, n, v.names); err != nil {
		return err
	}
	v.settleEntries(n)
	return nil
}

// visitPassing checks only the entries of n on the way to a directory of the errand.
func (v *visitor) visitPassing(f folder, n *node) error {
	if v.addIgnoreRules(f, n) {
		if err := v.checkEntries(f, n, v.walker.errand.below[n.path]); err != nil {
			return err
		}
	}
	v.settleEntries(n)
	n.findings.entries, n.findings.configs, n.findings.ignores, n.findings.leftOut = nil, nil, nil, nil
	return nil
}

// checkEntries checks the names of a directory one by one.
func (v *visitor) checkEntries(f folder, n *node, names []string) error {
	v.sizes = v.sizes[:0]
	for i, name := range names {
		if i%chunk == chunk-1 && v.walker.ctx.Err() != nil {
			return v.walker.ctx.Err()
		}
		v.checkEntry(f, n, name)
	}
	return nil
}

// recordFailure records that a directory could not be read, or that it has disappeared.
func (v *visitor) recordFailure(n *node, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		n.findings.gone = true
		return
	}
	n.findings.problems = append(n.findings.problems, Problem{n.path, Unreadable, err})
}

// listNames reads and sorts the names in a directory. It returns an error if the listing is
// incomplete, because the missing files would seem to be removed.
func (v *visitor) listNames(f folder) error {
	clear(v.names)
	v.names = v.names[:0]
	if typed, ok := f.(typedFolder); ok && v.dir.known != nil {
		return v.listTyped(typed)
	}
	v.dir.known = nil
	for {
		names, err := f.Readdirnames(chunk)
		v.names = append(v.names, names...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := v.walker.ctx.Err(); err != nil {
			return err
		}
	}
	v.sortNames()
	return nil
}

// listTyped is like listNames, and finds the names that may not be regular files.
func (v *visitor) listTyped(f typedFolder) (err error) {
	if v.dir.special == nil {
		v.dir.special, v.dir.buf = map[string]bool{}, make([]byte, 32<<10)
	}
	clear(v.dir.special)
	v.names, err = f.appendNames(v.names, v.dir.special, v.dir.buf)
	v.sortNames()
	return cmp.Or(err, v.walker.ctx.Err())
}

func (v *visitor) sortNames() {
	slices.Sort(v.names)
	// If a directory changes while it is read, it may return a name twice.
	v.names = slices.Compact(v.names)
}

var errNoName = errors.New("the name is a device on Windows, or loses its last character there; rename the file")

// checkEntry checks a name in a directory and adds it to n.
func (v *visitor) checkEntry(f folder, n *node, name string) {
	asFile, asFolder := junkFile(name), junkFolder(name)
	if name == IgnoreName || asFile && asFolder || !asFile && v.leavesOut(n, name) {
		return
	}
	n.findings.stats++
	st, err := f.lstat(name)
	if err != nil {
		n.findings.odd = true
		if !dirfd.IsName(name) {
			err = errNoName
		}
		if !pathname.IsAbsent(err) && !asFile && !asFolder {
			n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, name), Unreadable, err})
		}
		return
	}
	switch mode := st.mode(); {
	case mode&fs.ModeSymlink != 0:
		if !asFile && !asFolder {
			v.addLink(n, name)
		}
	case mode.IsDir():
		if !asFolder {
			v.addSubfolder(n, name, st)
		}
	case asFile:
	case mode.IsRegular():
		v.addAsset(n, name, st)
	default:
		if !v.ignored(n, name, st) {
			n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, name), Irregular, typeError(mode)})
		}
	}
}

// leavesOut reports whether a name is an asset that the caller of the walk knows.
func (v *visitor) leavesOut(n *node, name string) bool {
	if v.dir.known == nil || v.dir.special[name] || name == ConfigName || name == IDsName || len(n.path)+1+len(name) > v.walker.room {
		return false
	}
	if p := v.decidingPattern(n, name, false); p != nil && !p.negate {
		return false
	}
	return v.dir.known(name)
}

func (v *visitor) addAsset(n *node, name string, st Stamp) {
	isIDs := name == IDsName && n.path == ""
	if name != ConfigName && !isIDs && v.ignored(n, name, st) {
		return
	}
	if v.tooLong(n, name) {
		return
	}
	if isIDs {
		n.findings.ignores = append(n.findings.ignores, Entry{name, st})
		return
	}
	if name == ConfigName {
		n.findings.configs = append(n.findings.configs, Entry{joinPath(n.path, name), st})
		return
	}
	n.findings.entries = append(n.findings.entries, Entry{name, st}) // incomplete: settleEntries prepends the directory
	v.sizes = append(v.sizes, len(name))
}

func (v *visitor) addSubfolder(n *node, name string, st Stamp) {
	real := joinReal(n.real, name)
	if v.walker.tree.exclude.isNamed(real) {
		return
	}
	stat := func() (fs.FileInfo, error) { return v.walker.tree.root.Lstat(filepath.FromSlash(real)) }
	if v.walker.tree.exclude.isExcludedFolder(st, stat) {
		n.findings.odd = true // a mount does not change the stamp of n
		return
	}
	if v.ignored(n, name, st) || v.tooLong(n, name) {
		return
	}
	path := real
	if n.linked {
		path = joinPath(n.path, name)
	}
	v.enqueueFolder(n, &node{path: path, real: real, linked: n.linked, ignore: n.ignore})
}

// enqueueFolder adds sub to the directories to visit, if the errand includes it.
func (v *visitor) enqueueFolder(n, sub *node) {
	if v.walker.errand.leadsInto(n, sub) {
		n.findings.subs = append(n.findings.subs, sub)
	}
}

func (v *visitor) addLink(n *node, name string) {
	real := joinReal(n.real, name)
	if v.walker.tree.exclude.isNamed(real) {
		return
	}
	n.findings.odd = true // a change of the target does not change the stamp of n
	t, kind, err := v.walker.tree.resolveLink(real)
	if t.skip {
		return
	}
	isFolder := kind == 0 && t.stamp.mode().IsDir()
	if kind == 0 && !isFolder {
		v.addAsset(n, name, t.stamp)
		return
	}
	if kind != 0 {
		t.stamp = Stamp{}
	}
	if v.ignored(n, name, t.stamp) || v.tooLong(n, name) {
		return
	}
	if isFolder {
		switch {
		case isAtOrBelow(t.path, n.real):
			kind = Loop
		case n.linked:
			kind = Nested
		default:
			v.enqueueFolder(n, &node{path: joinPath(n.path, name), real: t.path, linked: true, ignore: n.ignore})
			return
		}
	}
	n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, name), kind, err})
}

// decidingPattern returns the pattern that decides whether a name is ignored, or nil.
func (v *visitor) decidingPattern(n *node, name string, isFolder bool) *pattern {
	v.path = append(v.path[:0], n.path...)
	if n.path != "" {
		v.path = append(v.path, '/')
	}
	at := len(v.path)
	v.path = append(v.path, name...)
	return n.ignore.deciding(v.path, at, isFolder)
}

// ignored reports whether a name is ignored. It records names that Defaults excludes.
func (v *visitor) ignored(n *node, name string, st Stamp) bool {
	p := v.decidingPattern(n, name, st.IsFolder())
	if p == nil || p.negate {
		return false
	}
	if p.fits != nil && st.mode().IsRegular() {
		if head, err := v.readHead(n, name); err == nil && !p.fits(head) {
			return false
		}
		n.findings.ignores = append(n.findings.ignores, Entry{joinPath(n.path, name), st})
	}
	if p.builtIn {
		n.findings.leftOut = append(n.findings.leftOut, Entry{joinPath(n.path, name), st})
		if p.secret && !st.IsFolder() {
			n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, name), Secret, errors.New(lineText([]byte(Defaults), p.line))})
		}
	}
	return true
}

// readHead reads the beginning of a file, which determines whether the file is an asset.
func (v *visitor) readHead(n *node, name string) ([]byte, error) {
	f, err := v.walker.tree.root.OpenFile(filepath.FromSlash(joinReal(n.real, name)), openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, sharedHead))
}

func (v *visitor) tooLong(n *node, name string) bool {
	if len(n.path)+1+len(name) <= v.walker.room {
		return false
	}
	n.findings.problems = append(n.findings.problems, Problem{joinPath(n.path, name), Unreadable, errTooLong})
	return true
}

// settleEntries turns the names in n.findings.entries into paths, which share one string. It also
// sorts the subdirectories in the order of the tree.
func (v *visitor) settleEntries(n *node) {
	slices.SortFunc(n.findings.subs, func(a, b *node) int { return CompareFolders(a.path, b.path) })
	if n.path == "" || len(n.findings.entries) == 0 {
		return
	}
	total := 0
	for _, size := range v.sizes {
		total += len(n.path) + 1 + size
	}
	var all strings.Builder
	all.Grow(total)
	for i := range n.findings.entries {
		all.WriteString(n.path)
		all.WriteByte('/')
		all.WriteString(n.findings.entries[i].Path)
	}
	rest := all.String()
	for i, size := range v.sizes {
		end := len(n.path) + 1 + size
		n.findings.entries[i].Path, rest = rest[:end], rest[end:]
	}
}

func joinPath(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func joinReal(folder, name string) string {
	if folder == "." {
		return name
	}
	return folder + "/" + name
}
