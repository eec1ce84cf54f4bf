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
	// Read returns the content. Create may call it twice, and may call it concurrently for
	// different files.
	Read func() ([]byte, error)
	// Gone marks a file that a patch removes. Read may then be nil.
	Gone bool
	// Size and Digest are the length and the BLAKE3 hash of the content. If they are known, Create
	// does not read files whose data it can copy from another pak. A zero Digest means unknown.
	Size   int64
	Digest hashing.Digest
}

// Options are the options of [Create]. The zero value suits most paks.
type Options struct {
	// Previous is the name of the pak that the new pak replaces; "" for none. Unchanged files keep
	// their offsets, unless the new pak would be at least a quarter unused.
	Previous string
	// Reuse is an open pak, or nil. Create copies the data of files with equal content from it.
	// Create shares blocks if the file system supports that. Reuse saves work but does not change
	// the new pak. Reuse must have been created with the same Level and without Previous. It is
	// ignored if Previous is set.
	Reuse *Pak
	// Patches is the Digest of the pak that the new pak patches; zero for none.
	Patches hashing.Digest
	// Level is the compression level of the zstd program; 0 means 3. With a negative level, files
	// are stored uncompressed. A file that would shrink by less than one sixteenth is also stored
	// uncompressed.
	Level int
	// Key signs the pak; nil means no signature.
	Key ed25519.PrivateKey
	// Workers is the number of files that are compressed at the same time; 0 means one.
	Workers int
	// Memory limits the total size of the files that are compressed at the same time; 0 means no
	// limit. Only files with a known Size count. A larger file is compressed alone.
	Memory int64
}

// Stats describes the work of Create.
type Stats struct {
	Files  int   // number of all files
	Kept   int   // number of files that kept their offsets in Previous
	Reused int   // number of files copied from Reuse
	Size   int64 // size of the pak in bytes
	// Written is the number of bytes that were not copied from Previous or Reuse.
	Written int64
}

// Create writes a pak. The file appears under its name only when it is complete, so name may equal
// opt.Previous. Equal files, options and previous paks give identical paks.
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
			return Stats{}, fmt.Errorf("%s is listed twice", f.Name)
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

type writer struct {
	cores   *parallel.Cores
	files   []File
	entries []Entry
	kept    []bool // whether each file has been written
	out     *os.File
	encoder *zstd.Encoder // nil if nothing is compressed
	gaps    regions       // free space between the kept files
	layout  layout
	reuse   *reuse // nil if Options.Reuse is nil or ignored
	batch   int    // maximum number of files in a batch
	memory  int64  // maximum total size of a batch in bytes; 0 for no limit
	stats   Stats
}

// writePak writes the directory, and all data that is not kept from the previous pak.
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
	// Files are compressed concurrently in batches, and written in order. Only one batch is in
	// memory at a time.
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

// nextPacked returns the number of files in the next batch.
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

// findRoom writes data into the first sufficient gap, or after all other data.
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

// putData writes files at their offsets.
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
		if err := w.reuse.copyPutOff(w.out); err != nil { // write pending copies first, because the new file may belong between them
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

// finishPak writes the directory and everything after it.
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
