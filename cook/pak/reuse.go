package pak

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/reflink"
)

// A reuse copies data from another pak. A nil reuse has no data.
type reuse struct {
	file  *os.File
	known map[hashing.Digest]*oldEntry
	run   run // range whose copy is deferred
}

type oldEntry struct {
	Entry
	number int // index in the order of the data
}

// A run is a range of bytes that is copied with one call.
type run struct {
	from, to, size int64
	last           int // number of the last entry in the range
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

// reuseKnown looks up the content of a file in the reused pak. If it finds the content, it fills in
// p's entry and returns true.
func (r *reuse) reuseKnown(p *packed, digest hashing.Digest, size int64) bool {
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

// copyFromOld copies the data of a file to its offset. It may defer the copy, so that one call also
// copies the next files.
func (r *reuse) copyFromOld(out *os.File, p *packed) error {
	from, to := p.old.Offset, p.entry.Offset
	// Only zeros separate adjacent entries of one range.
	if n := &r.run; n.size > 0 && p.old.number == n.last+1 && to-n.to == from-n.from {
		n.size, n.last = from+p.old.Packed-n.from, p.old.number
		return nil
	}
	if err := r.copyPutOff(out); err != nil {
		return err
	}
	r.run = run{from, to, p.old.Packed, p.old.number}
	return nil
}

// copyPutOff copies the deferred range with a system call. The system may share blocks if the range
// begins with a whole block and has the same alignment in both files.
func (r *reuse) copyPutOff(out *os.File) error {
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

// copyRange copies bytes from one file to another. It changes the file offsets of both.
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

// keepUnchanged finds the unchanged files of the previous pak. They keep their offsets.
func (w *writer) keepUnchanged(ctx context.Context, name string) error {
	old, err := Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer old.Close()
	known := map[string]Entry{}
	for e, err := range old.Entries() {
		if err != nil {
			return err
		}
		known[e.Name] = e
	}
	err = w.cores.Each(ctx, len(w.files), func(i int) error {
		e, ok := known[w.files[i].Name]
		if !ok || e.Gone || w.files[i].Gone || e.Compressed && w.encoder == nil {
			return nil
		}
		digest, size := w.files[i].Digest, w.files[i].Size
		if digest == (hashing.Digest{}) {
			content, err := w.files[i].Read()
			if err != nil {
				return err
			}
			digest, size = hashing.DigestOf(content), int64(len(content))
		}
		if digest == e.Digest && size == e.Size {
			w.entries[i], w.kept[i] = e, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	used, bytes := regions{}, int64(0)
	for i, kept := range w.kept {
		if e := &w.entries[i]; kept && e.Packed > 0 {
			used = append(used, region{e.Offset, e.Offset + e.Packed})
			bytes += e.Packed
		}
	}
	end := int64(headerSize)
	for _, r := range used {
		end = max(end, r.to)
	}
	if used.haveOverlap() || end-bytes > headerSize+pageSize*int64(len(used)) && 4*(end-bytes) > end {
		clear(w.kept) // the previous pak is damaged, or too much of it is unused
		clear(w.entries)
		return nil
	}
	w.gaps, w.layout.end = used.gaps(headerSize), end
	return w.copyPrevious(old, known)
}

// copyPrevious copies the unchanged data of the previous pak, and fills the rest with zeros. It
// shares blocks if the file system supports that.
func (w *writer) copyPrevious(old *Pak, known map[string]Entry) error {
	if reflink.Clone(w.out, old.file) == nil {
		for i, kept := range w.kept {
			if kept {
				delete(known, w.files[i].Name)
			}
		}
		for _, e := range known { // erase the data of removed files
			if err := w.writeZeros(e.Offset, min(e.Offset+e.Packed, w.layout.end)); err != nil {
				return err
			}
		}
		return w.out.Truncate(w.layout.end)
	}
	for i, kept := range w.kept {
		if e := &w.entries[i]; kept {
			if _, err := io.Copy(io.NewOffsetWriter(w.out, e.Offset), io.NewSectionReader(old.file, e.Offset, e.Packed)); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeZeros writes zeros to the range [from, to) of the file.
func (w *writer) writeZeros(from, to int64) error {
	if from >= to {
		return nil
	}
	_, err := w.out.WriteAt(make([]byte, to-from), from)
	return err
}

// A region is a range of bytes in a file; to is exclusive.
type region struct{ from, to int64 }

type regions []region

func (r regions) sortRegions() {
	slices.SortFunc(r, func(a, b region) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}

func (r regions) haveOverlap() bool {
	r.sortRegions()
	end := int64(0)
	for _, x := range r {
		if x.from < end && x.to > x.from {
			return true
		}
		end = max(end, x.to)
	}
	return false
}

// gaps returns the gaps between regions from an offset on.
func (r regions) gaps(from int64) (gaps regions) {
	r.sortRegions()
	for _, x := range r {
		if x.from > from {
			gaps = append(gaps, region{from, x.from})
		}
		from = max(from, x.to)
	}
	return gaps
}

// takeRoom returns the offset of the first sufficient region, and removes the used space from it.
func (r regions) takeRoom(size int64) (offset int64, ok bool) {
	for i := range r {
		if at := alignData(r[i].from, size); at+size <= r[i].to && at >= r[i].from {
			r[i].from = at + size
			return at, true
		}
	}
	return 0, false
}
