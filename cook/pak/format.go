package pak

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/hashing"
)

const (
	headerSize = 16
	recordSize = 72
	slotSize   = 4
	footerSize = 128
	pageSize   = 4096
	smallAlign = 64
	// largeSize is the minimum size of data that is aligned to 4096 bytes.
	largeSize = 64 << 10
	// maxFiles limits the number of files in a pak, because record numbers have 32 bits.
	maxFiles = 1 << 30
	// maxRatio is larger than any compression ratio of Zstandard, which can store 128 KiB in a
	// block of four bytes.
	maxRatio = 1 << 16

	// maxWindow is the maximum window size of a Zstandard frame.
	maxWindow = 8 << 20

	headerMagic = "COOKPAK\x01"
	footerMagic = "PAKINDEX"

	flagSigned = 1
)

// These are the storage forms of a file's data.
const (
	stored  = 0
	zstdOne = 1
	gone    = 2
)

// ErrDamaged is wrapped by all errors about a pak that violates the format.
var ErrDamaged = errors.New("damaged pak")

func damagedPak(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// An Entry is a file in a pak.
type Entry struct {
	Name string
	// Size is the size of the file; Packed is its stored size in the pak.
	Size, Packed int64
	// Offset is the position of the data in the pak.
	Offset int64
	// Digest is the BLAKE3 hash of the file's content.
	Digest hashing.Digest
	// Compressed is set if the data is stored as Zstandard frames.
	Compressed bool
	// Gone marks a removed file, which hides files of that name in earlier paks of [Layers].
	Gone bool
}

// alignData rounds an offset up to the alignment for data of the given size.
func alignData(offset, size int64) int64 {
	step := int64(smallAlign)
	if size >= largeSize {
		step = pageSize
	}
	return (offset + step - 1) / step * step
}

func hashOf(name string) uint64 { return xxh3.HashString(name) }

// slotCount returns the number of hash table slots for n files.
func slotCount(n int) int {
	slots := 2
	for slots < 2*n {
		slots *= 2
	}
	return slots
}

// checkPakName returns an error if a file name is invalid in paks.
func checkPakName(name string) error {
	switch {
	case !fs.ValidPath(name) || name == ".":
		return fmt.Errorf("%q is not the path of a file", name)
	case len(name) > 1<<16-1:
		return fmt.Errorf("the path %.40q... is longer than 65535 bytes", name)
	case strings.ContainsRune(name, 0):
		return fmt.Errorf("the path %q has a zero byte", name)
	}
	return nil
}

// appendDirectory appends records, slots and names. entries must be sorted by name.
func appendDirectory(b []byte, entries []Entry) (_ []byte, names int) {
	slots := make([]uint32, slotCount(len(entries)))
	for i := range entries {
		e := &entries[i]
		hash := hashOf(e.Name)
		b = binary.LittleEndian.AppendUint64(b, hash)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Offset))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Packed))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = append(b, e.Digest[:]...)
		b = binary.LittleEndian.AppendUint32(b, uint32(names))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
		how := byte(stored)
		switch {
		case e.Gone:
			how = gone
		case e.Compressed:
			how = zstdOne
		}
		b = append(b, how, 0)
		names += len(e.Name)
		at := hash & uint64(len(slots)-1)
		for slots[at] != 0 {
			at = (at + 1) & uint64(len(slots)-1)
		}
		slots[at] = uint32(i + 1)
	}
	for _, s := range slots {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	for i := range entries {
		b = append(b, entries[i].Name...)
	}
	return b, names
}

// A footer is the end of a pak, which locates the directory.
type footer struct {
	records             int64 // offset of the records in the pak
	count, slots, names int
	signed              bool
	digest, patches     hashing.Digest
}

func (f *footer) appendFooter(b []byte) []byte {
	b = append(b, footerMagic...)
	b = binary.LittleEndian.AppendUint64(b, uint64(f.records))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.count))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.slots))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.names))
	flags := uint32(0)
	if f.signed {
		flags |= flagSigned
	}
	b = binary.LittleEndian.AppendUint32(b, flags)
	b = append(b, f.digest[:]...)
	b = append(b, f.patches[:]...)
	return append(b, make([]byte, 32)...)
}

// footerSize returns the total size of records, slots and names.
func (f *footer) footerSize() int64 {
	return recordSize*int64(f.count) + slotSize*int64(f.slots) + int64(f.names)
}

// parseFooter decodes and validates b, which is the end of a file of size bytes.
func parseFooter(b []byte, size int64) (f footer, err error) {
	if len(b) != footerSize || string(b[:8]) != footerMagic {
		return f, damagedPak("the end of the file is not the end of a pak; the file was cut off, or is not a pak")
	}
	records := binary.LittleEndian.Uint64(b[8:])
	count, slots := binary.LittleEndian.Uint32(b[16:]), binary.LittleEndian.Uint32(b[20:])
	names, flags := binary.LittleEndian.Uint32(b[24:]), binary.LittleEndian.Uint32(b[28:])
	if count > maxFiles || slots < 2 || slots&(slots-1) != 0 || uint64(slots) < 2*uint64(count) {
		return f, damagedPak("the pak is damaged: %d files do not match a table of %d slots", count, slots)
	}
	if flags&^flagSigned != 0 {
		return f, fmt.Errorf("a later version made the pak (flags %#x); update this program", flags)
	}
	f = footer{records: int64(records), count: int(count), slots: int(slots), names: int(names), signed: flags&flagSigned != 0}
	copy(f.digest[:], b[32:])
	copy(f.patches[:], b[64:])
	tail := int64(footerSize)
	if f.signed {
		tail += signatureSize
	}
	if records > uint64(size) || f.records < headerSize || f.records%pageSize != 0 || f.records+f.footerSize()+tail != size {
		return f, damagedPak("the directory of the pak does not match the size of the file; copy the pak again")
	}
	return f, nil
}
