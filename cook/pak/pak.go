package pak

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/mapped"
	"github.com/assetcook/assetcook/internal/regular"
)

const signatureSize = ed25519.SignatureSize

// A Pak is an open pak. Several goroutines may use it concurrently.
type Pak struct {
	file      *os.File
	footer    footer
	directory *mapped.File // mapped part of the file, from the records to the end

	records, slots, names []byte
}

// Open opens a pak in constant time. It does not check the whole directory; see Verify.
func Open(name string) (*Pak, error) {
	p, err := mapPak(name)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	return p, nil
}

func mapPak(name string) (*Pak, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return New(f)
}

// New is like Open for an open file, which the Pak then owns. If New fails, it closes f.
func New(f *os.File) (*Pak, error) {
	p := &Pak{file: f}
	if err := p.findDirectory(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// findDirectory reads the footer and maps the directory.
func (p *Pak) findDirectory() (err error) {
	var header [headerSize]byte
	if n, _ := p.file.ReadAt(header[:], 0); n < headerSize || string(header[:8]) != headerMagic {
		if n == headerSize && string(header[:7]) == headerMagic[:7] {
			return fmt.Errorf("the pak has version %d, want %d", header[7], headerMagic[7])
		}
		return damagedPak("the file is not a pak; cook pak create makes one")
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size < headerSize+footerSize {
		return damagedPak("the file has %d bytes, too few for a pak", size)
	}
	var end [footerSize]byte
	if n, err := p.file.ReadAt(end[:], size-footerSize); n < footerSize {
		return err
	}
	if p.footer, err = parseFooter(end[:], size); err != nil {
		return err
	}
	if p.directory, err = mapped.Part(p.file, p.footer.records, int(size-p.footer.records)); err != nil {
		return err
	}
	p.records = p.directory.Data[:recordSize*p.footer.count]
	all := p.directory.Data[len(p.records):p.footer.footerSize()]
	p.slots, p.names = all[:slotSize*p.footer.slots], all[slotSize*p.footer.slots:]
	return nil
}

// guardFaults turns a page fault into an error. The fault means that the mapped file was truncated.
func guardFaults(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault)
			}
			err = damagedPak("the file was cut off while it was open")
		}
	}()
	return do()
}

// Close closes the pak and makes its open files invalid.
func (p *Pak) Close() error {
	if p.directory != nil {
		p.directory.Close()
	}
	p.records, p.slots, p.names = nil, nil, nil
	return p.file.Close()
}

// Len returns the number of entries.
func (p *Pak) Len() int { return p.footer.count }

// Digest returns the BLAKE3 hash of the directory. It changes with any file, and with the order of
// the data.
func (p *Pak) Digest() hashing.Digest { return p.footer.digest }

// Patches returns the Digest of the pak that this pak patches. It returns zero if this pak is not a
// patch.
func (p *Pak) Patches() hashing.Digest { return p.footer.patches }

// Lookup finds an entry by its name. The entry may be Gone.
func (p *Pak) Lookup(name string) (e Entry, ok bool, err error) {
	err = guardFaults(func() error { e, ok, err = p.lookupEntry(name); return err })
	return e, ok, err
}

func (p *Pak) lookupEntry(name string) (e Entry, ok bool, err error) {
	hash := hashOf(name)
	mask := uint64(p.footer.slots - 1)
	at := hash & mask
	for range p.footer.slots {
		number := binary.LittleEndian.Uint32(p.slots[slotSize*at:])
		if number == 0 {
			return e, false, nil
		}
		if int64(number) > int64(p.footer.count) {
			return e, false, damagedPak("a slot refers to record %d, but the number of records is %d", number, p.footer.count)
		}
		record := p.records[recordSize*(number-1):]
		if binary.LittleEndian.Uint64(record) == hash {
			found, err := p.recordName(int(number - 1))
			if err != nil {
				return e, false, err
			}
			if string(found) == name {
				e, err = p.recordEntry(int(number - 1))
				return e, err == nil, err
			}
		}
		at = (at + 1) & mask
	}
	return e, false, nil
}

func (p *Pak) recordName(i int) ([]byte, error) {
	record := p.records[recordSize*i:]
	from, n := int64(binary.LittleEndian.Uint32(record[64:])), int64(binary.LittleEndian.Uint16(record[68:]))
	if from+n > int64(len(p.names)) || n == 0 {
		return nil, damagedPak("record %d has no name", i+1)
	}
	return p.names[from : from+n], nil
}

// recordEntry decodes a record, and returns an error if the record is damaged.
func (p *Pak) recordEntry(i int) (Entry, error) {
	name, err := p.recordName(i)
	if err != nil {
		return Entry{}, err
	}
	record := p.records[recordSize*i:]
	offset, packed, size := binary.LittleEndian.Uint64(record[8:]), binary.LittleEndian.Uint64(record[16:]), binary.LittleEndian.Uint64(record[24:])
	e := Entry{Name: string(name), Offset: int64(offset), Packed: int64(packed), Size: int64(size)}
	copy(e.Digest[:], record[32:])
	if err := checkPakName(e.Name); err != nil {
		return e, damagedPak("record %d: %v", i+1, err)
	}
	end := uint64(p.footer.records)
	if offset > end || packed > end-offset {
		return e, damagedPak("the data of %s is outside of the file", e.Name)
	}
	switch how := record[70]; {
	case how == stored && packed != size, how == zstdOne && size > maxRatio*(packed+64), how == gone && (packed != 0 || size != 0):
		return e, damagedPak("%s has %d bytes, but is packed into %d", e.Name, size, packed)
	case how > gone:
		return e, damagedPak("%s is stored by the unknown method %d; update this program", e.Name, how)
	default:
		e.Compressed, e.Gone = how == zstdOne, how == gone
	}
	return e, nil
}

// Entries yields all entries, sorted by name. It ends after the first error.
func (p *Pak) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := range p.footer.count {
			var e Entry
			err := guardFaults(func() (err error) { e, err = p.recordEntry(i); return err })
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// readUnchecked returns the content of an entry without checking its digest.
func (p *Pak) readUnchecked(e *Entry) ([]byte, error) {
	data := make([]byte, e.Packed)
	if n, err := p.file.ReadAt(data, e.Offset); int64(n) < e.Packed {
		return nil, err
	}
	if !e.Compressed {
		return data, nil
	}
	return decodeEntry(data, e)
}

// decoders is a pool of Zstandard decoders.
var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		panic(err) // cannot happen, because the options are constant
	}
	return d
}}

// decodeEntry decodes the frames of an entry. The size in the entry and maxWindow limit the memory
// use, even for malicious frames.
func decodeEntry(data []byte, e *Entry) ([]byte, error) {
	d := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(d)
	if err := d.Reset(bytes.NewReader(data)); err != nil {
		return nil, damagedPak("%s: %v", e.Name, err)
	}
	defer d.Reset(nil)
	out := make([]byte, 0, min(e.Size, 64*(e.Packed+1))) // never empty, so that it can double
	for int64(len(out)) < e.Size {
		if len(out) == cap(out) {
			out = slices.Grow(out, min(len(out), int(e.Size)-len(out)))
		}
		n, err := io.ReadFull(d, out[len(out):min(int64(cap(out)), e.Size)])
		if out = out[:len(out)+n]; err != nil {
			return nil, damagedPak("%s: its compressed frame has %d bytes, want %d: %v", e.Name, len(out), e.Size, err)
		}
	}
	if n, err := d.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, damagedPak("%s: its compressed frame has more than %d bytes", e.Name, e.Size)
	}
	return out, nil
}

// Verify checks the whole pak: the directory, and the digests of all files. It calls wrong for each
// fault, with an error that wraps ErrDamaged. Verify itself returns an error only if it cannot read
// the pak.
func (p *Pak) Verify(wrong func(error)) error {
	return guardFaults(func() error {
		if hashing.DigestOf(p.directory.Data[:p.footer.footerSize()]) != p.footer.digest {
			wrong(damagedPak("the directory of the pak does not match its digest; copy the pak again"))
		}
		last, used, entries := "", regions{}, make([]Entry, 0, p.footer.count)
		for i := range p.footer.count {
			e, err := p.recordEntry(i)
			if err != nil {
				wrong(err)
				continue
			}
			if e.Name <= last {
				wrong(damagedPak("the name %s is out of order", e.Name))
			}
			last = e.Name
			if found, ok, _ := p.lookupEntry(e.Name); !ok || found != e {
				wrong(damagedPak("the hash table of the pak does not lead to %s", e.Name))
			}
			used = append(used, region{e.Offset, e.Offset + e.Packed})
			if !e.Gone {
				entries = append(entries, e)
			}
		}
		if used.haveOverlap() { // reading files that overlap could take arbitrarily long
			wrong(damagedPak("files overlap"))
			return nil
		}
		for i := range entries {
			e := &entries[i]
			content, err := p.readUnchecked(e)
			if err == nil && hashing.DigestOf(content) != e.Digest {
				err = damagedPak("%s does not match its digest", e.Name)
			}
			if err != nil {
				wrong(err)
			}
		}
		return nil
	})
}

// ErrSignature reports that a pak was not signed with the key, or was changed after signing.
var ErrSignature = errors.New("the signature is wrong")

// VerifySignature checks the signature of the directory, which contains the digests of all files.
// It does not check the files; see Verify and ReadVerified.
func (p *Pak) VerifySignature(key ed25519.PublicKey) error {
	if !p.footer.signed {
		return fmt.Errorf("%w: the pak has no signature", ErrSignature)
	}
	return guardFaults(func() error {
		all := p.directory.Data[:p.footer.footerSize()]
		rest := p.directory.Data[len(all):]
		if !ed25519.Verify(key, rest[signatureSize:], rest[:signatureSize]) {
			return ErrSignature
		}
		if hashing.DigestOf(all) != p.footer.digest {
			return fmt.Errorf("%w: the directory of the pak was changed after it was signed", ErrSignature)
		}
		return nil
	})
}

// ReadVerified is like ReadFile, but also checks the digest of the content.
func (p *Pak) ReadVerified(name string) ([]byte, error) {
	e, err := p.findEntry("read", name)
	if err != nil {
		return nil, err
	}
	data, err := p.readUnchecked(&e)
	if err == nil && hashing.DigestOf(data) != e.Digest {
		err = damagedPak("%s does not match its digest", name)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return data, nil
}

// A Difference is a file that differs between two paks.
type Difference struct {
	Old, New Entry // Name is "" for a pak without the file
}

// Diff yields the files that differ between two paks, sorted by name. It compares contents and
// ignores how files are stored. If one pak patches the other, Diff yields the files that the patch
// changes, adds and removes. Diff fails if one pak patches a third pak and lacks a file that Diff
// needs.
func Diff(a, b *Pak) iter.Seq2[Difference, error] {
	return func(yield func(Difference, error) bool) {
		nextA, stopA := iter.Pull2(a.Entries())
		defer stopA()
		nextB, stopB := iter.Pull2(b.Entries())
		defer stopB()
		x, errX, moreX := nextA()
		y, errY, moreY := nextB()
		for moreX || moreY {
			if err := errors.Join(errX, errY); err != nil {
				yield(Difference{}, err)
				return
			}
			order := bytes.Compare([]byte(x.Name), []byte(y.Name))
			if !moreX {
				order = 1
			} else if !moreY {
				order = -1
			}
			d, same := Difference{x, y}, false
			var err error
			switch {
			case order < 0:
				d.New = Entry{}
				same, err = b.inherits(a, &x)
			case order > 0:
				d.Old = Entry{}
				same, err = a.inherits(b, &y)
			default:
				same = x.Digest == y.Digest && x.Gone == y.Gone
			}
			if err != nil {
				yield(Difference{}, err)
				return
			}
			if !same && !yield(d, nil) {
				return
			}
			if order <= 0 {
				x, errX, moreX = nextA()
			}
			if order >= 0 {
				y, errY, moreY = nextB()
			}
		}
	}
}

// inherits handles an entry of other without a record in p. It reports whether the paks
// nevertheless agree, because p patches other or because neither pak has the file.
func (p *Pak) inherits(other *Pak, e *Entry) (bool, error) {
	switch p.Patches() {
	case hashing.Digest{}:
		return e.Gone, nil
	case other.Digest():
		return true, nil
	}
	return false, fmt.Errorf("%s: the patch is for another pak than %s; compare the patch with its own pak", p.file.Name(), other.file.Name())
}
