// Package ogg takes packets out of an Ogg bitstream that lies in memory (RFC
// 3533), and writes such streams.
//
// A Reader reads one logical stream: pages of others, such as Skeleton's, are passed
// over. Damage is an error that says where, never guessed away: a file that is
// cooked should be whole.
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

// checksum is the CRC of RFC 3533: not reflected, from 0, without inversion.
var checksum = sync.OnceValue(func() *crcslice8.Table {
	return crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Poly: 0x04c11db7})
})

// NoPosition is the granule position of a page on which no packet ends. Other negative
// ones lie before the start of the sound.
const NoPosition = -1

// A Page is what one page of a file holds.
type Page struct {
	Offset  int // of its first byte in the file
	First   bool
	Last    bool
	Resumes bool  // its first bytes continue the packet of the page before
	Granule int64 // position at its end, NoPosition if no packet ends on it
	Serial  uint32
	Number  uint32
	Lacing  []byte // the sizes of the body's segments
	Body    []byte
}

const pageHeader = 27

// ReadPage reads the page at an offset of a file and returns where the next one
// starts. It does not look at the checksum. The slices lie in data.
func ReadPage(data []byte, at int) (Page, int, error) {
	rest := data[min(at, len(data)):]
	switch {
	case len(rest) == 0:
		return Page{}, at, io.EOF
	case !bytes.HasPrefix(rest, []byte("OggS")[:min(4, len(rest))]):
		return Page{}, at, fmt.Errorf("byte %d: no Ogg page where one should start", at)
	case len(rest) < pageHeader:
		return Page{}, at, cut(at)
	case rest[4] != 0:
		return Page{}, at, fmt.Errorf("byte %d: Ogg version %d is not known", at, rest[4])
	}
	end := pageHeader + int(rest[26])
	if len(rest) < end {
		return Page{}, at, cut(at)
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
		return Page{}, at, cut(at)
	}
	p.Body = rest[end : end+size]
	return p, at + end + size, nil
}

func cut(at int) error {
	return fmt.Errorf("byte %d: the file is cut off within an Ogg page; copy it again", at)
}

// verify compares the checksum of a page of data with what it should be.
func (p *Page) verify(data []byte) error {
	head := pageHeader + len(p.Lacing)
	page := data[p.Offset : p.Offset+head+len(p.Body)]
	want := binary.LittleEndian.Uint32(page[22:])
	crc := checksum()
	sum := crc.Checksum(page[:22])
	sum = crc.Update(sum, make([]byte, 4)) // the checksum's own place
	if sum = crc.Update(sum, page[26:]); sum != want {
		return fmt.Errorf("byte %d: wrong checksum of an Ogg page; the file is damaged", p.Offset)
	}
	return nil
}

// A Packet is a unit of a stream's codec.
type Packet struct {
	Data    []byte
	Granule int64 // position after it, NoPosition unless it is the last that ends on its page
	Last    bool  // it is the last that ends on the stream's last page
}

// A Reader reads the packets of one stream.
type Reader struct {
	data   []byte
	at     int // where the next page starts
	serial uint32

	page    Page
	segment int // the next of page.Lacing
	offset  int // the next of page.Body
	number  uint32
	partial []byte // of a packet that goes on on the next page
	over    bool
}

// NewReader returns a reader of the first stream of a file whose first packet
// starts with magic. An error says that there is none.
func NewReader(data, magic []byte) (*Reader, error) {
	for at := 0; ; {
		p, next, err := ReadPage(data, at)
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case err == io.EOF || !p.First: // streams start before any goes on
			return nil, fmt.Errorf("no Ogg stream of this kind: none starts with %q", magic)
		case bytes.HasPrefix(p.Body, magic):
			return &Reader{data: data, at: at, serial: p.Serial, number: p.Number - 1}, nil
		}
		at = next
	}
}

// Next returns the stream's next packet, io.EOF after the last one. The data
// may lie in the file.
func (r *Reader) Next() (Packet, error) {
	for {
		for r.segment < len(r.page.Lacing) {
			if packet, whole := r.takePacket(); whole {
				return packet, nil
			}
		}
		if r.over || r.page.Last {
			r.over = true
			return Packet{}, r.finish()
		}
		if err := r.turn(); err != nil {
			return Packet{}, err
		}
	}
}

// takePacket takes segments of the page up to the end of a packet, if it has one.
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
	if r.ended() {
		packet.Granule, packet.Last = r.page.Granule, r.page.Last
	}
	return packet, true
}

// ended says whether no other packet ends on the page.
func (r *Reader) ended() bool {
	for _, n := range r.page.Lacing[r.segment:] {
		if n < 255 {
			return false
		}
	}
	return true
}

// turn goes to the stream's next page.
func (r *Reader) turn() error {
	for {
		p, next, err := ReadPage(r.data, r.at)
		if err == io.EOF {
			// Some writers forget to mark the last page.
			r.over = true
			return r.finish()
		}
		if err != nil {
			return err
		}
		r.at = next
		if p.Serial != r.serial {
			continue
		}
		if err := p.verify(r.data); err != nil {
			return err
		}
		r.number++
		if p.Number != r.number {
			return fmt.Errorf("byte %d: Ogg page %d where %d should be; the file is damaged", p.Offset, p.Number, r.number)
		}
		if p.Resumes != (r.partial != nil) {
			return fmt.Errorf("byte %d: an Ogg page does not fit to the one before; the file is damaged", p.Offset)
		}
		r.page, r.segment, r.offset = p, 0, 0
		return nil
	}
}

// finish returns io.EOF if the file may end here.
func (r *Reader) finish() error {
	if r.partial != nil {
		return errors.New("the file ends within a packet; copy it again")
	}
	for at := r.at; ; {
		p, next, err := ReadPage(r.data, at)
		if err != nil {
			return io.EOF // what follows the stream is not ours
		}
		if p.First {
			return fmt.Errorf("byte %d: another stream starts after the first; split the file", p.Offset)
		}
		at = next
	}
}

// An Extent is what the pages that are left of a stream say of its length,
// without their checksums being looked at.
type Extent struct {
	Granule int64 // the last position, NoPosition if no page has one
	Packets int64 // how many packets end
	Early   int64 // how many of them end up to the first page with a position of 0 or more
}

// Measure returns the extent of what Next has not returned yet. It fails where
// Next would for a page that is cut off.
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
