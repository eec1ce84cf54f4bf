package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// The models use only these names, so that names collide. Some of them sort differently as paths
// than by directory.
var (
	filePaths = []string{
		"a", "a-", "a\xff\n", "cook.toml", "d-/cook.toml", "d/a", "d/b", "d/cook.toml", "d/e/a", "d/e/cook.toml",
		"link/a", "link/b", "/t/tool", "zz/y/x",
	}
	missingPaths = []string{"no", "d/no", "d/e/no", "link/no", "none/no", "d/.\x00*.x", "d/e/no\x00f.1\x00", "link/no\x00->"}
	folderPaths  = []string{"", "d", "d-", "d/e", "link", "empty"}
	outputPaths  = []string{"a", "o/a", "o/b", "o/p/a", "o/p/b", "o-/a", "q/r/s/t", "o/c", "o/d", "o/e"}
	targets      = []string{"", "m", "pc"}
)

// A model holds the expected contents of an index in maps.
type model struct {
	identity hashing.Digest
	vouched  []Vouch
	folders  map[string]listed
	files    map[string]File
	actions  map[[2]string]Action
}

func drawModel(t *rapid.T) *model {
	m := &model{folders: map[string]listed{}, files: map[string]File{}, actions: map[[2]string]Action{}}
	m.identity = drawIdentity(t)
	m.vouched = drawVouched(t, targets)
	for range rapid.IntRange(0, 5).Draw(t, "folders") {
		f := drawFolder(t)
		m.folders[f.Path] = f
	}
	for range rapid.IntRange(0, 12).Draw(t, "files") {
		f := drawFile(t)
		m.files[f.Path] = f
	}
	for range rapid.IntRange(0, 8).Draw(t, "actions") {
		h := m.drawAction(t)
		if _, ok := m.actions[h.key()]; !ok {
			m.actions[h.key()] = h
		}
	}
	return m
}

func (h *Action) key() [2]string { return [2]string{h.Path, h.Target} }

func drawIdentity(t *rapid.T) hashing.Digest {
	return hashing.Digest{rapid.ByteMax(2).Draw(t, "identity")}
}

// drawVouched picks random targets, each with random pending sources.
func drawVouched(t *rapid.T, targets []string) (list []Vouch) {
	for _, target := range targets {
		if !rapid.Bool().Draw(t, "vouched") {
			continue
		}
		v := Vouch{Target: target}
		for _, path := range filePaths {
			if rapid.IntRange(0, 9).Draw(t, "pending") == 0 {
				v.Pending = append(v.Pending, path)
			}
		}
		list = append(list, v)
	}
	return list
}

// vouching returns the vouching that the files should contain.
func (m *model) vouching() vouching {
	v := newVouching(m.identity, m.vouched)
	for i := range v.vouches {
		v.vouches[i].totals = m.totals(v.vouches[i].target)
	}
	return v
}

func drawStamp(t *rapid.T) scan.Stamp {
	return scan.Stamp{
		Size: rapid.Int64Range(0, 5).Draw(t, "size"), MTime: rapid.Int64Range(-1, 2).Draw(t, "mtime"),
		Inode: rapid.Uint64Max(3).Draw(t, "inode"), Device: 66, Mode: 0o644,
	}
}

func drawFolder(t *rapid.T) listed {
	f := scan.Folder{Path: rapid.SampledFrom(folderPaths).Draw(t, "folder"), Stamp: drawStamp(t), Odd: rapid.Bool().Draw(t, "odd")}
	f.Real = f.Path
	if f.Path == "link" {
		f.Real = rapid.SampledFrom([]string{"d", "d/e", "link"}).Draw(t, "real")
	}
	return listed{f, rapid.Bool().Draw(t, "settled"), Assets}
}

func drawFile(t *rapid.T) File {
	p := rapid.SampledFrom(filePaths).Draw(t, "file")
	role := rapid.SampledFrom([]Role{Asset, Asset, Other, Ignore}).Draw(t, "role")
	if path.Base(p) == scan.ConfigName && role == Ignore {
		role = Config
	}
	n := rapid.ByteMax(3).Draw(t, "content")
	return File{
		Path: p, Role: role, Stamp: drawStamp(t), Settled: rapid.Bool().Draw(t, "settled"),
		Sum: hashing.Sum128{Hi: uint64(n)}, Blob: blob(n),
	}
}

// drawAction returns a random action whose outputs no other action makes.
func (m *model) drawAction(t *rapid.T) Action {
	text := rapid.SampledFrom([]string{"", "cooked", "new\nforced"})
	a := Action{
		Path: rapid.SampledFrom(filePaths).Draw(t, "source"), Target: rapid.SampledFrom(targets).Draw(t, "target"),
		State: rapid.SampledFrom([]State{Done, Done, Failed}).Draw(t, "state"),
		ID:    store.ActionID{rapid.Byte().Draw(t, "id")}, Source: blob(rapid.ByteMax(5).Draw(t, "source content")),
		CookTime: time.Duration(rapid.IntRange(0, 9).Draw(t, "time")), Warned: rapid.Bool().Draw(t, "warned"),
		Decision: Decision{At: time.Unix(0, rapid.Int64().Draw(t, "decided")), Outcome: text.Draw(t, "outcome"), Why: text.Draw(t, "why")},
	}
	for range rapid.IntRange(0, 2).Draw(t, "deps") {
		d := Dep{Name: rapid.SampledFrom([]string{"n", "/b"}).Draw(t, "dep name"), On: mustDecode(rapid.SampledFrom(append(filePaths[:4:4], missingPaths...)).Draw(t, "dep"))}
		if d.On.Kind == dependency.File && rapid.Bool().Draw(t, "presence") {
			d.On.Kind = dependency.Presence
		}
		if d.Found = rapid.Bool().Draw(t, "found"); d.Found {
			d.Blob = blob(rapid.ByteMax(2).Draw(t, "dep content"))
		}
		a.Deps = append(a.Deps, d)
	}
	taken := map[string]bool{}
	for _, h := range m.actions {
		for _, o := range h.Made {
			taken[o.Path] = true
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "outputs") {
		if o := rapid.SampledFrom(outputPaths).Draw(t, "output"); !taken[o] {
			taken[o] = true
			n := rapid.ByteMax(5).Draw(t, "output content")
			a.Made = append(a.Made, Artifact{o, drawStamp(t), rapid.Bool().Draw(t, "settled"), hashing.Sum128{Hi: uint64(n)}, blob(n), rapid.SampledFrom([]string{"", "color", "normal"}).Draw(t, "role")})
		}
	}
	method := Method{{"recipe", rapid.SampledFrom([]string{"image", "gltf"}).Draw(t, "recipe")}}
	if rapid.Bool().Draw(t, "option") {
		method = append(method, Field{"srgb", "true"})
	}
	a.Method = method
	return a
}

// content returns the contents of the model in the form that readBack returns.
func (m *model) content() content {
	var c content
	c.folders = slices.SortedFunc(maps.Values(m.folders), compareListed)
	c.folders = slices.DeleteFunc(c.folders, m.isEmptyOutput)
	c.files = slices.SortedFunc(maps.Values(m.files), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	c.actions = slices.SortedFunc(maps.Values(m.actions), func(a, b Action) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Target, b.Target))
	})
	return c
}

func compareListed(a, b listed) int {
	return cmp.Or(cmp.Compare(a.tree, b.tree), cmp.Compare(slashed(a.Path), slashed(b.Path)))
}

// isEmptyOutput reports whether a directory is an output directory without outputs. The index
// does not keep such directories.
func (m *model) isEmptyOutput(f listed) bool {
	for _, h := range m.actions {
		for _, o := range h.Made {
			if folder, _ := splitSlash(o.Path); folder == slashed(f.Path) {
				return false
			}
		}
	}
	return f.tree == Out
}

// outKey returns the key of an output directory in the map of directories.
func outKey(path string) string { return "out:" + path }

func (m *model) flat() []byte { return flatBytes(m.content()) }

// rebuild decodes an index and encodes its contents again.
func rebuild(x *flat) []byte { return flatBytes(readBack(discard{}, x)) }

func flatBytes(c content) []byte {
	b := newIndexBuilder("xxh3")
	for _, f := range c.folders {
		b.AddFolder(f.Folder, f.settled)
		b.folders[len(b.folders)-1].tree = f.tree
	}
	for _, f := range c.files {
		b.AddFile(f)
	}
	for _, a := range c.actions {
		b.AddAction(a)
	}
	return b.Bytes()
}

// totals returns the sums over the actions of a target.
func (m *model) totals(target string) (sum Totals) {
	for key, h := range m.actions {
		if key[1] != target {
			continue
		}
		sum.Actions++
		if h.State == Failed {
			sum.Failed++
			continue
		}
		sum.In += m.files[key[0]].Stamp.Size
		sum.CookTime += h.CookTime
		for _, o := range h.Made {
			sum.Out += o.Stamp.Size
		}
	}
	return sum
}

// A question has the arguments and the expected result of a stat call.
type question struct {
	Tree    Tree
	Path    string
	Real    string // real path of a directory that the scan listed
	Role    Role
	Stamp   scan.Stamp
	Settled bool
}

func (m *model) ask(tree Tree, path string) question {
	q := question{Tree: tree, Path: path}
	folder, _ := splitSlash(path)
	if f, ok := m.folders[strings.TrimSuffix(folder, "/")]; ok && tree == Assets {
		q.Real = slashed(f.Real)
	}
	return q
}

// probes returns the stat calls that a run must make, each of them once.
func (m *model) probes() map[question]int {
	all := map[question]int{}
	for _, f := range m.files {
		q := m.ask(treeOf(f.Path), f.Path)
		q.Role, q.Stamp, q.Settled = f.Role, f.Stamp, f.Settled
		all[q] = 1
	}
	for _, h := range m.actions {
		for _, d := range h.Deps {
			if _, there := m.files[d.seenKey()]; !there && !d.Found {
				q := m.ask(Assets, d.seenKey())
				q.Role = Absent
				all[q] = 1
			}
		}
		for _, o := range h.Made {
			q := m.ask(Out, o.Path)
			q.Role, q.Stamp, q.Settled = Made, o.Stamp, o.Settled
			all[q] = 1
		}
	}
	return all
}

// probesOf counts the stat calls for the nodes in the given parts of an index.
func probesOf(m *model, parts ...*flat) map[question]int {
	all := map[question]int{}
	for _, x := range parts {
		for i := range x.folders().len() {
			f := x.folders().decodeFolder(i)
			for node := f.First; node < f.First+f.Count; node++ {
				p := x.nodes().probeNode(node)
				if p.Idle() {
					continue
				}
				q := m.ask(f.Tree, x.nodes().nodePath(node))
				if q.Real != "" {
					q.Real = string(f.Real)
				}
				q.Role, q.Stamp, q.Settled = p.Role, p.Stamp, p.Settled
				if string(p.Name) != path.Base(q.Path)+"\x00" {
					q.Path += " asked for as " + string(p.Name)
				}
				all[q]++
			}
		}
	}
	return all
}

// foldersOf returns the directories in parts that the scan listed, except dropped ones.
func foldersOf(parts ...*flat) []listed {
	var all []listed
	for _, x := range parts {
		for i := range x.folders().len() {
			if f := x.folders().decodeFolder(i); f.Listed && !f.Dead {
				flags := binary.LittleEndian.Uint32(x.row(secFolders, i)[folderFlagsAt:])
				all = append(all, listed{scan.Folder{
					Path: string(bytes.TrimSuffix(f.Path, []byte("/"))), Real: string(bytes.TrimSuffix(f.Real, []byte("/"))),
					Stamp: f.Stamp, Odd: f.Odd,
				}, flags&folderFresh == 0, f.Tree})
			}
		}
	}
	slices.SortFunc(all, compareListed)
	return all
}
