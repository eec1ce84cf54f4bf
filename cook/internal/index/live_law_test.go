package index

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/dependency"
)

// TestEditedIndexEqualsModel edits, writes and reads an index at random. It must equal a model made
// of maps.
func TestEditedIndexEqualsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &session{model: drawModel(t)}
		s.base = s.flat()
		s.open(t, noChanges(mustOpen(t, s.base), s.vouching()))
		t.Repeat(map[string]func(*rapid.T){
			"PutFile": s.putFile, "DropFile": s.dropFile,
			"PutAction": s.putAction, "DropActions": s.dropActions, "Recook": s.recook,
			"AddFolder": s.addFolder, "DropFolder": s.dropFolder, "RestampFolder": s.restampFolder, "RestampOutput": s.restampOutput,
			"DropNode": s.dropNode, "Restamp": s.restamp, "Vouch": func(t *rapid.T) { s.vouch(t, s.live) },
			"reopen":        func(t *rapid.T) { s.reopen(t, encodeChanges(s.live)) },
			"reopenTwice":   s.reopenTwice,
			"rewrite":       s.rewrite,
			"":              s.check,
			"checkReopened": s.checkReopened,
		})
	})
}

// A session is an index under test, together with its model.
type session struct {
	*model
	base []byte
	live *Index
	// touched has the paths edited since the index was opened. Their nodes in the changes file are
	// out of date.
	touched map[string]bool
	opened  []byte // the encoded model when the index was last opened
	patched bool   // set if the base was rewritten, because the order of its rows may then differ
}

func mustOpen(t rapid.TB, data []byte) *flat {
	x, err := openFlat(data)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func load(t *rapid.T, base, changes []byte) *Index {
	l, err := Open(bytes.Clone(base), changes)
	if err == nil {
		err = l.Load()
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *session) open(t *rapid.T, changes []byte) {
	s.live = load(t, s.base, changes)
	s.touched = map[string]bool{}
	s.opened = s.flat()
}

func (s *session) reopen(t *rapid.T, changes []byte) {
	s.open(t, changes)
	if again := encodeChanges(s.live); !bytes.Equal(again, changes) {
		t.Fatal("changes that were read are written with other bytes")
	}
}

// reopenTwice opens an index, writes it without loading it, and opens it again.
func (s *session) reopenTwice(t *rapid.T) {
	changes := encodeChanges(s.live)
	l, err := Open(bytes.Clone(s.base), changes)
	if err != nil {
		t.Fatal(err)
	}
	if again := encodeChanges(l); !bytes.Equal(again, changes) {
		t.Fatal("changes that were not loaded are written with other bytes")
	}
	s.vouch(t, l)
	s.reopen(t, encodeChanges(l))
}

func (s *session) rewrite(t *rapid.T) {
	before := s.live.base
	s.live.weight = rapid.IntRange(0, 20).Draw(t, "weight")
	x, changes := rewriteBase(s.live)
	s.base = bytes.Clone(x.data)
	if s.patched = x == before; s.patched {
		s.open(t, changes)
		return
	}
	if !bytes.Equal(s.base, s.flat()) {
		t.Fatal("the rebuilt index differs from a new one")
	}
	maps.DeleteFunc(s.folders, func(_ string, f listed) bool { return s.isEmptyOutput(f) })
	s.open(t, changes)
}

func (s *session) putFile(t *rapid.T) {
	f := drawFile(t)
	editor{s.live}.putFileRecord(f)
	s.files[f.Path] = f
	s.touched[f.Path] = true
}

func (s *session) dropFile(t *rapid.T) {
	p := rapid.SampledFrom(filePaths).Draw(t, "file")
	editor{s.live}.forgetFile(p)
	delete(s.files, p)
	s.touched[p] = true
}

func (s *session) putAction(t *rapid.T) {
	h := s.drawAction(t)
	if _, ok := s.actions[h.key()]; ok {
		t.Skip("there is one already")
	}
	s.put(h)
}

func (s *session) put(h Action) {
	editor{s.live}.insertAction(h)
	h.Made = slices.Clone(h.Made)
	s.actions[h.key()] = h
	for _, o := range h.Made {
		s.touched[o.Path] = true
	}
}

func (s *session) dropActions(t *rapid.T) {
	s.drop(rapid.SampledFrom(filePaths).Draw(t, "source"))
}

func (s *session) drop(source string) {
	editor{s.live}.removeActions(source)
	maps.DeleteFunc(s.actions, func(key [2]string, h Action) bool {
		for _, o := range h.Made {
			s.touched[o.Path] = s.touched[o.Path] || key[0] == source
		}
		return key[0] == source
	})
}

// recook replaces a random action by an action with the same outputs, as a run does.
func (s *session) recook(t *rapid.T) {
	keys := slices.SortedFunc(maps.Keys(s.actions), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	if len(keys) == 0 {
		t.Skip("no action")
	}
	h := s.actions[rapid.SampledFrom(keys).Draw(t, "action")]
	s.drop(h.Path)
	now := s.drawAction(t)
	h.State, h.Deps, h.Method = now.State, now.Deps, now.Method
	s.put(h)
}

func (s *session) addFolder(t *rapid.T) {
	f := drawFolder(t)
	editor{s.live}.insertFolder(f.Folder, f.settled)
	s.folders[f.Path] = f
	s.touched[slashed(f.Path)] = true
}

// A place is a row number in the base or in the additions.
type place struct{ part, row int }

// anyFolder picks a random directory that the scan listed and that the test has not edited.
func (s *session) anyFolder(t *rapid.T) (place, folderRow) {
	var list []place
	for part, x := range s.live.parts() {
		for i := range x.folders().len() {
			f := x.folders().decodeFolder(i)
			if f.Tree == Assets && f.Listed && !f.Dead && (part == 0 || !s.touched[string(f.Path)]) {
				list = append(list, place{part, i})
			}
		}
	}
	if len(list) == 0 {
		t.Skip("no directory")
	}
	at := rapid.SampledFrom(list).Draw(t, "folder")
	return at, s.live.parts()[at.part].folders().decodeFolder(at.row)
}

func (s *session) dropFolder(t *rapid.T) {
	at, f := s.anyFolder(t)
	path := string(f.Path)
	if part, row, ok := findListed(s.live, path); !ok || (place{part, row}) != at {
		t.Fatalf("FindFolder(%q) = %d, %d, %v; want %v", path, part, row, ok, at)
	}
	editor{s.live}.forgetFolder(at.part, at.row)
	delete(s.folders, strings.TrimSuffix(path, "/"))
	s.touched[path] = true
}

func (s *session) restampFolder(t *rapid.T) {
	at, f := s.anyFolder(t)
	now := drawFolder(t)
	editor{s.live}.restampFolder(at.part, at.row, now.Stamp, now.settled, now.Odd)
	path := strings.TrimSuffix(string(f.Path), "/")
	was := s.folders[path]
	now.Path, now.Real = was.Path, was.Real
	s.folders[path] = now
}

// restampOutput sets the stamp of a random output directory of the base.
func (s *session) restampOutput(t *rapid.T) {
	x := s.live.base
	var rows []int
	for i := range x.folders().len() {
		if x.folders().decodeFolder(i).Tree == Out {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		t.Skip("no directory")
	}
	row := rapid.SampledFrom(rows).Draw(t, "folder")
	path := strings.TrimSuffix(string(x.folders().decodeFolder(row).Path), "/")
	f := listed{scan.Folder{Path: path, Real: path, Stamp: drawStamp(t)}, rapid.Bool().Draw(t, "settled"), Out}
	editor{s.live}.restampFolder(0, row, f.Stamp, f.settled, false)
	s.folders[outKey(path)] = f
}

// anyNode picks a random node whose stamp the test has not edited.
func (s *session) anyNode(t *rapid.T, wanted func(Role) bool) (place, Probe, string) {
	var list []place
	for part, x := range s.live.parts() {
		for i := range x.nodes().len() {
			if p := x.nodes().probeNode(i); !p.Idle() && wanted(p.Role) && (part == 0 || !s.touched[x.nodes().nodePath(i)]) {
				list = append(list, place{part, i})
			}
		}
	}
	if len(list) == 0 {
		t.Skip("no node")
	}
	at := rapid.SampledFrom(list).Draw(t, "node")
	return at, s.live.parts()[at.part].nodes().probeNode(at.row), s.live.parts()[at.part].nodes().nodePath(at.row)
}

func (s *session) dropNode(t *rapid.T) {
	at, p, path := s.anyNode(t, func(r Role) bool { return r != Made })
	editor{s.live}.dropNodeFile(at.part, at.row)
	if p.Role != Absent {
		delete(s.files, path)
		s.touched[path] = true
	}
}

func (s *session) restamp(t *rapid.T) {
	at, p, path := s.anyNode(t, func(r Role) bool { return r != Absent })
	now, settled := drawStamp(t), rapid.Bool().Draw(t, "settled")
	now.Size = p.Stamp.Size
	if p.Role != Made {
		known, _ := s.live.Files().File(path)
		if d := gocmp.Diff(s.files[path], known); d != "" {
			t.Fatalf("node of another file: %s", d)
		}
		editor{s.live}.restampNode(at.part, at.row, now, settled)
		f := s.files[path]
		f.Stamp, f.Settled = now, settled
		s.files[path] = f
		return
	}
	source := s.live.Results().Source(refAt(s.live, at.part, at.row))
	editor{s.live}.restampNode(at.part, at.row, now, settled)
	for _, h := range s.actions {
		for i := range h.Made {
			if h.Made[i].Path == path {
				h.Made[i].Stamp, h.Made[i].Settled = now, settled
				if h.Path != source {
					t.Fatalf("Source of %q = %q, want %q", path, source, h.Path)
				}
			}
		}
	}
}

// vouch calls replaceVouches with a random subset of the targets and random pending sources.
func (s *session) vouch(t *rapid.T, l *Index) {
	var known []string
	for _, v := range s.vouched {
		known = append(known, v.Target)
	}
	s.identity, s.vouched = drawIdentity(t), drawVouched(t, known)
	editor{l}.replaceVouches(newVouching(s.identity, s.vouched))
}

// check compares the index with the model in every way that the API allows.
func (s *session) check(t *rapid.T) {
	s.compare(t, s.live)
	x, err := mergeBase(s.live)
	if err != nil {
		t.Fatal(err)
	}
	want, got := s.flat(), x.data
	if s.patched {
		got = rebuild(x)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("flat: %s", gocmp.Diff(s.content(), readBack(discard{}, x), gocmp.AllowUnexported(content{}, listed{}), cmpopts.EquateEmpty()))
	}
	if !bytes.Equal(want, s.opened) && !s.live.edited {
		t.Fatal("Edited is false after an edit")
	}
}

// checkReopened reads the written files as the next run would, and compares the result.
func (s *session) checkReopened(t *rapid.T) {
	l := load(t, s.base, encodeChanges(s.live))
	s.compare(t, l)
	if l.edited {
		t.Fatal("Edited is true before any edit")
	}
	checkRows(t, l)
	for _, span := range unmodifiedRanges(l, 1) {
		if !bytes.Equal(l.base.data[span.from:span.to], s.base[span.from:span.to]) {
			t.Fatalf("bytes %d to %d are listed as unwritten but were changed", span.from, span.to)
		}
	}
	parts := l.parts()
	if want, got := s.probes(), probesOf(s.model, parts[:]...); !maps.Equal(want, got) {
		t.Fatalf("probes: %s", gocmp.Diff(want, got))
	}
	for _, p := range folderPaths {
		if _, _, ok := findListed(l, slashed(p)); ok != (s.folders[p].Folder != scan.Folder{}) {
			t.Fatalf("FindFolder(%q) = %v", p, ok)
		}
	}
	got := slices.DeleteFunc(foldersOf(parts[:]...), s.isEmptyOutput)
	if d := gocmp.Diff(s.content().folders, got, gocmp.AllowUnexported(listed{}), cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("folders: %s", d)
	}
}

func (s *session) compare(t *rapid.T, l *Index) {
	if l.base.checksum != "xxh3" || l.Fingerprint() != s.identity {
		t.Fatalf("Checksum = %q, Identity = %v, want %v", l.base.checksum, l.Fingerprint(), s.identity)
	}
	if want := s.vouching(); !l.vouched.vouchesEqually(&want) {
		t.Fatalf("vouches for %+v, want %+v", l.vouched, want)
	}
	x := l
	for _, v := range s.vouched {
		compareSet(t, "Pending of "+v.Target, slices.Clone(v.Pending), func(add func(string)) { x.Pending(v.Target, add) })
	}
	l.Results().Count(x.Vouched())
	var failed, configs, counted []string
	depend, owner, methods := map[string][]string{}, map[string]string{}, map[string]bool{}
	for key, h := range s.actions {
		if h.State == Failed && l.vouched.vouchFor(key[1]) != nil {
			failed = append(failed, key[0])
		}
		for _, d := range h.Deps {
			depend[d.seenKey()] = append(depend[d.seenKey()], key[0])
		}
		for _, o := range h.Made {
			owner[o.Path] = key[0]
		}
		methods[show(h.Method)] = true
		if key[0] != "a" && l.vouched.vouchFor(key[1]) != nil {
			counted = append(counted, show(h.Method))
		}
	}
	for _, p := range slices.Concat(filePaths, missingPaths) {
		want, known := s.files[p]
		got, ok := l.Files().File(p)
		if ok != known || got != want || l.Files().sizeOfFile(p) != want.Stamp.Size {
			t.Fatalf("File(%q) = %+v, %v; want %+v", p, got, ok, want)
		}
		if want.Role == Config {
			configs = append(configs, p)
		}
		s.compareActions(t, l, p)
		compareSet(t, "Dependents of "+p, depend[p], func(add func(string)) {
			l.Results().Dependents(map[dependency.Dependency]bool{mustDecode(p): true, dependency.OfFile("-"): true}, add)
		})
	}
	compareSet(t, "FailedSources", failed, l.Results().Failed)
	compareSet(t, "MethodsOf", counted, func(add func(string)) {
		l.Results().MethodsOf(func(source, _ string) bool { return source == "a" }, func(m Method) { add(show(m)) })
	})
	s.compareConfigs(t, l, configs)
	for _, p := range outputPaths {
		if source, ok := l.Results().Owner(p); ok != (owner[p] != "") || source != owner[p] {
			t.Fatalf("Owner(%q) = %q, %v; want %q", p, source, ok, owner[p])
		}
	}
	for _, p := range []string{"a", "o", "o/p", "o/", "q", "q/r", "q/r/s", "-"} {
		want := false
		for o := range owner {
			want = want || strings.HasPrefix(o, p+"/")
		}
		if got := l.Results().HoldsOutputs(p); got != want {
			t.Fatalf("HoldsOutputs(%q) = %v", p, got)
		}
	}
	l.Results().Methods(func(m Method) { delete(methods, show(m)) })
	if len(methods) > 0 {
		t.Fatalf("Methods lacks %v", methods)
	}
}

func show(m Method) string {
	var b strings.Builder
	for _, f := range m {
		b.WriteString(f.Key + "=" + f.Value + "\n")
	}
	return b.String()
}

func (s *session) compareActions(t *rapid.T, l *Index, path string) {
	got := map[string]Action{}
	l.Results().eachOf(path, func(a *Action) {
		if _, twice := got[a.Target]; twice {
			t.Fatalf("Actions(%q): %q comes twice", path, a.Target)
		}
		got[a.Target] = *a
	})
	want := map[string]Action{}
	for key, h := range s.actions {
		if key[0] == path {
			want[key[1]] = h
		}
	}
	if reflect.DeepEqual(want, got) {
		return // gocmp is slow, so it runs only after a difference
	}
	if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("Actions(%q): %s", path, d)
	}
}

func (s *session) compareConfigs(t *rapid.T, l *Index, want []string) {
	slices.SortFunc(want, func(a, b string) int {
		return cmp.Compare(strings.TrimSuffix(a, scan.ConfigName), strings.TrimSuffix(b, scan.ConfigName))
	})
	var got []string
	for _, f := range l.Files().Configs() {
		got = append(got, f.Path)
		if f != s.files[f.Path] {
			t.Fatalf("Configs: %+v", f)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("Configs = %q, want %q", got, want)
	}
}

// compareSet compares the values of an iterator with a set. The iterator may repeat values.
func compareSet(t *rapid.T, what string, want []string, each func(func(string))) {
	var got []string
	each(func(s string) { got = append(got, s) })
	slices.Sort(got)
	slices.Sort(want)
	if got, want = slices.Compact(got), slices.Compact(want); !slices.Equal(got, want) {
		t.Fatalf("%s: %q, want %q", what, got, want)
	}
}
