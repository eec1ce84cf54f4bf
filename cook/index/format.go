package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/cook/store"
	"github.com/assetcook/assetcook/hashing"
)

// Version is the format's. An index of another version is not read.
const Version = 1

var magic = [8]byte{'c', 'o', 'o', 'k', 'i', 'd', 'x', '\n'}

// The sections, in the order in which they follow each other.
const (
	secStrings = iota
	secFiles
	secActions
	secDeps
	secArtifacts
	secMethods
	secFields
	sectionCount
)

const (
	strSize      = 8 + 4 + 4             // offset, length, zero
	contentSize  = 5*8 + 4 + 4 + 16 + 32 // stamp, flags, checksum, blob ID
	actionMadeAt = 4*strSize + 2*4 + 2*32 + 2*8 + 8 + 4
	actionSize   = actionMadeAt + 4 + 8
	nameSize     = 16 // of the checksum function
	headerSize   = 8 + 4 + 4 + nameSize + sectionCount*16
	trailerSize  = 16
)

var rowSize = [sectionCount]int{
	secStrings:   1,
	secFiles:     strSize + contentSize,
	secActions:   actionSize,
	secDeps:      2*strSize + 32 + 4,
	secArtifacts: strSize + contentSize,
	secMethods:   2 * 8,
	secFields:    2 * strSize,
}

type section struct{ offset, count int }

// Why an index was not read. All of them mean work, none means harm.
var (
	ErrForeign = errors.New("not an index of cook")
	ErrVersion = errors.New("written by another version of cook")
	ErrDamaged = errors.New("damaged")
)

// Open reads an index in place; data must not change while it is in use.
// The error wraps ErrForeign, ErrVersion or ErrDamaged.
func Open(data []byte) (*Index, error) {
	if len(data) < len(magic) || !bytes.Equal(data[:len(magic)], magic[:]) {
		return nil, ErrForeign
	}
	d := decoder{b: data[len(magic):]}
	if len(d.b) < 4 {
		return nil, fmt.Errorf("%w: cut short", ErrDamaged)
	}
	if v := d.u32(); v != Version {
		return nil, fmt.Errorf("%w (format %d, this one reads %d)", ErrVersion, v, Version)
	}
	if len(data) < headerSize+trailerSize {
		return nil, fmt.Errorf("%w: cut short", ErrDamaged)
	}
	body := data[:len(data)-trailerSize]
	if sum := seal(body); !bytes.Equal(sum[:], data[len(body):]) {
		return nil, fmt.Errorf("%w: checksum does not match", ErrDamaged)
	}
	d.u32()
	x := &Index{data: data}
	x.checksum = string(bytes.TrimRight(d.take(nameSize), "\x00"))

	// The checksum holds, so what follows guards against a writer's mistake and
	// a forger, not against the weather.
	next := headerSize
	for s := range x.sections {
		offset, count := d.u64(), d.u64()
		if offset != uint64(next) || count > uint64((len(body)-next)/rowSize[s]) {
			return nil, fmt.Errorf("%w: section %d does not fit", ErrDamaged, s)
		}
		x.sections[s] = section{next, int(count)}
		next += int(count) * rowSize[s]
	}
	if next != len(body) {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrDamaged, len(body)-next)
	}
	if err := x.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return x, nil
}

// seal is the trailer of a body.
func seal(body []byte) [trailerSize]byte { return xxh3.Hash128(body).Bytes() }

// validate proves that no accessor can leave its section and that rows are in
// order, each once.
func (x *Index) validate() error {
	strs := [sectionCount]int{secFiles: 1, secActions: 4, secDeps: 2, secArtifacts: 1, secFields: 2}
	for s, n := range strs {
		for i := range x.sections[s].count {
			r := x.row(s, i)
			for k := range n {
				d := decoder{b: r[k*strSize:]}
				offset, length := d.u64(), uint64(d.u32())
				if total := uint64(x.sections[secStrings].count); offset > total || length > total-offset {
					return fmt.Errorf("section %d row %d: string outside", s, i)
				}
			}
		}
	}
	for i := 1; i < x.Files(); i++ {
		if bytes.Compare(x.FilePath(i-1), x.FilePath(i)) >= 0 {
			return fmt.Errorf("file %d out of order", i)
		}
	}
	deps, made := uint64(0), uint64(0)
	for i := range x.Actions() {
		if i > 0 {
			c := bytes.Compare(x.ActionPath(i-1), x.ActionPath(i))
			if c > 0 || c == 0 && bytes.Compare(x.ActionTarget(i-1), x.ActionTarget(i)) >= 0 {
				return fmt.Errorf("action %d out of order", i)
			}
		}
		d := decoder{b: x.row(secActions, i)[4*strSize:]}
		if state := d.u32(); state > uint32(Failed) {
			return fmt.Errorf("action %d: state %d", i, state)
		}
		if method := int(d.u32()); method >= x.Methods() {
			return fmt.Errorf("action %d: method %d", i, method)
		}
		d.take(2*32 + 2*8)
		firstDep, nDeps := d.u64(), uint64(d.u32())
		nMade, firstMade := uint64(d.u32()), d.u64()
		if firstDep != deps || firstMade != made {
			return fmt.Errorf("action %d: rows do not follow", i)
		}
		deps, made = deps+nDeps, made+nMade
	}
	if deps != uint64(x.Deps()) || made != uint64(x.Artifacts()) {
		return errors.New("rows that belong to no action")
	}
	fields := uint64(0)
	for i := range x.Methods() {
		d := decoder{b: x.row(secMethods, i)}
		first, n := d.u64(), d.u64()
		if first != fields || n > math.MaxInt32 {
			return fmt.Errorf("method %d: rows do not follow", i)
		}
		fields += n
	}
	if fields != uint64(x.sections[secFields].count) {
		return errors.New("fields that belong to no method")
	}
	return nil
}

func (x *Index) row(s, i int) []byte {
	at := x.sections[s].offset + i*rowSize[s]
	return x.data[at : at+rowSize[s] : at+rowSize[s]]
}

// str returns the string that a row's reference points to.
func (x *Index) str(ref []byte) []byte {
	d := decoder{b: ref}
	at := x.sections[secStrings].offset + int(d.u64())
	n := int(d.u32())
	return x.data[at : at+n : at+n]
}

const flagSettled = 1

func decodeContent(b []byte) (st scan.Stamp, settled bool, sum hashing.Sum128, blob store.BlobID) {
	d := decoder{b: b}
	st.Size, st.MTime, st.CTime = int64(d.u64()), int64(d.u64()), int64(d.u64())
	st.Inode, st.Device = d.u64(), d.u64()
	st.Mode = d.u32()
	settled = d.u32()&flagSettled != 0
	sum.Hi, sum.Lo = d.u64(), d.u64()
	copy(blob[:], d.take(32))
	return st, settled, sum, blob
}

func appendContent(b []byte, st scan.Stamp, settled bool, sum hashing.Sum128, blob store.BlobID) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(st.Size), uint64(st.MTime), uint64(st.CTime), st.Inode, st.Device} {
		b = le.AppendUint64(b, v)
	}
	flags := uint32(0)
	if settled {
		flags = flagSettled
	}
	b = le.AppendUint32(le.AppendUint32(b, st.Mode), flags)
	b = le.AppendUint64(le.AppendUint64(b, sum.Hi), sum.Lo)
	return append(b, blob[:]...)
}

// A decoder takes fields off the front of a row.
type decoder struct{ b []byte }

func (d *decoder) take(n int) []byte {
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
