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

// A Role says how the cooker uses a file.
type Role uint8

const (
	Asset  Role = iota // a source
	Other              // another input: dependency, program, manifest
	Config             // a cook.toml of the tree
	Ignore             // a .cookignore of the tree
	Made               // an artifact
	Absent             // a recipe looked for it and did not find it
	ghost              // only names the source of an action
)

// A File is one file of the asset tree: an asset or a dependency. Files elsewhere (programs, the
// manifest) have absolute paths. A listing, a link or an extract is also stored as a File; see
// Index.Part.
type File struct {
	Path  string
	Role  Role
	Stamp scan.Stamp
	// Settled says that Stamp was old enough to be trusted when it was taken.
	Settled bool
	Sum     hashing.Sum128 // by the function Index.Checksum
	Blob    store.BlobID
}

// A State says how an action ended.
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
	Method Method
	ID     store.ActionID
	// Source is the content that was cooked. It may differ from the file's row, because an
	// interrupted run has seen more files than it has cooked.
	Source store.BlobID
	// CookTime is how long the recipe last took, here or on the machine that filled the store.
	CookTime time.Duration
	// Decision describes the last run that did work for the action.
	Decision Decision
	// Warned says that the recipe had warnings about the source. The store has their text.
	Warned bool
	Deps   []Dep
	Made   []Artifact
}

// A Decision records the outcome of an action and its reasons.
type Decision struct {
	At      time.Time
	Outcome string
	Why     string // the reasons, one per line
}

// A Dep is a dependency of an action, with the content that the action read.
type Dep struct {
	On   dependency.Dependency // in the asset tree
	Name string                // its path as the recipe wrote it
	Blob store.BlobID
	// Found is false if the recipe looked for the file and did not find it.
	Found bool
}

// Asked returns the dependency with the path that the recipe used.
func (d *Dep) Asked() dependency.Dependency { return d.On.Named(d.Name) }

// key returns the path of the node whose stamp shows whether the dependency has changed.
func (d *Dep) key() string { return dependency.Encode(d.On.Seen()) }

// An Artifact is a file of the output directory.
type Artifact struct {
	Path    string
	Stamp   scan.Stamp
	Settled bool
	Sum     hashing.Sum128
	Blob    store.BlobID
}

// A Method lists the fields of the fingerprint under which sources were cooked. It is shared and
// must not be changed.
type Method []Field

// A Field is one setting of a Method.
type Field struct{ Key, Value string }

// Totals are sums over actions.
type Totals struct {
	Actions  int
	Failed   int
	In       int64 // source bytes of finished actions, counted per target
	Out      int64 // bytes of their artifacts
	CookTime time.Duration
}

// A flat is one opened file of columns. The zero value is empty.
type flat struct {
	data     []byte
	seals    []byte             // one per block
	sealed   []atomic.Uint32    // bit set of blocks already checked
	intact   [sectionCount]bool // fully checked sections; set before concurrent reads
	checksum string
	sections [sectionCount]section
	methods  methodTable
}

// A methodTable caches the methods of a flat index. It decodes them on first use, because
// thousands of sources share one method.
type methodTable struct {
	once sync.Once
	all  []Method
}

func (t *methodTable) of(x *flat, row int) Method {
	t.once.Do(func() {
		t.all = make([]Method, x.Methods())
		for i := range t.all {
			t.all[i] = x.Method(i)
		}
	})
	return t.all[row]
}

// Checksum names the function of all checksums in the index.
func (x *flat) Checksum() string { return x.checksum }

// Bytes returns the file's bytes. The caller must not change them.
func (x *flat) Bytes() []byte { return x.data }

// Files returns the number of files.
func (x *flat) Files() int { return x.sections[secByPath].count }

// FilePath returns the path of file i. Files are sorted by path.
func (x *flat) FilePath(i int) string { return x.nodePath(x.ref(secByPath, i)) }

// File decodes file i.
func (x *flat) File(i int) File { return x.file(x.ref(secByPath, i)) }

func (x *flat) file(node int) File {
	p := x.Probe(node)
	f := File{Path: x.nodePath(node), Role: p.Role, Stamp: p.Stamp, Settled: p.Settled}
	f.Sum, f.Blob = x.content(node)
	return f
}

// Actions returns the number of actions.
func (x *flat) Actions() int { return x.sections[secActions].count }

// ActionPath returns the source path of action i.
func (x *flat) ActionPath(i int) string { return x.nodePath(x.actionSource(i)) }

// ActionTarget returns the target of action i in place.
func (x *flat) ActionTarget(i int) []byte { return x.str(x.row(secActions, i)[actionTargetAt:]) }

// ActionState returns how action i ended.
func (x *flat) ActionState(i int) State {
	return State(binary.LittleEndian.Uint32(x.row(secActions, i)[actionStateAt:]))
}

func (x *flat) actionSource(i int) int {
	return int(binary.LittleEndian.Uint32(x.row(secActions, i)))
}

func (x *flat) actionMethod(i int) int {
	return int(binary.LittleEndian.Uint32(x.row(secActions, i)[actionMethodAt:]))
}

// Action decodes action i.
func (x *flat) Action(i int) Action {
	d := decoder{b: x.row(secActions, i)}
	a := Action{Path: x.nodePath(int(d.u32()))}
	a.State = State(d.u32())
	a.Method = x.methods.of(x, int(d.u32()))
	deps := int(d.u32())
	made := int(d.u32())
	a.Warned = d.u32()&actionWarned != 0
	firstDep, firstMade := int(d.u32()), int(d.u32())
	a.Target = string(x.str(d.take(strSize)))
	a.Decision.Outcome = string(x.str(d.take(strSize)))
	a.Decision.Why = string(x.str(d.take(strSize)))
	copy(a.ID[:], d.take(32))
	copy(a.Source[:], d.take(32))
	a.CookTime = time.Duration(d.u64())
	a.Decision.At = time.Unix(0, int64(d.u64()))
	if deps > 0 {
		a.Deps = make([]Dep, deps)
	}
	for k := range a.Deps {
		a.Deps[k] = x.dep(firstDep + k)
	}
	if made > 0 {
		a.Made = make([]Artifact, made)
	}
	for k := range a.Made {
		a.Made[k] = x.Artifact(firstMade + k)
	}
	return a
}

// ActionArtifacts returns the rows of the artifacts of action i: the first and their number.
func (x *flat) ActionArtifacts(i int) (first, n int) {
	r := x.row(secActions, i)
	return int(binary.LittleEndian.Uint32(r[actionMadeAt:])), int(binary.LittleEndian.Uint32(r[actionMadeCountAt:]))
}

func (x *flat) actionDeps(i int) (first, n int) {
	r := x.row(secActions, i)
	return int(binary.LittleEndian.Uint32(r[actionDepsAt:])), int(binary.LittleEndian.Uint32(r[actionDepsCountAt:]))
}

// Artifacts returns the number of artifacts.
func (x *flat) Artifacts() int { return x.sections[secMade].count }

// Artifact decodes artifact i.
func (x *flat) Artifact(i int) Artifact {
	f := x.file(x.ref(secMade, i))
	return Artifact{Path: f.Path, Stamp: f.Stamp, Settled: f.Settled, Sum: f.Sum, Blob: f.Blob}
}

// ArtifactPath returns the path of artifact i.
func (x *flat) ArtifactPath(i int) string { return x.nodePath(x.ref(secMade, i)) }

// Deps returns the number of dependencies of all actions.
func (x *flat) Deps() int { return x.sections[secDeps].count }

func (x *flat) dep(i int) Dep {
	d := decoder{b: x.row(secDeps, i)}
	out, err := decodeDep(string(x.str(d.take(strSize))), string(x.str(d.take(strSize))))
	if err != nil {
		panic(damage(err.Error()))
	}
	copy(out.Blob[:], d.take(32))
	out.Found = d.u32() != 0
	return out
}

// decodeDep decodes the encoded Asked and key of a Dep.
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
		return Dep{}, fmt.Errorf("%.200q is asked for as %.200q", key, name)
	}
	return Dep{On: on, Name: asked.Path}, nil
}

// mustDecode decodes the path of a node and panics if it is damaged.
func mustDecode(path string) dependency.Dependency {
	on, err := dependency.Decode(path)
	if err != nil {
		panic(damage(err.Error()))
	}
	return on
}

// depPath returns the path of dependency i in place.
func (x *flat) depPath(i int) []byte { return x.str(x.row(secDeps, i)[strSize:]) }

// Methods returns the number of methods.
func (x *flat) Methods() int { return x.sections[secMethods].count }

// Method decodes method i.
func (x *flat) Method(i int) Method {
	d := decoder{b: x.row(secMethods, i)}
	first, n := int(d.u64()), int(d.u64())
	m := make(Method, n)
	for k := range m {
		r := x.row(secFields, first+k)
		m[k] = Field{Key: string(x.str(r)), Value: string(x.str(r[strSize:]))}
	}
	return m
}

// FindFile finds a file by its path.
func (x *flat) FindFile(path string) (i int, ok bool) {
	i = sort.Search(x.Files(), func(i int) bool { return x.comparePath(x.ref(secByPath, i), path) >= 0 })
	return i, i < x.Files() && x.comparePath(x.ref(secByPath, i), path) == 0
}

// FindAction finds an action by source path and target.
func (x *flat) FindAction(path, target string) (i int, ok bool) {
	i = sort.Search(x.Actions(), func(i int) bool {
		c := x.comparePath(x.actionSource(i), path)
		return c > 0 || c == 0 && string(x.ActionTarget(i)) >= target
	})
	return i, i < x.Actions() && x.comparePath(x.actionSource(i), path) == 0 && string(x.ActionTarget(i)) == target
}

// findOutput finds the first artifact with a path in the order by path.
func (x *flat) findOutput(path string) (i int, ok bool) {
	n := x.sections[secByOutput].count
	node := func(i int) int { return x.ref(secMade, x.ref(secByOutput, i)) }
	i = sort.Search(n, func(i int) bool { return x.comparePath(node(i), path) >= 0 })
	return i, i < n && x.comparePath(node(i), path) == 0
}

// Match walks entries and the files of the index side by side; both are sorted by path. It calls
// visit for each pair. An entry without a file has row -1; a file without an entry has entry -1.
func (x *flat) Match(entries []scan.Entry, visit func(entry, row int)) {
	e, r := 0, 0
	for e < len(entries) || r < x.Files() {
		c := 0
		switch {
		case e == len(entries):
			c = 1
		case r == x.Files():
			c = -1
		default:
			c = -x.comparePath(x.ref(secByPath, r), entries[e].Path)
		}
		switch {
		case c < 0:
			visit(e, -1)
			e++
		case c > 0:
			visit(-1, r)
			r++
		default:
			visit(e, r)
			e++
			r++
		}
	}
}

// nodePath returns a node's whole path: its directory, which ends in a slash unless it is the
// root, and its name.
func (x *flat) nodePath(node int) string {
	folder, name := x.nodeName(node)
	var path [256]byte // usually enough, and stays on the stack
	return string(append(append(path[:0], folder...), name...))
}

// size returns the size in a node's stamp.
func (x *flat) size(node int) int64 {
	return int64(binary.LittleEndian.Uint64(x.row(secNodes, node)[nodeStampAt:]))
}

func (x *flat) nodeName(node int) (folder, name []byte) {
	r := x.row(secNodes, node)
	f := x.row(secFolders, int(binary.LittleEndian.Uint32(r[nodeFolderAt:])))
	return x.name(f), x.name(r)
}

// comparePath compares a node's path with path, without allocating.
func (x *flat) comparePath(node int, path string) int {
	folder, name := x.nodeName(node)
	if len(path) < len(folder) {
		if c := compare(folder[:len(path)], path); c != 0 {
			return c
		}
		return 1
	}
	if c := compare(folder, path[:len(folder)]); c != 0 {
		return c
	}
	return compare(name, path[len(folder):])
}

// compareNodes compares two nodes by their paths.
func (x *flat) compareNodes(a, b int) int {
	fa, na := x.nodeName(a)
	fb, nb := x.nodeName(b)
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

func compare(a []byte, b string) int {
	switch {
	case string(a) == b:
		return 0
	case string(a) < b:
		return -1
	}
	return 1
}
