package pak

import (
	"cmp"
	"io"
	"os"
	"slices"

	"github.com/assetcook/assetcook/hashing"
)

// A reuse copies data of another pak. A nil reuse has no data.
type reuse struct {
	file  *os.File
	known map[hashing.Digest]*oldEntry // by content
	run   run                          // that is still to be copied
}

// An oldEntry is one of that pak.
type oldEntry struct {
	Entry
	number int // in the order of the data
}

// A run is bytes that are copied at once.
type run struct {
	from, to, size int64
	last           int // number of the entry that it ends with
}

func newReuse(p *Pak) (*reuse, error) {
	var list []*oldEntry
	for e, err := range p.Entries() {
		if err != nil {
			return nil, err
		}
		if !e.Gone && e.Packed > 0 {
			list = append(list, &oldEntry{Entry: e})
		}
	}
	slices.SortFunc(list, func(a, b *oldEntry) int { return cmp.Compare(a.Offset, b.Offset) })
	r := &reuse{file: p.file, known: make(map[hashing.Digest]*oldEntry, len(list))}
	for i, e := range list {
		e.number = i
		r.known[e.Digest] = e
	}
	return r, nil
}

// find completes a file if its content is known.
func (r *reuse) find(p *packed, digest hashing.Digest, size int64) bool {
	if r == nil {
		return false
	}
	old, ok := r.known[digest]
	if !ok || old.Size != size {
		return false
	}
	p.old, p.entry.Size, p.entry.Packed, p.entry.Digest, p.entry.Compressed = old, size, old.Packed, digest, old.Compressed
	return true
}

// copyFromOld copies the data of a file to its place, or will do so with what follows.
func (r *reuse) copyFromOld(out *os.File, p *packed) error {
	from, to := p.old.Offset, p.entry.Offset
	// Neighboring entries are one run, with only zeros between them.
	if n := &r.run; n.size > 0 && p.old.number == n.last+1 && to-n.to == from-n.from {
		n.size, n.last = from+p.old.Packed-n.from, p.old.number
		return nil
	}
	if err := r.flush(out); err != nil {
		return err
	}
	r.run = run{from, to, p.old.Packed, p.old.number}
	return nil
}

// flush copies what take has put off. Package os has the system do it, and that shares blocks
// where both files have theirs at the same offsets, if it begins with a whole one.
func (r *reuse) flush(out *os.File) error {
	if r == nil || r.run.size == 0 {
		return nil
	}
	n := r.run
	r.run = run{}
	if head := min(-n.from&(pageSize-1), n.size); head > 0 && (n.from-n.to)%pageSize == 0 {
		if err := copyRange(out, r.file, n.to, n.from, head); err != nil {
			return err
		}
		n = run{n.from + head, n.to + head, n.size - head, 0}
	}
	return copyRange(out, r.file, n.to, n.from, n.size)
}

// copyRange copies bytes from one file to another, and moves the offsets of both.
func copyRange(dst, src *os.File, to, from, size int64) error {
	if _, err := dst.Seek(to, io.SeekStart); err != nil {
		return err
	}
	if _, err := src.Seek(from, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyN(dst, src, size)
	return err
}
