package pak

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/reflink"
)

// keep keeps unchanged files of the previous pak.
func (w *writer) keep(ctx context.Context, name string) error {
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
	if used.overlap() || end-bytes > headerSize+pageSize*int64(len(used)) && 4*(end-bytes) > end {
		clear(w.kept) // it is damaged, or so much of it is unused that it is better made anew
		clear(w.entries)
		return nil
	}
	w.gaps, w.layout.end = used.gaps(headerSize), end
	return w.takeOver(old, known)
}

// takeOver copies the data of the previous pak that stays, sharing its blocks if the file
// system can, and clears what does not.
func (w *writer) takeOver(old *Pak, known map[string]Entry) error {
	if reflink.Clone(w.out, old.file) == nil {
		for i, kept := range w.kept {
			if kept {
				delete(known, w.files[i].Name)
			}
		}
		for _, e := range known { // erase removed files
			if err := w.zero(e.Offset, min(e.Offset+e.Packed, w.layout.end)); err != nil {
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

// zero writes zeros from and up to an offset.
func (w *writer) zero(from, to int64) error {
	if from >= to {
		return nil
	}
	_, err := w.out.WriteAt(make([]byte, to-from), from)
	return err
}
