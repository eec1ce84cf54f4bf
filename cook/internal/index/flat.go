package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A Role is the purpose of a file.
type Role uint8

const (
	Asset  Role = iota // a source file of an asset
	Other              // another input: a dependency, a program or the manifest
	Config             // a cook.toml file in the asset tree
	Ignore             // a .cookignore file in the asset tree
	Made               // an artifact in the output directory
	Absent             // a file that a recipe looked for and did not find
	ghost              // the path of a source that no longer exists but still has an action
)

// A File is a file of the asset tree: an asset or a dependency. A program or the manifest has an
// absolute path. A listing, a link or an extract is also stored as a File; see Index.Part.
type File struct {
	Path  string
	Role  Role
	Stamp scan.Stamp
	// Settled is set if Stamp was old enough to be trusted when it was read.
	Settled bool
	Sum     hashing.Sum128 // checksum by the function that Index.Checksum names
	Blob    store.BlobID
}

// A State is how an action ended.
type State uint8

const (
	Done State = iota
	Failed
)

// An Action is the last result of one asset for one target.
type Action struct {
	Path   string
	Target string
	State  State
	Warned bool // set if the recipe had warnings about the source; the store has their text
	Method Method
	ID     store.ActionID
	// Source is the content that was cooked. The file in the index may have a newer content, if an
	// interrupted run read the file without cooking it.
	Source store.BlobID
	// CookTime is how long the recipe took, here or on the machine that cooked the action.
	CookTime time.Duration
	// Decision describes the last run that did work for the action.
	Decision Decision
	Deps     []Dep
	Made     []Artifact
}

// A Decision has the outcome of an action, and the reasons why the action ran.
type Decision struct {
	At      time.Time
	Outcome string
	Why     string // the reasons, one per line
}

// A Dep is a dependency of an action, with the content that the action read.
type Dep struct {
	On   dependency.Dependency // path in the asset tree
	Name string                // path as the recipe wrote it
	Blob store.BlobID
	// Found is false if the recipe looked for the file and did not find it.
	Found bool
}

// Asked returns the dependency with the path as the recipe wrote it.
func (d *Dep) Asked() dependency.Dependency { return d.On.Named(d.Name) }

// seenKey returns the path of the node whose stamp shows whether the dependency has changed.
func (d *Dep) seenKey() string { return dependency.Encode(d.On.Seen()) }

// An Artifact is a file of the output directory.
type Artifact struct {
	Path    string
	Stamp   scan.Stamp
	Settled bool
	Sum     hashing.Sum128
	Blob    store.BlobID
	Role    string // use of an image's pixels, such as color or normals; "" for other files
}

// A Method is the fingerprint of a method that cooked sources. Sources share it, so it must not be
// changed.
type Method []Field

// A Field is one setting in a Method.
type Field struct{ Key, Value string }

// Totals are sums over actions.
type Totals struct {
	Actions  int
	Failed   int
	In       int64 // bytes of the sources of finished actions; a source counts once per target
	Out      int64 // bytes of the artifacts of finished actions
	CookTime time.Duration
}

// A flat is an open index file. It decodes rows in place. The zero value is an empty index.
type flat struct {
	data     []byte
	seals    []byte
	sealed   []atomic.Uint32    // bit set of the blocks that were checked
	intact   [sectionCount]bool // sections that were checked completely
	checksum string
	sections [sectionCount]section
	methods  methodTable
	facts    factsTable
	patches  map[int][]byte // new contents of nodes, from the changes file
	passed   func(n int)    // Index.Passed while the index is checked; otherwise nil
}

// A methodTable caches decoded methods of a flat index, because thousands of sources share a
// method.
type methodTable struct {
	once sync.Once
	all  []Method
}

func (t *methodTable) cachedMethod(x *flat, row int) Method {
	t.once.Do(func() {
		t.all = make([]Method, x.methodCount())
		for i := range t.all {
			t.all[i] = x.decodeMethod(i)
		}
	})
	return t.all[row]
}

// len returns the number of files.
func (t fileTable) len() int { return t.x.sections[secByPath].count }

// filePath returns the path of file i. Files are sorted by path.
func (t fileTable) filePath(i int) string { return t.x.nodes().nodePath(t.x.refAtRow(secByPath, i)) }

// decodeFileAt decodes file i.
func (t fileTable) decodeFileAt(i int) File {
	return t.x.nodes().decodeFileNode(t.x.refAtRow(secByPath, i))
}

func (t nodeTable) decodeFileNode(node int) File {
	p := t.probeNode(node)
	f := File{Path: t.nodePath(node), Role: p.Role, Stamp: p.Stamp, Settled: p.Settled}
	f.Sum, f.Blob = t.nodeContent(node)
	return f
}

// len returns the number of actions.
func (t actionTable) len() int { return t.x.sections[secActions].count }

// sourcePath returns the source path of action i.
func (t actionTable) sourcePath(i int) string { return t.x.nodes().nodePath(t.sourceNode(i)) }

// A decodedFacts has the facts that actions share. It must not be changed.
type decodedFacts struct {
	row      int
	target   string
	decision Decision
	method   Method
	state    State
	warned   bool
}

// A factsTable caches a few rows of decoded facts, because most actions share them.
type factsTable [16]atomic.Pointer[decodedFacts]

// factsOf returns the facts that action i shares with other actions.
func (t actionTable) factsOf(i int) *decodedFacts {
	row := int(binary.LittleEndian.Uint32(t.x.row(secActions, i)[actionSharedAt:]))
	cached := &t.x.facts[row%len(t.x.facts)]
	if f := cached.Load(); f != nil && f.row == row {
		return f
	}
	r, le := t.x.row(secShared, row), binary.LittleEndian
	flags := le.Uint32(r[sharedFlagsAt:])
	f := &decodedFacts{
		row:    row,
		target: string(t.x.stringAt(r[sharedTargetAt:])),
		decision: Decision{
			At:      time.Unix(0, int64(le.Uint64(r[sharedTimeAt:]))),
			Outcome: string(t.x.stringAt(r[sharedTargetAt+strSize:])),
			Why:     string(t.x.stringAt(r[sharedTargetAt+2*strSize:])),
		},
		method: t.x.methods.cachedMethod(t.x, int(le.Uint32(r[sharedMethodAt:]))),
		warned: flags&sharedWarned != 0,
	}
	if flags&sharedFailed != 0 {
		f.state = Failed
	}
	cached.Store(f)
	return f
}

func (t actionTable) sourceNode(i int) int {
	return int(binary.LittleEndian.Uint32(t.x.row(secActions, i)))
}

func (t actionTable) methodRow(i int) int {
	row := binary.LittleEndian.Uint32(t.x.row(secActions, i)[actionSharedAt:])
	return int(binary.LittleEndian.Uint32(t.x.row(secShared, int(row))[sharedMethodAt:]))
}

// decodeAction decodes action i.
func (t actionTable) decodeAction(i int) Action {
	a := t.decodeWithoutDeps(i)
	if first, n := t.depRange(i); n > 0 {
		a.Deps = make([]Dep, n)
		for k := range a.Deps {
			a.Deps[k] = t.x.deps().decodeDepAt(first + k)
		}
	}
	return a
}

// decodeWithoutDeps decodes all fields of action i except Deps.
func (t actionTable) decodeWithoutDeps(i int) Action {
	r, f := t.x.row(secActions, i), t.factsOf(i)
	a := Action{
		Path: t.x.nodes().nodePath(t.sourceNode(i)), Target: f.target, State: f.state, Method: f.method,
		CookTime: time.Duration(binary.LittleEndian.Uint64(r[actionCookTimeAt:])), Decision: f.decision, Warned: f.warned,
	}
	copy(a.ID[:], r[actionIDAt:])
	_, a.Source = t.x.contentAt(r[actionSourceAt:])
	firstMade, made := t.artifactRange(i)
	if made > 0 {
		a.Made = make([]Artifact, made)
	}
	for k := range a.Made {
		a.Made[k] = t.x.artifacts().decodeArtifact(firstMade + k)
	}
	return a
}

// artifactRange returns the first row and the number of the artifacts of action i.
func (t actionTable) artifactRange(i int) (first, n int) {
	return t.rangeAt(i, actionMadeAt, t.x.artifacts().len())
}

// depRange returns the first row and the number of the dependencies of action i.
func (t actionTable) depRange(i int) (first, n int) {
	return t.rangeAt(i, actionDepsAt, t.x.deps().len())
}

// rangeAt returns the range from the row that action i names to the row that the next action names,
// or to the end of the section.
func (t actionTable) rangeAt(i, at, end int) (first, n int) {
	r := t.x.sectionBytes(secActions, t.x.sections[secActions].offset+i*actionSize, min(2, t.len()-i)*actionSize)
	if len(r) > actionSize {
		end = int(binary.LittleEndian.Uint32(r[actionSize+at:]))
	}
	first = int(binary.LittleEndian.Uint32(r[at:]))
	return first, end - first
}

// len returns the number of artifacts.
func (t artifactTable) len() int { return t.x.sections[secMade].count }

// decodeArtifact decodes artifact i.
func (t artifactTable) decodeArtifact(i int) Artifact {
	f := t.x.nodes().decodeFileNode(t.x.refAtRow(secMade, i))
	return Artifact{Path: f.Path, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob, Role: string(t.x.stringAt(t.x.row(secMade, i)[madeRoleAt:]))}
}

// len returns the number of dependencies of all actions.
func (t depTable) len() int { return t.x.sections[secDeps].count }

func (t depTable) decodeDepAt(i int) Dep {
	r := t.x.row(secDeps, i)
	out, err := decodeDep(string(t.x.stringAt(r)), string(t.x.stringAt(r[strSize:])))
	if err != nil {
		panic(damage(err.Error()))
	}
	_, out.Blob = t.x.contentAt(r[depContentAt:])
	out.Found = binary.LittleEndian.Uint32(r[depFoundAt:]) != 0
	return out
}

// decodeDep decodes a dependency from the encodings of Dep.Asked (in name) and Dep.On (in key).
func decodeDep(name, key string) (Dep, error) {
	asked, err := dependency.Decode(name)
	on, err2 := dependency.Decode(key)
	if err := cmp.Or(err, err2); err != nil {
		return Dep{}, err
	}
	if asked.Kind == dependency.Presence && on.Kind == dependency.File {
		on.Kind = dependency.Presence
	}
	if on.Named(asked.Path) != asked {
		return Dep{}, fmt.Errorf("the dependency %.200q does not match its name %.200q", key, name)
	}
	return Dep{On: on, Name: asked.Path}, nil
}

// mustDecode decodes the path of a node. It panics if the path is damaged.
func mustDecode(path string) dependency.Dependency {
	on, err := dependency.Decode(path)
	if err != nil {
		panic(damage(err.Error()))
	}
	return on
}

// depPath returns the path of dependency i without copying it.
func (t depTable) depPath(i int) []byte { return t.x.stringAt(t.x.row(secDeps, i)[strSize:]) }

// methodCount returns the number of methods.
func (x *flat) methodCount() int { return x.sections[secMethods].count }

// decodeMethod decodes method i.
func (x *flat) decodeMethod(i int) Method {
	d := decoder{b: x.row(secMethods, i)}
	first, n := int(d.u64()), int(d.u64())
	m := make(Method, n)
	for k := range m {
		r := x.row(secFields, first+k)
		m[k] = Field{Key: string(x.stringAt(r)), Value: string(x.stringAt(r[strSize:]))}
	}
	return m
}

// findFileRow finds a file by its path.
func (t fileTable) findFileRow(path string) (i int, ok bool) {
	i = sort.Search(t.len(), func(i int) bool { return t.x.nodes().comparePath(t.x.refAtRow(secByPath, i), path) >= 0 })
	return i, i < t.len() && t.x.nodes().comparePath(t.x.refAtRow(secByPath, i), path) == 0
}

// findActionRow finds an action by source path and target.
func (t actionTable) findActionRow(path, target string) (i int, ok bool) {
	i = sort.Search(t.len(), func(i int) bool {
		c := t.x.nodes().comparePath(t.sourceNode(i), path)
		return c > 0 || c == 0 && t.factsOf(i).target >= target
	})
	return i, i < t.len() && t.x.nodes().comparePath(t.sourceNode(i), path) == 0 && t.factsOf(i).target == target
}

// findOutput returns the position of the first artifact with the given path, in the order of paths.
func (t artifactTable) findOutput(path string) (i int, ok bool) {
	n := t.x.sections[secByOutput].count
	node := func(i int) int { return t.x.refAtRow(secMade, t.x.refAtRow(secByOutput, i)) }
	i = sort.Search(n, func(i int) bool { return t.x.nodes().comparePath(node(i), path) >= 0 })
	return i, i < n && t.x.nodes().comparePath(node(i), path) == 0
}

// nodePath returns the whole path of a node: the path of its directory followed by its name.
func (t nodeTable) nodePath(node int) string {
	folder, name := t.folderAndName(node)
	var path [256]byte // usually large enough; does not escape to the heap
	return string(append(append(path[:0], folder...), name...))
}

// sizeOfNode returns the size in a node's stamp.
func (t nodeTable) sizeOfNode(node int) int64 {
	return int64(binary.LittleEndian.Uint64(t.x.row(secNodes, node)[nodeStampAt:]))
}

func (t nodeTable) folderAndName(node int) (folder, name []byte) {
	r := t.x.row(secNodes, node)
	f := t.x.row(secFolders, int(binary.LittleEndian.Uint32(r[nodeFolderAt:])))
	return withoutNUL(t.x.folders().folderName(f)), withoutNUL(t.nodeName(r))
}

// comparePath compares a node's path with path, without allocating.
func (t nodeTable) comparePath(node int, path string) int {
	folder, name := t.folderAndName(node)
	if len(path) < len(folder) {
		if c := compareNameTo(folder[:len(path)], path); c != 0 {
			return c
		}
		return 1
	}
	if c := compareNameTo(folder, path[:len(folder)]); c != 0 {
		return c
	}
	return compareNameTo(name, path[len(folder):])
}

// compareNodes compares two nodes by their paths.
func (t nodeTable) compareNodes(a, b int) int {
	fa, na := t.folderAndName(a)
	fb, nb := t.folderAndName(b)
	if bytes.Equal(fa, fb) {
		return bytes.Compare(na, nb)
	}
	for {
		if len(fa) == 0 {
			fa, na = na, nil
		}
		if len(fb) == 0 {
			fb, nb = nb, nil
		}
		n := min(len(fa), len(fb))
		if n == 0 {
			return len(fa) - len(fb)
		}
		if c := bytes.Compare(fa[:n], fb[:n]); c != 0 {
			return c
		}
		fa, fb = fa[n:], fb[n:]
	}
}

func compareNameTo(a []byte, b string) int {
	switch {
	case string(a) == b:
		return 0
	case string(a) < b:
		return -1
	}
	return 1
}

// Each of these tables decodes rows of a flat index in place.
type (
	folderTable   struct{ x *flat } // directories, sorted by tree and path
	nodeTable     struct{ x *flat } // nodes, grouped by directory
	fileTable     struct{ x *flat } // files among the nodes, sorted by path
	actionTable   struct{ x *flat } // actions, sorted by source and target
	depTable      struct{ x *flat } // dependencies, grouped by action
	artifactTable struct{ x *flat } // artifacts, grouped by action
)

func (x *flat) folders() folderTable     { return folderTable{x} }
func (x *flat) nodes() nodeTable         { return nodeTable{x} }
func (x *flat) files() fileTable         { return fileTable{x} }
func (x *flat) actions() actionTable     { return actionTable{x} }
func (x *flat) deps() depTable           { return depTable{x} }
func (x *flat) artifacts() artifactTable { return artifactTable{x} }

// A Tree is the root for the paths of directories.
type Tree uint8

const (
	Assets Tree = iota
	Out
	System // paths are absolute
	trees
)

// Flags of a directory's row, above the two bits of its tree.
const (
	folderTree   = 3
	folderListed = 1 << 2 // the scan listed the directory
	folderOdd    = 1 << 3 // an equal stamp does not prove an equal listing
	folderFresh  = 1 << 4 // the stamp was too fresh to be trusted
	folderDead   = 1 << 5 // the changes file deletes the directory
)

// A folderRow is a decoded directory.
type folderRow struct {
	Tree Tree
	// Path ends in a slash, and is empty for the tree's root. Real is Path with links resolved.
	Path, Real []byte // slices of the index, which must not be changed
	real       []byte // Real with a NUL at the end
	Stamp      scan.Stamp
	// Listed is set if the scan listed the directory, and the index has all files that it needs. Usable
	// is set if an unchanged stamp proves an unchanged listing.
	Listed, Usable bool
	Odd            bool // set if an equal stamp does not prove an equal listing
	Dead           bool
	First, Count   int // first node of the directory, and the number of its nodes
	End            int // row after the last subdirectory
}

// RealName returns Real with a final NUL, as system calls require.
func (f *folderRow) RealName() []byte { return f.real }

// len returns the number of directories.
func (t folderTable) len() int { return t.x.sections[secFolders].count }

// decodeFolder decodes directory i. Directories are sorted by tree and path, so the subdirectories of
// each follow it.
func (t folderTable) decodeFolder(i int) folderRow {
	le := binary.LittleEndian
	r := t.x.row(secFolders, i)
	flags := le.Uint32(r[folderFlagsAt:])
	real := t.folderName(r[folderRealAt:])
	return folderRow{
		Tree: Tree(flags & folderTree), Path: withoutNUL(t.folderName(r)), Real: real[:len(real)-1], real: real,
		Stamp:  decodeStamp(r[folderStampAt:]),
		Listed: flags&folderListed != 0,
		Usable: flags&(folderListed|folderOdd|folderFresh) == folderListed,
		Odd:    flags&folderOdd != 0,
		Dead:   flags&folderDead != 0,
		First:  int(le.Uint32(r[folderFirstAt:])), Count: int(le.Uint32(r[folderCountAt:])),
		End: int(le.Uint32(r[folderEndAt:])),
	}
}

// Flags of a node's row, above the three bits of its role, and below the length of its name.
const (
	nodeRole        = 7
	nodeSettled     = 1 << 3
	nodeDead        = 1 << 4 // the changes file deletes or replaces the node
	nodeLengthShift = 5
)

const (
	noAction  = 1<<32 - 1
	noContent = 1<<32 - 1 // the checksum and the blob ID are zero
)

// A Probe has the arguments of stat for a node, and the stamp of the last run.
type Probe struct {
	Name    []byte // name in the directory, with a NUL at the end; shares memory with the index
	Role    Role
	Stamp   scan.Stamp
	Settled bool
	Dead    bool
}

// Idle reports whether the node needs no stat.
func (p *Probe) Idle() bool { return p.Dead || p.Role == ghost }

// needsNoStat reports whether node i needs no stat.
func (t nodeTable) needsNoStat(i int) bool {
	flags := binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeFlagsAt:])
	return flags&nodeDead != 0 || Role(flags&nodeRole) == ghost
}

// Follow reports whether stat should follow links. Dependencies may be links to files, but sources
// and outputs must not be links.
func (p *Probe) Follow() bool { return p.Role == Other || p.Role == Absent }

// len returns the number of nodes.
func (t nodeTable) len() int { return t.x.sections[secNodes].count }

// probeNode decodes the part of node i that a stat needs.
func (t nodeTable) probeNode(i int) Probe {
	r := t.x.row(secNodes, i)
	flags := binary.LittleEndian.Uint32(r[nodeFlagsAt:])
	return Probe{
		Name: t.nodeName(r), Role: Role(flags & nodeRole), Stamp: decodeStamp(r[nodeStampAt:]),
		Settled: flags&nodeSettled != 0, Dead: flags&nodeDead != 0,
	}
}

// folderRowOf returns the directory of node i.
func (t nodeTable) folderRowOf(i int) int {
	return int(binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeFolderAt:]))
}

// actionOfNode returns the first action of a source, or the action that made an artifact.
func (t nodeTable) actionOfNode(i int) (action int, ok bool) {
	a := binary.LittleEndian.Uint32(t.x.row(secNodes, i)[nodeActionAt:])
	return int(a), a != noAction
}
