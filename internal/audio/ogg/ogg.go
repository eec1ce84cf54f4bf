// Package ogg reads packets from an Ogg bitstream in memory (RFC 3533), and writes such streams.
//
// A Reader reads one logical stream and skips the pages of other streams, such as Skeleton. Damage
// is reported as an error with its offset and never repaired, because a source file should be
// intact.
package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/assetcook/assetcook/crcslice8"
)

// checksum returns the table of RFC 3533's CRC: not reflected, initial value 0, without inversion.
var checksum = sync.OnceValue(func() *crcslice8.Table {
	return crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Width: 32, Poly: 0x04c11db7})
})

// NoPosition is the granule position of a page on which no packet ends. Other negative positions
// refer to samples before the start of the stream.
const NoPosition = -1

// A Page is one page of a file.
type Page struct {
	Offset  int // offset of the page in the file
	First   bool
	Last    bool
	Resumes bool  // set if the page starts with the rest of an unfinished packet
	Granule int64 // granule position at the end of the page; NoPosition if no packet ends on it
	Serial  uint32
	Number  uint32
	Lacing  []byte // sizes of the body's segments
	Body    []byte
}

const pageHeader = 27

// ReadPage reads the page at an offset of a file and returns the offset of the next page. It does
// not verify the checksum. The slices of the page refer to data.
func ReadPage(data []byte, at int) (Page, int, error) {
	rest := data[min(at, len(data)):]
	switch {
	case len(rest) == 0:
		return Page{}, at, io.EOF
	case !bytes.HasPrefix(rest, []byte("OggS")[:min(4, len(rest))]):
		return Page{}, at, fmt.Errorf("byte %d: there is no Ogg page here; the file is damaged", at)
	case len(rest) < pageHeader:
		return Page{}, at, cutOffPage(at)
	case rest[4] != 0:
		return Page{}, at, fmt.Errorf("byte %d: Ogg version %d is not supported; export the file again", at, rest[4])
	}
	end := pageHeader + int(rest[26])
	if len(rest) < end {
		return Page{}, at, cutOffPage(at)
	}
	p := Page{
		Offset:  at,
		Resumes: rest[5]&1 != 0, First: rest[5]&2 != 0, Last: rest[5]&4 != 0,
		Granule: int64(binary.LittleEndian.Uint64(rest[6:])),
		Serial:  binary.LittleEndian.Uint32(rest[14:]),
		Number:  binary.LittleEndian.Uint32(rest[18:]),
		Lacing:  rest[pageHeader:end],
	}
	size := 0
	for _, n := range p.Lacing {
		size += int(n)
	}
	if len(rest) < end+size {
		return Page{}, at, cutOffPage(at)
	}
	p.Body = rest[end : end+size]
	return p, at + end + size, nil
}

func cutOffPage(at int) error {
	return fmt.Errorf("byte %d: the file is cut off within an Ogg page; copy it again", at)
}

// verifyChecksum verifies the checksum of a page in data.
func (p *Page) verifyChecksum(data []byte) error {
	head := pageHeader + len(p.Lacing)
	page := data[p.Offset : p.Offset+head+len(p.Body)]
	want := binary.LittleEndian.Uint32(page[22:])
	crc := checksum()
	sum := crc.Checksum(page[:22])
	sum = crc.Update(sum, make([]byte, 4)) // the checksum field itself counts as zeros
	if sum = crc.Update(sum, page[26:]); sum != want {
		return fmt.Errorf("byte %d: the checksum of an Ogg page is wrong; the file is damaged", p.Offset)
	}
	return nil
}

// A Packet is the unit of data of a stream's codec.
type Packet struct {
	Data    []byte
	Granule int64 // granule position after the packet; NoPosition unless it is the last packet on its page
	Last    bool  // set on the last packet of the stream
}

// A Reader reads the packets of one stream.
type Reader struct {
	data   []byte
	at     int // offset of the next page
	serial uint32

	page    Page
	segment int // index of the next segment in page.Lacing
	offset  int // offset of the next byte in page.Body
	number  uint32
	partial []byte // start of a packet that continues on the next page; nil if none does
	over    bool
}

// NewReader returns a reader for the first stream of a file whose first packet starts with magic.
// It returns an error if there is no such stream.
func NewReader(data, magic []byte) (*Reader, error) {
	for at := 0; ; {
		p, next, err := ReadPage(data, at)
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF || !p.First: // the first pages of all streams precede other pages
			return nil, fmt.Errorf("the Ogg file has no stream that starts with %q", magic)
		case bytes.HasPrefix(p.Body, magic):
			return &Reader{data: data, at: at, serial: p.Serial, number: p.Number - 1}, nil
		}
		at = next
	}
}

// Next returns the stream's next packet, or io.EOF after the last packet. The packet may refer to
// the file's memory.
func (r *Reader) Next() (Packet, error) {
	for {
		for r.segment < len(r.page.Lacing) {
			if packet, whole := r.takePacket(); whole {
				return packet, nil
			}
		}
		if r.over || r.page.Last {
			r.over = true
			return Packet{}, r.checkStreamEnd()
		}
		if err := r.turnPage(); err != nil {
			return Packet{}, err
		}
	}
}

// takePacket consumes segments of the page up to the end of a packet, if one ends on the page.
func (r *Reader) takePacket() (Packet, bool) {
	size, whole := 0, false
	for !whole && r.segment < len(r.page.Lacing) {
		n := r.page.Lacing[r.segment]
		size, whole = size+int(n), n < 255
		r.segment++
	}
	part := r.page.Body[r.offset : r.offset+size]
	r.offset += size
	if !whole || r.partial != nil {
		part = append(r.partial, part...)
	}
	if !whole {
		r.partial = part
		return Packet{}, false
	}
	r.partial = nil
	packet := Packet{Data: part, Granule: NoPosition}
	if r.hasNoMorePackets() {
		packet.Granule, packet.Last = r.page.Granule, r.page.Last
	}
	return packet, true
}

// hasNoMorePackets reports whether no further packet ends on the page.
func (r *Reader) hasNoMorePackets() bool {
	for _, n := range r.page.Lacing[r.segment:] {
		if n < 255 {
			return false
		}
	}
	return true
}

// turnPage reads the stream's next page.
func (r *Reader) turnPage() error {
	for {
		p, next, err := ReadPage(r.data, r.at)
		if err == io.EOF {
			// Some programs do not mark the last page of a stream.
			r.over = true
			return r.checkStreamEnd()
		}
		if err != nil {
			return err
		}
		r.at = next
		if p.Serial != r.serial {
			continue
		}
		if err := p.verifyChecksum(r.data); err != nil {
			return err
		}
		r.number++
		if p.Number != r.number {
			return fmt.Errorf("byte %d: this is Ogg page %d, want page %d; the file is damaged", p.Offset, p.Number, r.number)
		}
		if p.Resumes != (r.partial != nil) {
			return fmt.Errorf("byte %d: an Ogg page does not continue the previous one; the file is damaged", p.Offset)
		}
		r.page, r.segment, r.offset = p, 0, 0
		return nil
	}
}

// checkStreamEnd returns io.EOF if the stream may end here, otherwise an error.
func (r *Reader) checkStreamEnd() error {
	if r.partial != nil {
		return errors.New("the file ends within a packet; copy it again")
	}
	for at := r.at; ; {
		p, next, err := ReadPage(r.data, at)
		if err != nil {
			return io.EOF // bytes after the stream are ignored
		}
		if p.First {
			return fmt.Errorf("byte %d: another stream starts after the first; split the file", p.Offset)
		}
		at = next
	}
}

// An Extent describes the remaining pages of a stream. Their checksums are not verified.
type Extent struct {
	Granule int64 // last granule position; NoPosition if no page has one
	Packets int64 // number of remaining packets
	Early   int64 // number of packets up to the first page whose granule position is not negative
}

// Measure returns the extent of the packets that Next has not returned yet. It returns an error if
// a page is truncated.
func (r *Reader) Measure() (Extent, error) {
	e := Extent{Granule: NoPosition}
	rest := r.page
	rest.Lacing = rest.Lacing[r.segment:]
	if len(rest.Lacing) == 0 {
		rest.Granule = NoPosition
	}
	e.extendBy(&rest)
	for at := r.at; !rest.Last; {
		p, next, err := ReadPage(r.data, at)
		if err == io.EOF {
			break
		}
		if err != nil {
			return e, err
		}
		if at = next; p.Serial == r.serial {
			e.extendBy(&p)
			rest = p
		}
	}
	return e, nil
}

func (e *Extent) extendBy(p *Page) {
	for _, n := range p.Lacing {
		if n < 255 {
			e.Packets++
		}
	}
	if e.Granule < 0 {
		e.Early = e.Packets
	}
	if p.Granule >= 0 {
		e.Granule = p.Granule
	}
}

// These are the flags of a page.
const (
	firstPage = 2
	lastPage  = 4
)

const (
	maxSegments = 255
	// maxPackets limits a page to one second of sound, so that players can seek.
	maxPackets = 50
)

// A Writer writes the packets of one stream to pages. A packet must fit on one page, so it must be
// shorter than 255 * 255 bytes.
type Writer struct {
	to      io.Writer
	serial  uint32
	number  uint32
	granule int64 // granule position after the last packet of the page
	packets int
	lacing  []byte
	body    []byte
}

// NewWriter returns a writer of a stream with the given serial number.
func NewWriter(to io.Writer, serial uint32) *Writer { return &Writer{to: to, serial: serial} }

// Serial derives a stream's serial number from data that identifies it, so that it is reproducible.
func Serial(seed []byte) uint32 { return checksum().Checksum(seed) }

// Packet adds a packet that ends at the given granule position.
func (p *Writer) Packet(data []byte, granule int64) error {
	if p.packets == maxPackets || len(p.lacing)+len(data)/255+1 > maxSegments {
		if err := p.flushPage(0); err != nil {
			return err
		}
	}
	for n := len(data); ; n -= 255 {
		p.lacing = append(p.lacing, byte(min(n, 255)))
		if n < 255 {
			break
		}
	}
	p.body = append(p.body, data...)
	p.packets++
	p.granule = granule
	return nil
}

// Flush ends the current page.
func (p *Writer) Flush() error { return p.flushPage(0) }

// Close writes the current page and marks it as the last page of the stream.
func (p *Writer) Close() error { return p.flushPage(lastPage) }

func (p *Writer) flushPage(flags byte) error {
	if p.number == 0 {
		flags |= firstPage
	}
	le := binary.LittleEndian
	page := append(make([]byte, 0, pageHeader+len(p.lacing)+len(p.body)), "OggS\x00"...)
	page = le.AppendUint64(append(page, flags), uint64(p.granule))
	page = le.AppendUint32(page, p.serial)
	page = le.AppendUint32(page, p.number)
	page = append(page, 0, 0, 0, 0, byte(len(p.lacing)))
	page = append(append(page, p.lacing...), p.body...)
	le.PutUint32(page[22:], checksum().Checksum(page))
	p.number++
	p.packets, p.lacing, p.body = 0, p.lacing[:0], p.body[:0]
	_, err := p.to.Write(page)
	return err
}
