// Package index remembers what the last run knew of a tree: which files were
// there, what their content was, how each asset was cooked and what came out.
//
// The index is a cache. Deleting it costs time and never truth: whatever it
// does not vouch for is read again. So reading is strict (anything odd about
// the file and the whole of it is ignored, with one line saying why) and
// writing is whole: a new file is renamed over the old one when everything
// that it speaks of is on the disk.
//
// # Format
//
// One flat file of little-endian columns that can be mapped and read in place;
// an Index is nothing but the bytes and seven offsets. Every section is a run
// of rows of one size, so that row i is found by multiplication:
//
//	header     magic, version, checksum function, section table
//	strings    bytes that the rows point into
//	files      path, stamp, checksum, blob ID            sorted by path
//	actions    file, target, method, IDs, outcome        sorted by path, target
//	deps       name, path, blob ID                       by action
//	artifacts  path, stamp, checksum, blob ID            by action
//	methods    first field, fields
//	fields     key, value                                by method
//	trailer    XXH3-128 of all that comes before
//
// Open checks the trailer, every offset and the order of the rows, and so the
// accessors need not.
package index

import (
	"bytes"
	"sort"
	"time"

	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
)

// A File is one file of the asset tree: an asset, or what an asset read. Files
// that lie elsewhere (programs, the manifest) have absolute paths.
type File struct {
	Path  string
	Stamp scan.Stamp
	// Settled says that Stamp was old enough to be trusted when it was taken.
	Settled bool
	Sum     hashing.Sum128 // by the function that Index.Checksum names
	Blob    store.BlobID
}

// A State is how an action ended.
type State uint8

const (
	Done State = iota
	Failed
)

// An Action is one asset as it was last worked on for one target.
type Action struct {
	Path   string
	Target string
	State  State
	Method int // row of the method table
	ID     store.ActionID
	// Source is the content that the action was done with. It may differ from
	// the file's row: a run that was interrupted has seen more than it did.
	Source store.BlobID
	// CookTime is how long the recipe took when it last ran, here or on the
	// machine that filled the store.
	CookTime time.Duration
	// Decided is when the action last did any work; Outcome and Why are what
	// came of it and the reasons, one a line.
	Decided time.Time
	Outcome string
	Why     string
	Deps    []Dep
	Made    []Artifact
}

// A Dep is a file that the action read besides the source.
type Dep struct {
	Name string // as the recipe asked for it
	Path string // in the asset tree
	Blob store.BlobID
	// Found is false if the file was looked for and was not there.
	Found bool
}

// An Artifact is a file of the output folder.
type Artifact struct {
	Path    string
	Stamp   scan.Stamp
	Settled bool
	Sum     hashing.Sum128
	Blob    store.BlobID
}

// A Method is how sources were cooked: the fields of the fingerprint.
type Method []Field

// A Field is one of them.
type Field struct{ Key, Value string }

// An Index is an opened index. The zero value is an empty one.
type Index struct {
	data     []byte
	checksum string
	sections [sectionCount]section
}

// Checksum names the function of all sums in the index.
func (x *Index) Checksum() string { return x.checksum }

// Bytes is the index as it stands in the file. It must not be changed.
func (x *Index) Bytes() []byte { return x.data }

// Files returns the number of files.
func (x *Index) Files() int { return x.sections[secFiles].count }

// Actions returns the number of actions.
func (x *Index) Actions() int { return x.sections[secActions].count }

// FilePath returns the path of file i in place.
func (x *Index) FilePath(i int) []byte { return x.str(x.row(secFiles, i)) }

// File decodes file i.
func (x *Index) File(i int) File {
	r := x.row(secFiles, i)
	f := File{Path: string(x.str(r))}
	f.Stamp, f.Settled, f.Sum, f.Blob = decodeContent(r[strSize:])
	return f
}

// ActionPath returns the source path of action i in place.
func (x *Index) ActionPath(i int) []byte { return x.str(x.row(secActions, i)) }

// ActionTarget returns the target of action i in place.
func (x *Index) ActionTarget(i int) []byte { return x.str(x.row(secActions, i)[strSize:]) }

// Action decodes action i.
func (x *Index) Action(i int) Action {
	r := x.row(secActions, i)
	d := decoder{b: r}
	a := Action{
		Path:   string(x.str(d.take(strSize))),
		Target: string(x.str(d.take(strSize))),
	}
	a.Outcome = string(x.str(d.take(strSize)))
	a.Why = string(x.str(d.take(strSize)))
	a.State = State(d.u32())
	a.Method = int(d.u32())
	copy(a.ID[:], d.take(32))
	copy(a.Source[:], d.take(32))
	a.CookTime = time.Duration(d.u64())
	a.Decided = time.Unix(0, int64(d.u64()))
	firstDep, deps := int(d.u64()), int(d.u32())
	made := int(d.u32())
	firstMade := int(d.u64())
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

// ActionArtifacts returns the rows of the artifacts of action i: first and
// number.
func (x *Index) ActionArtifacts(i int) (first, n int) {
	d := decoder{b: x.row(secActions, i)[actionMadeAt:]}
	n = int(d.u32())
	return int(d.u64()), n
}

// Artifacts returns the number of artifacts.
func (x *Index) Artifacts() int { return x.sections[secArtifacts].count }

// Artifact decodes artifact i.
func (x *Index) Artifact(i int) Artifact {
	r := x.row(secArtifacts, i)
	a := Artifact{Path: string(x.str(r))}
	a.Stamp, a.Settled, a.Sum, a.Blob = decodeContent(r[strSize:])
	return a
}

// Deps returns the number of dependencies of all actions.
func (x *Index) Deps() int { return x.sections[secDeps].count }

func (x *Index) dep(i int) Dep {
	d := decoder{b: x.row(secDeps, i)}
	out := Dep{Name: string(x.str(d.take(strSize))), Path: string(x.str(d.take(strSize)))}
	copy(out.Blob[:], d.take(32))
	out.Found = d.u32() != 0
	return out
}

// Methods returns the number of methods.
func (x *Index) Methods() int { return x.sections[secMethods].count }

// Method decodes method i.
func (x *Index) Method(i int) Method {
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
func (x *Index) FindFile(path string) (i int, ok bool) {
	i = sort.Search(x.Files(), func(i int) bool { return string(x.FilePath(i)) >= path })
	return i, i < x.Files() && string(x.FilePath(i)) == path
}

// FindAction finds an action by source path and target.
func (x *Index) FindAction(path, target string) (i int, ok bool) {
	i = sort.Search(x.Actions(), func(i int) bool {
		c := bytes.Compare(x.ActionPath(i), []byte(path))
		return c > 0 || c == 0 && string(x.ActionTarget(i)) >= target
	})
	return i, i < x.Actions() && string(x.ActionPath(i)) == path && string(x.ActionTarget(i)) == target
}

// Match walks entries and the index's files side by side, both being sorted by
// path, and calls visit for each pair. An entry that the index does not know
// has row -1; a row whose file is not among the entries has entry -1.
func (x *Index) Match(entries []scan.Entry, visit func(entry, row int)) {
	e, r := 0, 0
	for e < len(entries) || r < x.Files() {
		c := 0
		switch {
		case e == len(entries):
			c = 1
		case r == x.Files():
			c = -1
		default:
			c = compare(entries[e].Path, x.FilePath(r))
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

// compare orders a string and bytes without allocating.
func compare(a string, b []byte) int {
	switch {
	case a == string(b):
		return 0
	case a < string(b):
		return -1
	}
	return 1
}
