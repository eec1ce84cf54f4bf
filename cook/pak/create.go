package pak

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/parallel"
)

// A File is a file to put into a pak.
type File struct {
	Name string
	// Read returns the content. It may be called twice, and from several goroutines for
	// several files.
	Read func() ([]byte, error)
	// Gone removes the file, in a patch. Read may then be nil.
	Gone bool
	// Size and Digest are the length and the BLAKE3 of the content, if the caller knows them.
	// Create does not read a file whose data it can take from another pak. A zero Digest means
	// unknown.
	Size   int64
	Digest hashing.Digest
}

// Options say how a pak is made. The zero value is right for most.
type Options struct {
	// Previous is the pak that the new one replaces; "" for none. Unchanged files keep their
	// places, unless a quarter of the pak would become unused.
	Previous string
	// Reuse saves work, and does not change the pak: data of files that this one has as well
	// is copied out of it, sharing blocks if the file system can. It must be as Create has
	// made it, with the same Level and without Previous; with Previous it is not used. Nil is none.
	Reuse *Pak
	// Patches is the Digest of the pak that the new one is a patch for.
	Patches hashing.Digest
	// Level is how hard files are compressed, as the zstd program counts; 0 is 3, and a
	// negative one does not compress. A file that would shrink by less than one part in
	// sixteen is stored uncompressed.
	Level int
	// Key signs the pak; nil is no signature.
	Key ed25519.PrivateKey
	// Workers is how many files are read and compressed at once; 0 is one.
	Workers int
	// Memory is how many bytes the files that are compressed at once may have together, as
	// far as their Size is known. One that is larger is compressed by itself. 0 is no limit.
	Memory int64
}

// Stats count the work of Create.
type Stats struct {
	Files  int   // all
	Kept   int   // files that kept their places in Previous
	Reused int   // files copied from Reuse
	Size   int64 // bytes of the pak
	// Written is how many bytes were not taken from Previous or Reuse.
	Written int64
}

// Create writes a pak. It appears under its name when it is whole, or not at all; Previous
// may have the same name. Equal files, options and previous paks make equal paks.
func Create(ctx context.Context, name string, files []File, opt Options) (Stats, error) {
	stats, err := createFile(ctx, name, files, opt)
	if err != nil {
		return stats, fmt.Errorf("create %s: %w", name, err)
	}
	return stats, nil
}

func createFile(ctx context.Context, name string, files []File, opt Options) (Stats, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	names := 0
	for i, f := range files {
		if err := checkPakName(f.Name); err != nil {
			return Stats{}, err
		}
		if i > 0 && files[i-1].Name == f.Name {
			return Stats{}, fmt.Errorf("%s is there twice", f.Name)
		}
		names += len(f.Name)
	}
	if len(files) > maxFiles || uint64(names) >= 1<<32 {
		return Stats{}, fmt.Errorf("%d files with names of %d bytes are more than a pak can hold", len(files), names)
	}
	level := opt.Level
	if level == 0 {
		level = 3
	}
	cores := parallel.NewCores(max(1, opt.Workers))
	defer cores.Hold()()
	w := &writer{cores: cores, files: files, entries: make([]Entry, len(files)), kept: make([]bool, len(files)), layout: layout{end: headerSize}, batch: max(1, opt.Workers), memory: opt.Memory}
	if level > 0 {
		encoder, err := newFrameEncoder(level, w.batch)
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
	if opt.Reuse != nil && opt.Previous == "" {
		if w.reuse, err = newReuse(opt.Reuse); err != nil {
			return Stats{}, err
		}
	}
	if opt.Previous != "" {
		if err := w.keepUnchanged(ctx, opt.Previous); err != nil {
			return Stats{}, err
		}
	}
	if err := w.writePak(ctx, opt); err != nil {
		return Stats{}, err
	}
	return w.stats, out.Commit(name)
}

// A writer is Create at work.
type writer struct {
	cores   *parallel.Cores
	files   []File
	entries []Entry // entries of the files
	kept    []bool  // whether they are in their places
	out     *os.File
	encoder *zstd.Encoder // nil to compress nothing
	gaps    regions       // free space between kept files
	layout  layout        // places of the other files
	reuse   *reuse        // nil for none
	batch   int           // files that are packed side by side
	memory  int64         // bytes that they may take; 0 for no limit
	stats   Stats
}

// writePak writes the data that was not kept, and the directory.
func (w *writer) writePak(ctx context.Context, opt Options) error {
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
	for len(todo) > 0 {
		batch := todo[:w.nextPacked(todo)]
		todo = todo[len(batch):]
		ready := make([]packed, len(batch))
		if err := w.cores.Each(ctx, len(batch), func(k int) (err error) { ready[k], err = w.packOrReuse(batch[k]); return err }); err != nil {
			return err
		}
		for k := range ready {
			if err := w.findRoom(&ready[k]); err != nil {
				return err
			}
		}
	}
	if err := w.putData(w.layout.finalizePlaces()); err != nil {
		return err
	}
	if err := w.reuse.copyPutOff(w.out); err != nil {
		return err
	}
	return w.finishPak(opt)
}

// nextPacked returns how many of the remaining files are packed next.
func (w *writer) nextPacked(todo []int) (n int) {
	total := int64(0)
	for n < min(len(todo), w.batch) {
		if total += w.files[todo[n]].Size; n > 0 && w.memory > 0 && total > w.memory {
			break
		}
		n++
	}
	return n
}

// findRoom finds room for data: in the first gap that has it, or behind all other data.
func (w *writer) findRoom(p *packed) error {
	if p.entry.Packed > 0 {
		offset, ok := w.gaps.takeRoom(p.entry.Packed)
		if !ok {
			return w.putData(w.layout.placeData(p))
		}
		p.entry.Offset = offset
	}
	return w.putData([]*packed{p})
}

// putData writes data to its places.
func (w *writer) putData(list []*packed) error {
	for _, p := range list {
		w.entries[p.i] = p.entry
		if p.old != nil {
			w.stats.Reused++
			if err := w.reuse.copyFromOld(w.out, p); err != nil {
				return err
			}
			continue
		}
		if err := w.reuse.copyPutOff(w.out); err != nil { // the new file may lie inside the copied run
			return err
		}
		w.stats.Written += p.entry.Packed
		if _, err := w.out.WriteAt(p.data, p.entry.Offset); err != nil {
			return err
		}
		p.data = nil
	}
	return nil
}

// finishPak writes the directory and all that follows.
func (w *writer) finishPak(opt Options) error {
	f := footer{count: len(w.entries), slots: slotCount(len(w.entries)), signed: opt.Key != nil, patches: opt.Patches}
	directory, names := appendDirectory(nil, w.entries)
	f.names, f.digest = names, hashing.DigestOf(directory)
	tail := int64(footerSize)
	if f.signed {
		tail += signatureSize
	}
	f.records = directoryAt(w.layout.end, int64(len(directory))+tail)
	end := f.appendFooter(nil)
	if opt.Key != nil {
		directory = append(directory, ed25519.Sign(opt.Key, end)...)
	}
	directory = append(directory, end...)
	if _, err := w.out.WriteAt(directory, f.records); err != nil {
		return err
	}
	w.stats.Files, w.stats.Size = len(w.entries), f.records+int64(len(directory))
	w.stats.Written += int64(len(directory))
	return w.out.Truncate(w.stats.Size)
}
