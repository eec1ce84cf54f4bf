package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	stdimage "image"
	"image/jpeg"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func decodeJPEG(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := library{jpeg.DecodeConfig, jpeg.Decode}.decodeImage(ctx, data, h)
	if err != nil {
		return nil, err
	}
	extraneous, err := jpegDamage(data)
	if err != nil {
		return nil, err
	}
	h.notes = extraneousBytes(extraneous)
	if m, ok := img.(*stdimage.YCbCr); ok {
		return fillMap(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), yCbCrRows(m, jpegUpsampler, jpegColors))
	}
	return straight(ctx, img)
}

// Limits on the scans of a progressive image. Encoders write about ten. The decoder visits all
// blocks in each scan, even if the scan has only a few bytes and changes nothing.
const (
	maxScans     = 1000
	freeScans    = 64      // number of scans allowed for every image
	maxScanVisit = 1 << 25 // number of block visits allowed beyond freeScans: about half a second
)

// probeJPEG reads markers up to the frame header (SOF). Like package image/jpeg, it tolerates extra
// bytes between segments. EXIF and ICC require that orientation and color profile precede the frame
// header.
func probeJPEG(data []byte, _ int64) (header, error) {
	var notes jpegNotes
	extraneous := 0
	for at := 2; ; {
		for at+1 < len(data) && (data[at] != 0xff || data[at+1] == 0) {
			at++
			extraneous++
		}
		for at+1 < len(data) && data[at+1] == 0xff {
			at++ // skip fill bytes
		}
		if at+4 > len(data) {
			return header{}, fileformat.ErrShortHead
		}
		marker, body := data[at+1], data[at+4:]
		length := int(data[at+2])<<8 | int(data[at+3])
		switch {
		case 0xd0 <= marker && marker <= 0xd7: // a misplaced restart marker, which has no length
			at += 2
			continue
		case marker == 0xd9 || marker == 0xda:
			return header{}, errors.New("the JPEG file has no frame header; save the image again")
		case length < 2:
			return header{}, errors.New("the JPEG file has a damaged segment; save the image again")
		case 0xc0 <= marker && marker <= 0xc2:
			if len(body) < length-2 {
				return header{}, fileformat.ErrShortHead
			}
			h, err := jpegFrame(body[:length-2], marker == 0xc2, data)
			h.orientation, h.profile, h.notes, h.frames = notes.orientation, notes.profile, extraneousBytes(extraneous), notes.pictures
			return h, err
		case 0xc3 <= marker && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return header{}, fmt.Errorf("this kind of JPEG (SOF%d) is not supported; save the image as baseline or progressive JPEG", marker-0xc0)
		}
		notes.noteSegment(marker, body[:min(len(body), length-2)])
		at += 2 + length
	}
}

// extraneousBytes returns a note that the file has n bytes outside of any segment.
func extraneousBytes(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the JPEG file has %d extra bytes between segments; export it again", n)}
}

// jpegNotes holds information from segments before the frame header. If a kind of segment occurs
// several times, the first one is used.
type jpegNotes struct {
	orientation int // 0 if the file has no EXIF block
	icc         bool
	profile     string
	pictures    int // number of images in the file, according to its Multi-Picture Format
}

func (n *jpegNotes) noteSegment(marker byte, body []byte) {
	const app1, app2, iccSign = 0xe1, 0xe2, "ICC_PROFILE\x00"
	switch {
	case marker == app1 && n.orientation == 0 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		n.orientation = exifOrientation(body)
	case marker == app2 && !n.icc && len(body) > len(iccSign)+2 && bytes.HasPrefix(body, []byte(iccSign)):
		// The body has the number of this part, the number of parts, and the profile's bytes.
		n.icc, n.profile = true, judgeProfile(body[len(iccSign)+2:], "")
	case marker == app2 && n.pictures == 0 && bytes.HasPrefix(body, []byte("MPF\x00")):
		n.pictures = countMPF(body[4:])
	}
}

// countMPF returns the number of images in the index of the Multi-Picture Format (CIPA DC-007).
// Additional images are, for example, a gain map or the view of the other eye. The number is 0 if
// the index is damaged.
func countMPF(b []byte) int {
	const tagCount = 0xb001
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(b, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(b) < 8 {
		return 0
	}
	at := int64(order.Uint32(b[4:]))
	if at+2 > int64(len(b)) {
		return 0
	}
	for i := range int64(order.Uint16(b[at:])) {
		if entry := at + 2 + 12*i; entry+12 > int64(len(b)) {
			return 0
		} else if order.Uint16(b[entry:]) == tagCount {
			return int(order.Uint32(b[entry+8:]))
		}
	}
	return 0
}

// jpegFrame reads the frame header. The header has precision, height, width, and for each component
// its ID, sampling factors and quantization table.
func jpegFrame(b []byte, progressive bool, data []byte) (header, error) {
	if len(b) < 6 || len(b) != 6+3*int(b[5]) || b[5] == 0 || b[5] > 4 {
		return header{}, errors.New("the JPEG file has a damaged frame header; save the image again")
	}
	p := header{h: int(b[1])<<8 | int(b[2]), w: int(b[3])<<8 | int(b[4]), bits: int(b[0])}
	n := int(b[5])
	var across, down [4]int64 // horizontal and vertical sampling factors
	for i := range n {
		across[i], down[i] = int64(b[7+3*i]>>4), int64(b[7+3*i]&15)
		if across[i] < 1 || across[i] > 4 || down[i] < 1 || down[i] > 4 {
			return header{}, errors.New("the JPEG file has damaged sampling factors; save the image again")
		}
	}
	if n == 1 {
		across[0], down[0] = 1, 1 // a single component is never interleaved
	}
	// The decoder pads each component to whole MCUs.
	groups := (int64(p.w) + 8*across[0] - 1) / (8 * across[0]) * ((int64(p.h) + 8*down[0] - 1) / (8 * down[0]))
	maxAcross, maxDown := max(across[0], across[1], across[2], across[3]), max(down[0], down[1], down[2], down[3])
	var stored, blocks int64
	for i := range n {
		stored += 64 * groups * across[i] * down[i]
		blocks += p.pixelCountOf() * across[i] * down[i] / (64 * maxAcross * maxDown)
	}
	if progressive {
		if err := checkScans(int64(bytes.Count(data, []byte{0xff, 0xda})), stored/64); err != nil {
			return header{}, err
		}
	}
	p.decoder = stored
	if n == 4 {
		p.decoder += 4 * p.pixelCountOf() // the decoder assembles CMYK in a second image
	}
	// Each block takes at least one bit for its mean (DC). It takes another bit, which ends the
	// block, unless the remaining coefficients may be in another scan.
	p.least = 2 * blocks / 8
	if progressive {
		p.decoder += 4*stored + stored/8 // a 32-bit integer and one bit for each coefficient
		p.least = blocks / 8
	}
	return p, nil
}

// checkScans returns an error if an image of the given number of blocks has too many scans. It also
// counts the scan markers of a thumbnail, one or two.
func checkScans(scans, blocks int64) error {
	most := int64(maxScans)
	if blocks > 0 {
		most = min(most, max(freeScans, maxScanVisit/blocks))
	}
	if scans > most {
		return fmt.Errorf("the JPEG file has more than %d scans; save it as baseline JPEG", most)
	}
	return nil
}

// Package image/jpeg silently skips bytes between segments and at the end of a scan. Most errors in
// entropy-coded data lead to such bytes. The decoder does not notice these errors, because almost
// any bit sequence decodes to something: half the image may be noise. So jpegDamage reads the codes
// a second time to find where they end. libjpeg warns about the same damage.

// A jpegWalk reads the segments of a file that image/jpeg has decoded without error.
type jpegWalk struct {
	data        []byte
	at          int
	w, h        int // size of the image in pixels
	progressive bool
	parts       []jpegPart
	most        [2]int // largest horizontal and vertical sampling factors
	interval    int    // number of MCUs between restart markers; 0 without restart markers
	codes       [2][4]jpegCode
	extraneous  int // number of bytes between segments
}

// A jpegPart is a component of the image.
type jpegPart struct {
	name         byte
	across, down int
	blocks       [2]int // numbers of columns and rows of blocks if the component is interleaved
	// set holds one word for each block of a progressive image. It has one bit per coefficient, in
	// zigzag order, which is set if the coefficient is nonzero.
	set []uint64
	// sent holds, for each coefficient, one more than the number of low bits that are not sent yet.
	// It holds 0 if no scan has sent any bits.
	sent [64]byte
}

// jpegDamage returns an error if entropy-coded data is damaged, and the number of bytes between
// segments.
func jpegDamage(data []byte) (extraneous int, err error) {
	w := jpegWalk{data: data, at: 2}
	for {
		marker, err := w.marker()
		if err != nil || marker == 0xd9 {
			return w.extraneous, err
		}
		if 0xd0 <= marker && marker <= 0xd7 {
			continue // some writers put a restart marker at the end of a scan
		}
		if w.at+2 > len(data) {
			return 0, errShortJPEG
		}
		length := int(data[w.at])<<8 | int(data[w.at+1])
		if length < 2 || length > len(data)-w.at {
			return 0, errShortJPEG
		}
		body := data[w.at+2 : w.at+length]
		w.at += length
		switch marker {
		case 0xc0, 0xc1, 0xc2:
			err = w.walkFrame(body, marker == 0xc2)
		case 0xc4:
			err = w.readTables(body)
		case 0xdd:
			if len(body) == 2 {
				w.interval = int(body[0])<<8 | int(body[1])
			}
		case 0xda:
			err = w.walkScan(body)
		}
		if err != nil {
			return 0, err
		}
	}
}

var errShortJPEG = errors.New("the JPEG file has a damaged segment; save the image again")

// marker returns the next marker.
func (w *jpegWalk) marker() (byte, error) {
	from := w.at
	for w.at+1 < len(w.data) && (w.data[w.at] != 0xff || w.data[w.at+1] == 0) {
		w.at++
	}
	w.extraneous += w.at - from
	for w.at+1 < len(w.data) && w.data[w.at+1] == 0xff {
		w.at++ // skip fill bytes
	}
	if w.at+1 >= len(w.data) {
		return 0, errShortJPEG
	}
	w.at += 2
	return w.data[w.at-1], nil
}

// walkFrame reads a frame header.
func (w *jpegWalk) walkFrame(b []byte, progressive bool) error {
	if len(b) < 6 || len(b) < 6+3*int(b[5]) || b[5] > 4 {
		return errShortJPEG
	}
	w.h, w.w, w.progressive = int(b[1])<<8|int(b[2]), int(b[3])<<8|int(b[4]), progressive
	for ; len(b) >= 9; b = b[3:] {
		w.parts = append(w.parts, jpegPart{name: b[6], across: int(b[7] >> 4), down: int(b[7] & 15)})
	}
	if len(w.parts) == 1 { // a scan of a single component is never interleaved
		w.parts[0].across, w.parts[0].down = 1, 1
	}
	for _, p := range w.parts {
		w.most = [2]int{max(w.most[0], p.across), max(w.most[1], p.down)}
	}
	for i := range w.parts {
		p := &w.parts[i]
		if p.across == 0 || p.down == 0 {
			return errShortJPEG
		}
		p.blocks = [2]int{ceilDiv(w.w, 8*w.most[0]) * p.across, ceilDiv(w.h, 8*w.most[1]) * p.down}
		if progressive {
			p.set = make([]uint64, p.blocks[0]*p.blocks[1])
		}
	}
	return nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// readTables reads Huffman tables.
func (w *jpegWalk) readTables(b []byte) error {
	for len(b) > 0 {
		if len(b) < 17 || b[0]>>4 > 1 || b[0]&15 > 3 {
			return errShortJPEG
		}
		c := &w.codes[b[0]>>4][b[0]&15]
		rest, ok := c.readCodeTable(b[1:])
		if !ok {
			return errShortJPEG
		}
		b = rest
	}
	return nil
}

// walkScan reads the header of a scan and its blocks.
func (w *jpegWalk) walkScan(b []byte) error {
	if len(b) < 1 || len(b) != 4+2*int(b[0]) || b[0] < 1 || b[0] > 4 {
		return errShortJPEG
	}
	n := int(b[0])
	s := jpegScan{bits: jpegBits{data: w.data, at: w.at}, from: 0, to: 63}
	if w.progressive {
		s.from, s.to, s.refines = int(b[1+2*n]), int(b[2+2*n])&63, b[3+2*n]>>4 != 0
	}
	for i := range n {
		name, tables := b[1+2*i], b[2+2*i]
		for j := range w.parts {
			if w.parts[j].name == name {
				s.parts = append(s.parts, scanPart{&w.parts[j], &w.codes[0][tables>>4&3], &w.codes[1][tables&3]})
			}
		}
	}
	if len(s.parts) != n {
		return errShortJPEG
	}
	if w.progressive && !s.follows(b[3+2*n]>>4, b[3+2*n]&15) {
		return fmt.Errorf("%w: the scan at byte %d refines coefficients that earlier scans do not have", errDamagedJPEG, w.at)
	}
	// A scan of one component has only the blocks that the component needs, and each block is an
	// MCU.
	across, down := ceilDiv(w.w, 8*w.most[0]), ceilDiv(w.h, 8*w.most[1])
	if n == 1 {
		p := s.parts[0]
		across, down = ceilDiv(ceilDiv(w.w*p.across, w.most[0]), 8), ceilDiv(ceilDiv(w.h*p.down, w.most[1]), 8)
	}
	for i := range across * down {
		if w.interval > 0 && i > 0 && i%w.interval == 0 {
			if err := s.readRestart(byte(i/w.interval-1) & 7); err != nil {
				return err
			}
		}
		if err := s.mcu(i%across, i/across); err != nil {
			return err
		}
	}
	if n := s.bits.skipToMarker(); n > 0 {
		return fmt.Errorf("%w: there are %d extra bytes at the end of a scan, at byte %d", errDamagedJPEG, n, s.bits.at)
	}
	w.at = s.bits.at
	return nil
}

var errDamagedJPEG = errors.New("the JPEG data is damaged; export the image again")
