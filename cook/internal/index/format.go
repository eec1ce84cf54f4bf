package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// Version is the version of the format. An index of another version is ignored.
const Version = 5

var magic = [8]byte{'c', 'o', 'o', 'k', 'i', 'd', 'x', '\n'}

// The sections, in file order. A no-op run reads only the first three.
const (
	secFolders = iota
	secNodes
	secNames
	secContents
	secByPath
	secConfigs
	secByOutput
	secActions
	secDeps
	secMade
	secMethods
	secFields
	secStrings
	sectionCount
	firstCold = secContents
)

const (
	nameSize   = 16        // size of the name of the checksum function
	totalsSize = 5 * 8     // five fields of Totals
	sealSize   = 16        // size of an XXH3-128
	stampSize  = 5*8 + 4   // fields: size, times, inode, device, mode
	strSize    = 4 + 4     // fields: offset, length
	entrySize  = 8 + 8     // size of a row in the table of sections
	checksumAt = 8 + 4 + 4 // offset of the checksum function's name, after magic, version and a zero word
	tableAt    = checksumAt + nameSize
	sealsAt    = tableAt + sectionCount*entrySize // offset of the seal of all seals
	headerEnd  = sealsAt + sealSize               // end of the header, followed by the seal of the header
	headerSize = headerEnd + sealSize

	// Everything after the header is sealed in blocks of this size.
	blockSize = 64 << 10

	// A directory consists of: offset and length of its path, of its real path, flags, the row
	// after its last subdirectory, first node, number of nodes, stamp.
	folderRealAt  = 4 + 4
	folderFlagsAt = folderRealAt + 4 + 4
	folderEndAt   = folderFlagsAt + 4
	folderFirstAt = folderEndAt + 4
	folderCountAt = folderFirstAt + 4
	folderStampAt = folderCountAt + 4
	folderSize    = folderStampAt + stampSize + 4

	// A node consists of: offset and length of its name, flags, directory, action, stamp. It fits
	// in one cache line.
	nodeFlagsAt  = 4 + 4
	nodeFolderAt = nodeFlagsAt + 4
	nodeActionAt = nodeFolderAt + 4
	nodeStampAt  = nodeActionAt + 4
	nodeSize     = nodeStampAt + stampSize

	contentSize = 16 + 32 // fields: checksum, blob ID

	actionStateAt     = 4
	actionMethodAt    = actionStateAt + 4
	actionDepsCountAt = actionMethodAt + 4
	actionMadeCountAt = actionDepsCountAt + 4
	actionDepsAt      = actionMadeCountAt + 4 + 4
	actionMadeAt      = actionDepsAt + 4
	actionTargetAt    = actionMadeAt + 4
	actionIDAt        = actionTargetAt + 3*strSize
	actionSourceAt    = actionIDAt + 32
	actionCookTimeAt  = actionSourceAt + 32
	actionSize        = actionCookTimeAt + 2*8

	actionWarned = 1

	madeRoleAt = 4
)

var rowSize = [sectionCount]int{
	secFolders:  folderSize,
	secNodes:    nodeSize,
	secNames:    1,
	secContents: contentSize,
	secByPath:   4,
	secConfigs:  4,
	secByOutput: 4,
	secActions:  actionSize,
	secDeps:     2*strSize + 32 + 4,
	secMade:     madeRoleAt + strSize,
	secMethods:  2 * 8,
	secFields:   2 * strSize,
	secStrings:  1,
}

type section struct{ offset, count int }

// These errors are the reasons why an index is not used. They cause more work, but never wrong
// results.
var (
	ErrForeign = errors.New("the file is not an index of cook")
	ErrVersion = errors.New("another version of cook wrote the index")
	ErrDamaged = errors.New("damaged")
)

// openFlat reads an index in place. data must not change while the index is in use. It checks the
// whole file, so that accessors cannot fail. The error wraps ErrForeign, ErrVersion or ErrDamaged.
func openFlat(data []byte) (*flat, error) {
	x, err := openHeader(data)
	if err != nil {
		return nil, err
	}
	if err := x.checkSeals(0, sectionCount); err != nil {
		return nil, err
	}
	if err := x.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return x, nil
}

// openHeader checks the header, and that the sections and seals fit into the file.
func openHeader(data []byte) (*flat, error) {
	if len(data) < len(magic) || !bytes.Equal(data[:len(magic)], magic[:]) {
		return nil, ErrForeign
	}
	if len(data) < len(magic)+4 {
		return nil, fmt.Errorf("%w: the index is cut short", ErrDamaged)
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != Version {
		return nil, fmt.Errorf("%w (format %d; this program reads format %d)", ErrVersion, v, Version)
	}
	if len(data) < headerSize {
		return nil, fmt.Errorf("%w: the index is cut short", ErrDamaged)
	}
	if sum := seal(data[:headerEnd]); !bytes.Equal(sum[:], data[headerEnd:headerSize]) {
		return nil, fmt.Errorf("%w: the checksum of the index header does not match", ErrDamaged)
	}
	x := &flat{data: data}
	x.checksum = string(bytes.TrimRight(data[checksumAt:tableAt], "\x00"))
	// The checksum matches, so these checks only find bugs of the writer and forged files.
	next := headerSize
	for s := range x.sections {
		e := data[tableAt+s*entrySize:]
		offset, count := binary.LittleEndian.Uint64(e), binary.LittleEndian.Uint64(e[8:])
		if offset != uint64(next) || count > uint64((len(data)-next)/rowSize[s]) || count > math.MaxUint32 {
			return nil, fmt.Errorf("%w: section %d does not fit in the file", ErrDamaged, s)
		}
		x.sections[s] = section{next, int(count)}
		next += int(count) * rowSize[s]
	}
	x.seals = data[next:]
	if n := blockCount(next - headerSize); len(x.seals) != n*sealSize {
		return nil, fmt.Errorf("%w: there are %d bytes of checksums for %d blocks", ErrDamaged, len(x.seals), n)
	}
	if sum := seal(x.seals); !bytes.Equal(sum[:], data[sealsAt:headerEnd]) {
		return nil, fmt.Errorf("%w: the checksum of the block checksums does not match", ErrDamaged)
	}
	x.sealed = make([]atomic.Uint32, (blockCount(next-headerSize)+31)/32)
	return x, nil
}

// ID returns the identity of a flat index.
func (x *flat) ID() string {
	id := x.headerSeal()
	return hex.EncodeToString(id[:])
}

// ReadID returns the ID of the index in data. It reads only the header.
func ReadID(data []byte) (string, error) {
	x, err := openHeader(data)
	if err != nil {
		return "", err
	}
	return x.ID(), nil
}

// headerSeal returns the header's seal, which covers all other seals.
func (x *flat) headerSeal() (id [sealSize]byte) {
	if len(x.data) > 0 {
		copy(id[:], x.data[headerEnd:])
	}
	return id
}

func seal(b []byte) [sealSize]byte { return xxh3.Hash128(b).Bytes() }

func (x *flat) row(s, i int) []byte {
	return x.sectionBytes(s, x.sections[s].offset+i*rowSize[s], rowSize[s])
}

// refAtRow returns the target row of the reference in row i of a section.
func (x *flat) refAtRow(s, i int) int { return int(binary.LittleEndian.Uint32(x.row(s, i))) }

// stringAt returns the string that a row's reference points to.
func (x *flat) stringAt(ref []byte) []byte {
	d := decoder{b: ref}
	at := int(d.u32())
	return x.sectionBytes(secStrings, x.sections[secStrings].offset+at, int(d.u32()))
}

// name returns the name that a row's reference points to.
func (x *flat) name(ref []byte) []byte {
	name := x.nulTerminated(ref)
	return name[: len(name)-1 : len(name)-1]
}

// nulTerminated returns a name with its final NUL, as system calls require.
func (x *flat) nulTerminated(ref []byte) []byte {
	at := int(binary.LittleEndian.Uint32(ref))
	return x.sectionBytes(secNames, x.sections[secNames].offset+at, int(binary.LittleEndian.Uint32(ref[4:]))+1)
}

func (t nodeTable) nodeContent(node int) (sum hashing.Sum128, blob store.BlobID) {
	return decodeContent(t.x.row(secContents, node))
}

func decodeContent(b []byte) (sum hashing.Sum128, blob store.BlobID) {
	d := decoder{b: b}
	sum.Hi, sum.Lo = d.u64(), d.u64()
	copy(blob[:], d.take(32))
	return sum, blob
}

func appendContent(b []byte, sum hashing.Sum128, blob store.BlobID) []byte {
	le := binary.LittleEndian
	return append(le.AppendUint64(le.AppendUint64(b, sum.Hi), sum.Lo), blob[:]...)
}

func decodeStamp(b []byte) (st scan.Stamp) {
	_ = b[stampSize-1]
	le := binary.LittleEndian
	st.Size, st.MTime, st.CTime = int64(le.Uint64(b)), int64(le.Uint64(b[8:])), int64(le.Uint64(b[16:]))
	st.Inode, st.Device = le.Uint64(b[24:]), le.Uint64(b[32:])
	st.Mode = le.Uint32(b[40:])
	return st
}

func appendStamp(b []byte, st scan.Stamp) []byte {
	le := binary.LittleEndian
	for _, v := range [...]uint64{uint64(st.Size), uint64(st.MTime), uint64(st.CTime), st.Inode, st.Device} {
		b = le.AppendUint64(b, v)
	}
	return le.AppendUint32(b, st.Mode)
}

func decodeTotals(b []byte) Totals {
	d := decoder{b: b}
	return Totals{int(d.u64()), int(d.u64()), int64(d.u64()), int64(d.u64()), time.Duration(d.u64())}
}

func appendTotals(b []byte, t Totals) []byte {
	for _, v := range [...]uint64{uint64(t.Actions), uint64(t.Failed), uint64(t.In), uint64(t.Out), uint64(t.CookTime)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// A decoder reads the fields of a row from front to back.
type decoder struct{ b []byte }

func (d *decoder) take(n int) []byte {
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *decoder) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *decoder) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
