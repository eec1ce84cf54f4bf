package index

import (
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// Most actions of a run have the same target, method and decision, and most digests occur in
// several rows: a copied file has the content of its source. The index stores such facts and
// digests once. Equal input gives equal numbers, so equal indexes have equal bytes.

// A sharedRows assigns numbers to the facts that actions share, in the order of first use.
type sharedRows struct {
	list     []actionFacts
	byFacts  map[actionFacts]uint32
	methods  methodRows
	ofAction []uint32
}

// actionFacts are the facts of an action that other actions of a run usually have, too.
type actionFacts struct {
	target, outcome, why string
	method, flags        uint32
	at                   int64
}

// shareFacts numbers the facts of all actions.
func (w *writer) shareFacts(b *builder) {
	s := &w.shared
	s.byFacts = map[actionFacts]uint32{}
	s.methods = methodRows{byText: map[string]int{}, byHead: map[*Field]int{}}
	s.ofAction = make([]uint32, len(b.actions))
	for i := range b.actions {
		a := &b.actions[i]
		facts := actionFacts{
			target: a.Target, outcome: a.Decision.Outcome, why: a.Decision.Why,
			method: uint32(s.methods.methodNumber(a.Method)), at: a.Decision.At.UnixNano(),
		}
		if a.State == Failed {
			facts.flags |= sharedFailed
		}
		if a.Warned {
			facts.flags |= sharedWarned
		}
		row, ok := s.byFacts[facts]
		if !ok {
			row = uint32(len(s.list))
			s.list = append(s.list, facts)
			s.byFacts[facts] = row
		}
		s.ofAction[i] = row
	}
}

func (w *writer) writeShared() {
	for _, f := range w.shared.list {
		for _, text := range [...]string{f.target, f.outcome, f.why} {
			w.putString(secShared, text)
		}
		w.putUint32(secShared, f.method)
		w.putUint32(secShared, f.flags)
		w.putUint64(secShared, uint64(f.at))
	}
}

// contentRows are the rows of the contents of artifacts, sources and dependencies. Each file has the
// row of its number, and further rows follow.
type contentRows struct {
	count              int
	made, source, deps []uint32
}

// shareContents chooses the row of each content: the row of a file with an equal content, or a new
// row.
func (w *writer) shareContents(b *builder) {
	c := &w.content
	c.count = len(w.files)
	c.source = make([]uint32, 0, len(b.actions))
	c.made = make([]uint32, 0, len(w.made))
	add := func(sum hashing.Sum128, blob store.BlobID) uint32 {
		if sum == (hashing.Sum128{}) && blob == (store.BlobID{}) {
			return noContent
		}
		c.count++
		return uint32(c.count - 1)
	}
	// equals reports whether file number at has the content. There may be no such file.
	equals := func(at int, blob store.BlobID) bool { return at < len(w.files) && w.files[at].Blob == blob }
	digests := map[store.BlobID]uint32{} // rows of digests that differ from the file, such as extracts
	digest := func(at int, blob store.BlobID) uint32 {
		if equals(at, blob) {
			return uint32(at)
		}
		row, ok := digests[blob]
		if !ok {
			row = add(hashing.Sum128{}, blob)
			digests[blob] = row
		}
		return row
	}
	for i := range b.actions {
		a := &b.actions[i]
		at := int(w.at.source[i]) // until placeNodes, the node of a file has the number of the file
		c.source = append(c.source, digest(at, a.Source))
		for k := range a.Made {
			m := &a.Made[k]
			if equals(at, m.Blob) && w.files[at].Sum == m.Sum {
				c.made = append(c.made, uint32(at))
			} else {
				c.made = append(c.made, add(m.Sum, m.Blob))
			}
		}
		for k := range a.Deps {
			at, known := b.findBuilderFile(a.Deps[k].seenKey())
			if !known {
				at = len(w.files)
			}
			c.deps = append(c.deps, digest(at, a.Deps[k].Blob))
		}
	}
}

// writeContents writes the contents, in the order of their numbers from shareContents.
func (w *writer) writeContents(b *builder) {
	next, dep, made := uint32(0), 0, 0
	put := func(row uint32, sum hashing.Sum128, blob store.BlobID) {
		if row == next {
			w.sec[secContents] = appendContent(w.sec[secContents], sum, blob)
			next++
		}
	}
	for i := range w.files {
		put(next, w.files[i].Sum, w.files[i].Blob)
	}
	for i := range b.actions {
		a := &b.actions[i]
		put(w.content.source[i], hashing.Sum128{}, a.Source)
		for k := range a.Made {
			put(w.content.made[made], a.Made[k].Sum, a.Made[k].Blob)
			made++
		}
		for k := range a.Deps {
			put(w.content.deps[dep], hashing.Sum128{}, a.Deps[k].Blob)
			dep++
		}
	}
}
