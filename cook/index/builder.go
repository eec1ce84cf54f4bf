package index

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// A Builder makes the bytes of a new index. Files and actions may come in any
// order.
type Builder struct {
	checksum string
	files    []File
	actions  []Action
	methods  []Method
	byText   map[string]int
}

// NewBuilder starts an index whose sums are of the named function.
func NewBuilder(checksum string) *Builder {
	if len(checksum) > nameSize {
		panic("index: checksum name too long: " + checksum)
	}
	return &Builder{checksum: checksum, byText: map[string]int{}}
}

// Grow makes room for so many files and actions.
func (b *Builder) Grow(files, actions int) {
	b.files = slices.Grow(b.files, files)
	b.actions = slices.Grow(b.actions, actions)
}

// AddFile adds a file. Each path may come once.
func (b *Builder) AddFile(f File) { b.files = append(b.files, f) }

// AddMethod returns the row that stands for the method, for Action.Method.
func (b *Builder) AddMethod(m Method) int {
	text := fmt.Sprintf("%q", m)
	row, ok := b.byText[text]
	if !ok {
		row = len(b.methods)
		b.methods = append(b.methods, m)
		b.byText[text] = row
	}
	return row
}

// AddAction adds an action. Each path and target may come once.
func (b *Builder) AddAction(a Action) { b.actions = append(b.actions, a) }

// Actions returns the actions added so far, sorted by path and target. The
// caller must not change them.
func (b *Builder) Actions() []Action {
	slices.SortFunc(b.actions, func(x, y Action) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Target, y.Target))
	})
	return b.actions
}

// Bytes returns the index. Equal contents give equal bytes.
func (b *Builder) Bytes() []byte {
	slices.SortFunc(b.files, func(x, y File) int { return cmp.Compare(x.Path, y.Path) })
	b.Actions()
	w := &writer{known: make(map[string]int, 2*len(b.files))}
	w.sec[secFiles] = make([]byte, 0, len(b.files)*rowSize[secFiles])
	w.sec[secActions] = make([]byte, 0, len(b.actions)*rowSize[secActions])
	for i := range b.files {
		f := &b.files[i]
		w.str(secFiles, f.Path)
		w.sec[secFiles] = appendContent(w.sec[secFiles], f.Stamp, f.Settled, f.Sum, f.Blob)
	}
	order := b.methodOrder()
	var deps, made uint64
	for i := range b.actions {
		a := &b.actions[i]
		for _, s := range [...]string{a.Path, a.Target, a.Outcome, a.Why} {
			w.str(secActions, s)
		}
		w.u32(secActions, uint32(a.State))
		w.u32(secActions, uint32(order[a.Method]))
		w.sec[secActions] = append(append(w.sec[secActions], a.ID[:]...), a.Source[:]...)
		w.u64(secActions, uint64(a.CookTime))
		w.u64(secActions, uint64(a.Decided.UnixNano()))
		w.u64(secActions, deps)
		w.u32(secActions, uint32(len(a.Deps)))
		w.u32(secActions, uint32(len(a.Made)))
		w.u64(secActions, made)
		deps, made = deps+uint64(len(a.Deps)), made+uint64(len(a.Made))
		for _, d := range a.Deps {
			w.str(secDeps, d.Name)
			w.str(secDeps, d.Path)
			w.sec[secDeps] = append(w.sec[secDeps], d.Blob[:]...)
			found := uint32(0)
			if d.Found {
				found = 1
			}
			w.u32(secDeps, found)
		}
		for _, m := range a.Made {
			w.str(secArtifacts, m.Path)
			w.sec[secArtifacts] = appendContent(w.sec[secArtifacts], m.Stamp, m.Settled, m.Sum, m.Blob)
		}
	}
	b.appendMethods(w, order)
	return w.finish(b.checksum)
}

// methodOrder numbers the methods by their first use, so that the bytes do not
// depend on the order in which workers added them. Unused ones get no number.
func (b *Builder) methodOrder() []int {
	order := make([]int, len(b.methods))
	for i := range order {
		order[i] = -1
	}
	next := 0
	for i := range b.actions {
		if m := b.actions[i].Method; order[m] < 0 {
			order[m] = next
			next++
		}
	}
	return order
}

func (b *Builder) appendMethods(w *writer, order []int) {
	used := make([]Method, len(b.methods))
	n := 0
	for i, at := range order {
		if at >= 0 {
			used[at] = b.methods[i]
			n++
		}
	}
	fields := uint64(0)
	for _, m := range used[:n] {
		w.u64(secMethods, fields)
		w.u64(secMethods, uint64(len(m)))
		fields += uint64(len(m))
		for _, f := range m {
			w.str(secFields, f.Key)
			w.str(secFields, f.Value)
		}
	}
}

// A writer collects the sections.
type writer struct {
	sec   [sectionCount][]byte
	known map[string]int // offsets of strings already written
}

func (w *writer) u32(s int, v uint32) { w.sec[s] = binary.LittleEndian.AppendUint32(w.sec[s], v) }
func (w *writer) u64(s int, v uint64) { w.sec[s] = binary.LittleEndian.AppendUint64(w.sec[s], v) }

func (w *writer) str(s int, text string) {
	at, ok := w.known[text]
	if !ok {
		at = len(w.sec[secStrings])
		w.sec[secStrings] = append(w.sec[secStrings], text...)
		w.known[text] = at
	}
	w.u64(s, uint64(at))
	w.u32(s, uint32(len(text)))
	w.u32(s, 0)
}

func (w *writer) finish(checksum string) []byte {
	size := headerSize + trailerSize
	for _, sec := range w.sec {
		size += len(sec)
	}
	le := binary.LittleEndian
	out := make([]byte, 0, size)
	out = append(out, magic[:]...)
	out = le.AppendUint32(out, Version)
	out = le.AppendUint32(out, 0)
	name := [nameSize]byte{}
	copy(name[:], checksum)
	out = append(out, name[:]...)
	at := headerSize
	for s, sec := range w.sec {
		out = le.AppendUint64(out, uint64(at))
		out = le.AppendUint64(out, uint64(len(sec)/rowSize[s]))
		at += len(sec)
	}
	for _, sec := range w.sec {
		out = append(out, sec...)
	}
	sum := seal(out)
	return append(out, sum[:]...)
}
