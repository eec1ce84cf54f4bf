package pak

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/parallel"
	"github.com/assetcook/assetcook/internal/reflink"
)

// A File is what is to be in a pak.
type File struct {
	Name string
	// Read returns the content. It may be called twice, and from several goroutines for
	// several files.
	Read func() ([]byte, error)
	// Gone says in a patch that there is no such file. Read may be nil then.
	Gone bool
}

// Options say how a pak is made. The zero value is right for most.
type Options struct {
	// Previous is the pak that the new one replaces: "" for none. What is the same stays
	// where it is, unless that would leave a quarter of the pak unused.
	Previous string
	// Patches is the Digest of the pak that the new one is a patch for.
	Patches hashing.Digest
	// Level is how hard files are compressed, as the zstd program counts; 0 is 3, and a
	// negative one does not compress. A file that loses less than one part in sixteen is
	// stored as it is.
	Level int
	// Key signs the pak; nil is no signature.
	Key ed25519.PrivateKey
	// Workers is how many files are read and compressed at once; 0 is one.
	Workers int
}

// Stats say what Create did.
type Stats struct {
	Files, Kept int   // all, and those whose bytes stayed where they were
	Size        int64 // of the pak
	Written     int64 // bytes that differ, or may differ, from those of the previous pak
}

// Create writes a pak. It appears under its name when it is whole, or not at all; Previous
// may have the same name. Equal files, options and previous paks make equal paks.
func Create(ctx context.Context, name string, files []File, opt Options) (Stats, error) {
	stats, err := create(ctx, name, files, opt)
	if err != nil {
		return stats, fmt.Errorf("create %s: %w", name, err)
	}
	return stats, nil
}

func create(ctx context.Context, name string, files []File, opt Options) (Stats, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	names := 0
	for i, f := range files {
		if err := checkName(f.Name); err != nil {
			return Stats{}, err
		}
		if i > 0 && files[i-1].Name == f.Name {
			return Stats{}, fmt.Errorf("%s is there twice", f.Name)
		}
		names += len(f.Name)
	}
	if len(files) > maxFiles || names >= 1<<32 {
		return Stats{}, fmt.Errorf("%d files with names of %d bytes are more than a pak can hold", len(files), names)
	}
	level := opt.Level
	if level == 0 {
		level = 3
	}
	cores := parallel.NewCores(max(1, opt.Workers))
	defer cores.Hold()()
	w := &writer{cores: cores, files: files, entries: make([]Entry, len(files)), kept: make([]bool, len(files)), end: headerSize, batch: max(1, opt.Workers)}
	if level > 0 {
		encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)), zstd.WithEncoderConcurrency(w.batch),
			zstd.WithWindowSize(maxWindow), zstd.WithEncoderCRC(false))
		if err != nil {
			return Stats{}, err
		}
		defer encoder.Close()
		w.encoder = encoder
	}
	out, err := atomicfile.Create(filepath.Dir(name), 0o666)
	if err != nil {
		return Stats{}, err
	}
	defer out.Discard()
	w.out = out.File
	if opt.Previous != "" {
		if err := w.keep(ctx, opt.Previous); err != nil {
			return Stats{}, err
		}
	}
	if err := w.write(ctx, opt); err != nil {
		return Stats{}, err
	}
	return w.stats, out.Commit(name)
}

// A writer is Create at work.
type writer struct {
	cores   *parallel.Cores
	files   []File
	entries []Entry // of the files
	kept    []bool  // whether they are in their places
	out     *os.File
	encoder *zstd.Encoder // nil to compress nothing
	gaps    regions       // that are free, below end
	end     int64         // of the data
	batch   int           // files that are packed side by side
	stats   Stats
}

// keep takes over from the previous pak what is the same.
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
		content, err := w.files[i].Read()
		if err != nil {
			return err
		}
		if hashing.DigestOf(content) == e.Digest && int64(len(content)) == e.Size {
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
	w.gaps, w.end = used.gaps(headerSize), end
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
		for _, e := range known { // nothing of what is gone stays readable
			if err := w.zero(e.Offset, min(e.Offset+e.Packed, w.end)); err != nil {
				return err
			}
		}
		return w.out.Truncate(w.end)
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

// A packed is the content of a file as it is to be stored.
type packed struct {
	entry Entry
	data  []byte
}

// pack reads and compresses a file.
func (w *writer) pack(i int) (packed, error) {
	f := &w.files[i]
	if f.Gone {
		return packed{entry: Entry{Name: f.Name, Gone: true}}, nil
	}
	content, err := f.Read()
	if err != nil {
		return packed{}, err
	}
	p := packed{Entry{Name: f.Name, Size: int64(len(content)), Packed: int64(len(content)), Digest: hashing.DigestOf(content)}, content}
	if w.encoder != nil && len(content) > 0 {
		if small := w.encoder.EncodeAll(content, nil); len(small) < len(content)-len(content)/16 {
			p.data, p.entry.Packed, p.entry.Compressed = small, int64(len(small)), true
		}
	}
	return p, nil
}

// write writes what was not kept, and the directory.
func (w *writer) write(ctx context.Context, opt Options) error {
	if _, err := w.out.WriteAt(append([]byte(headerMagic), make([]byte, headerSize-len(headerMagic))...), 0); err != nil {
		return err
	}
	var todo []int
	for i, kept := range w.kept {
		if kept {
			w.stats.Kept++
		} else {
			todo = append(todo, i)
		}
	}
	// Files are packed side by side and placed in their order, a few at a time: no more
	// of them are in memory.
	for batch := range slices.Chunk(todo, w.batch) {
		ready := make([]packed, len(batch))
		if err := w.cores.Each(ctx, len(batch), func(k int) (err error) { ready[k], err = w.pack(batch[k]); return err }); err != nil {
			return err
		}
		for k, i := range batch {
			if err := w.place(&ready[k]); err != nil {
				return err
			}
			w.entries[i] = ready[k].entry
		}
	}
	records := (w.end + pageSize - 1) / pageSize * pageSize
	f := footer{records: records, count: len(w.entries), slots: slotsFor(len(w.entries)), signed: opt.Key != nil, patches: opt.Patches}
	directory, names := appendDirectory(nil, w.entries)
	f.names, f.digest = names, hashing.DigestOf(directory)
	end := f.append(nil)
	if opt.Key != nil {
		directory = append(directory, ed25519.Sign(opt.Key, end)...)
	}
	directory = append(directory, end...)
	if err := w.zero(w.end, records); err != nil {
		return err
	}
	if _, err := w.out.WriteAt(directory, records); err != nil {
		return err
	}
	w.stats.Files, w.stats.Size = len(w.entries), records+int64(len(directory))
	w.stats.Written += int64(len(directory))
	return w.out.Truncate(w.stats.Size)
}

// place writes data into the first gap that has room for it, or to the end.
func (w *writer) place(p *packed) error {
	e := &p.entry
	if e.Packed == 0 {
		return nil
	}
	offset, ok := w.gaps.take(e.Packed)
	if !ok {
		offset = align(w.end, e.Packed)
		if err := w.zero(w.end, offset); err != nil {
			return err
		}
		w.end = offset + e.Packed
	}
	e.Offset = offset
	w.stats.Written += e.Packed
	_, err := w.out.WriteAt(p.data, offset)
	return err
}
