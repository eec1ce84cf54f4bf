package events

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/bits"
)

// magic begins a stream. Its last byte is the version. The first byte is not ASCII, so that
// programs do not mistake a stream for text.
const magic = "\x89EVENTS\x01"

// These are the kinds of blocks; see "Format" in the package's documentation.
const (
	blockStart   = 1
	blockNames   = 2
	blockRows    = 3
	blockRecords = 4
	blockLost    = 5
	blockEnd     = 6
	blockOpen    = 7
)

const (
	blockHead = 5 // size of length and kind
	blockSum  = 4

	// maxBlock is the maximum length of a block's content in bytes. The records of a full buffer
	// take at most half of it. A reader never allocates more for a block, whatever length the block
	// states.
	maxBlock = 256 << 10

	// maxName is the maximum length of a name in bytes. maxSymbols and maxRows limit the tables of
	// a stream, in readers and in the recorder.
	maxName    = 1<<16 - 1
	maxSymbols = 1 << symbolBits
	maxRows    = 1 << 16

	// maxTick limits all times of a stream, so that the sum of two times does not overflow.
	maxTick = 1 << 61
)

// ErrDamaged means that the bytes are not a recorder's stream, or that the stream is damaged. All
// whole blocks before the damage have been read.
var ErrDamaged = errors.New("the event stream is damaged")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openBlock begins a block at the end of b. sealBlock completes the block; its argument is the
// length of b before openBlock.
func openBlock(b []byte, kind byte) []byte { return append(b, 0, 0, 0, 0, kind) }

func sealBlock(b []byte, from int) []byte {
	binary.LittleEndian.PutUint32(b[from:], uint32(len(b)-from-blockHead))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// blockLen returns the length of the block that begins with head, and reports whether the length is
// valid. The slice head has at least blockHead bytes.
func blockLen(head []byte) (n int, ok bool) {
	length := binary.LittleEndian.Uint32(head)
	return blockHead + int(min(length, maxBlock)) + blockSum, length <= maxBlock
}

// openedBlock verifies a whole block. It returns the kind and the content.
func openedBlock(block []byte) (kind byte, content []byte, ok bool) {
	end := len(block) - blockSum
	if crc32.Checksum(block[:end], castagnoli) != binary.LittleEndian.Uint32(block[end:]) {
		return 0, nil, false
	}
	return block[4], block[blockHead:end], true
}

// appendTable appends names in one or more blocks. The argument first is the number of the first
// name.
func appendTable(b []byte, kind byte, first int, names []string) []byte {
	for len(names) > 0 {
		count, size := 0, 0
		for count < len(names) && size < maxBlock/4 {
			size += len(names[count]) + binary.MaxVarintLen32
			count++
		}
		from := len(b)
		b = openBlock(b, kind)
		b = binary.AppendUvarint(b, uint64(first))
		b = binary.AppendUvarint(b, uint64(count))
		for _, name := range names[:count] {
			b = binary.AppendUvarint(b, uint64(len(name)))
			b = append(b, name...)
		}
		b = sealBlock(b, from)
		first, names = first+count, names[count:]
	}
	return b
}

// appendFloat appends a float as the varint of its byte-reversed bits. The varint is short, because
// the bits of typical values end in zero bytes.
func appendFloat(b []byte, bits64 uint64) []byte {
	return binary.AppendUvarint(b, bits.ReverseBytes64(bits64))
}

// A parser reads values from the front of a block's content. After the end of the content or an
// invalid value, it sets bad and returns zeros.
type parser struct {
	rest []byte
	bad  bool
}

func (p *parser) fail() uint64 {
	p.rest, p.bad = nil, true
	return 0
}

// number reads a varint that must be less than limit.
func (p *parser) number(limit uint64) uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 || v >= limit {
		return p.fail()
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) any() uint64 {
	v, n := binary.Uvarint(p.rest)
	if n <= 0 {
		return p.fail()
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) signed() int64 {
	v, n := binary.Varint(p.rest)
	if n <= 0 {
		return int64(p.fail())
	}
	p.rest = p.rest[n:]
	return v
}

func (p *parser) float() float64 { return math.Float64frombits(bits.ReverseBytes64(p.any())) }

// bytes reads a length and that number of bytes, without copying them. The length must not exceed
// limit.
func (p *parser) bytes(limit int) []byte {
	n := p.number(uint64(limit) + 1)
	if n > uint64(len(p.rest)) {
		p.fail()
		return nil
	}
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}
