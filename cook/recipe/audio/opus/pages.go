package opus

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/assetcook/assetcook/crcslice8"
)

// checksum is the CRC of an Ogg page (RFC 3533, 6).
var checksum = sync.OnceValue(func() *crcslice8.Table {
	return crcslice8.New(crcslice8.Model{Name: "CRC-32/OGG", Poly: 0x04c11db7})
})

// Flags of a page.
const (
	firstPage = 2
	lastPage  = 4
)

const (
	pageHeader  = 27
	maxSegments = 255
	// maxPackets on a page keep it to one second, so that a player can seek.
	maxPackets = 50
)

// A pager writes the packets of one stream into pages. A packet lies on one page,
// for which it must be shorter than 255 * 255 bytes.
type pager struct {
	w       io.Writer
	serial  uint32
	number  uint32
	granule int64 // frames up to the end of the page's last packet
	packets int
	lacing  []byte
	body    []byte
}

// packet adds a packet that ends at a granule position.
func (p *pager) packet(data []byte, granule int64) error {
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

// flush writes the page.
func (p *pager) flush(flags byte) error {
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
	_, err := p.w.Write(page)
	return err
}
