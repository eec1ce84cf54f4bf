package ogg

import (
	"encoding/binary"
	"io"
)

// Flags of a page.
const (
	firstPage = 2
	lastPage  = 4
)

const (
	maxSegments = 255
	// maxPackets limits a page to one second, so that a player can seek.
	maxPackets = 50
)

// A Writer writes the packets of one stream into pages. Each packet is on one page, so it must be
// shorter than 255 * 255 bytes.
type Writer struct {
	to      io.Writer
	serial  uint32
	number  uint32
	granule int64 // frames up to the end of the page's last packet
	packets int
	lacing  []byte
	body    []byte
}

// NewWriter returns a writer of a stream.
func NewWriter(to io.Writer, serial uint32) *Writer { return &Writer{to: to, serial: serial} }

// Serial computes a stream's serial number from its identifying data, so that it is reproducible.
func Serial(seed []byte) uint32 { return checksum().Checksum(seed) }

// Packet adds a packet that ends at a granule position.
func (p *Writer) Packet(data []byte, granule int64) error {
	if p.packets == maxPackets || len(p.lacing)+len(data)/255+1 > maxSegments {
		if err := p.flush(0); err != nil {
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
func (p *Writer) Flush() error { return p.flush(0) }

// Close ends the stream with the current page.
func (p *Writer) Close() error { return p.flush(lastPage) }

func (p *Writer) flush(flags byte) error {
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
