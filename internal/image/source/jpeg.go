package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	stdimage "image"
	"image/jpeg"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

func decodeJPEG(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := library{jpeg.DecodeConfig, jpeg.Decode}.image(ctx, data, h)
	if err != nil {
		return nil, err
	}
	extraneous, err := jpegDamage(data)
	if err != nil {
		return nil, err
	}
	h.notes = extraneousBytes(extraneous)
	if m, ok := img.(*stdimage.YCbCr); ok {
		return fill(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), yCbCrRows(m, jpegUpsampler, jpegColors))
	}
	return straight(ctx, img)
}

// Bounds on the scans of a progressive picture. Encoders write about ten. Each scan costs a pass
// over all blocks, even a scan of a few bytes that changes nothing.
const (
	maxScans     = 1000
	freeScans    = 64      // allowed for every picture
	maxScanVisit = 1 << 25 // total block visits allowed for more scans; about half a second
)

// probeJPEG reads markers up to the frame header (SOF). Like package image/jpeg, it tolerates extra
// bytes between them. Orientation and color profile must precede the frame header, as EXIF and ICC
// require.
func probeJPEG(data []byte, _ int64) (header, error) {
	var notes jpegNotes
	extraneous := 0
	for at := 2; ; {
		for at+1 < len(data) && (data[at] != 0xff || data[at+1] == 0) {
			at++
			extraneous++
		}
		for at+1 < len(data) && data[at+1] == 0xff {
			at++ // fill bytes
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
			return header{}, errors.New("JPEG file without a frame header")
		case length < 2:
			return header{}, errors.New("JPEG file with a damaged segment")
		case 0xc0 <= marker && marker <= 0xc2:
			if len(body) < length-2 {
				return header{}, fileformat.ErrShortHead
			}
			h, err := jpegFrame(body[:length-2], marker == 0xc2, data)
			h.orientation, h.profile, h.notes = notes.orientation, notes.profile, extraneousBytes(extraneous)
			return h, err
		case 0xc3 <= marker && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return header{}, fmt.Errorf("this kind of JPEG (SOF%d) is not supported; save it as baseline or progressive", marker-0xc0)
		}
		notes.noteSegment(marker, body[:min(len(body), length-2)])
		at += 2 + length
	}
}

// extraneousBytes returns a note on n bytes that belong to no segment.
func extraneousBytes(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d extra bytes between segments of the JPEG file; export it again", n)}
}

// jpegNotes holds the data of segments before the frame header. If a kind of segment occurs several
// times, the first one counts.
type jpegNotes struct {
	orientation int // 0 if there was no EXIF
	icc         bool
	profile     string
}

func (n *jpegNotes) noteSegment(marker byte, body []byte) {
	const app1, app2, iccSign = 0xe1, 0xe2, "ICC_PROFILE\x00"
	switch {
	case marker == app1 && n.orientation == 0 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
		n.orientation = exifOrientation(body)
	case marker == app2 && !n.icc && len(body) > len(iccSign)+2 && bytes.HasPrefix(body, []byte(iccSign)):
		// The number of the part and of all parts, then the profile's bytes.
		n.icc, n.profile = true, judgeProfile(body[len(iccSign)+2:], "")
	}
}

// jpegFrame reads the frame header: precision, height, width, and for each component its name,
// sampling factors and quantization table.
func jpegFrame(b []byte, progressive bool, data []byte) (header, error) {
	if len(b) < 6 || len(b) != 6+3*int(b[5]) || b[5] == 0 || b[5] > 4 {
		return header{}, errors.New("JPEG file with a damaged frame header")
	}
	p := header{h: int(b[1])<<8 | int(b[2]), w: int(b[3])<<8 | int(b[4]), bits: int(b[0])}
	n := int(b[5])
	var across, down [4]int64 // sampling factors
	for i := range n {
		across[i], down[i] = int64(b[7+3*i]>>4), int64(b[7+3*i]&15)
		if across[i] < 1 || across[i] > 4 || down[i] < 1 || down[i] > 4 {
			return header{}, errors.New("JPEG file with damaged sampling factors")
		}
	}
	if n == 1 {
		across[0], down[0] = 1, 1 // a single component is never interleaved
	}
	// The decoder pads every component to whole groups of blocks.
	groups := (int64(p.w) + 8*across[0] - 1) / (8 * across[0]) * ((int64(p.h) + 8*down[0] - 1) / (8 * down[0]))
	maxAcross, maxDown := max(across[0], across[1], across[2], across[3]), max(down[0], down[1], down[2], down[3])
	var stored, blocks int64
	for i := range n {
		stored += 64 * groups * across[i] * down[i]
		blocks += p.pixels() * across[i] * down[i] / (64 * maxAcross * maxDown)
	}
	if progressive {
		if err := checkScans(int64(bytes.Count(data, []byte{0xff, 0xda})), stored/64); err != nil {
			return header{}, err
		}
	}
	p.decoder = stored
	if n == 4 {
		p.decoder += 4 * p.pixels() // CMYK is assembled in another picture
	}
	// Each block costs at least one bit for its mean. Unless another scan may have the rest, it
	// costs one more bit to say that nothing follows.
	p.least = 2 * blocks / 8
	if progressive {
		p.decoder += 4*stored + stored/8 // all coefficients as 32-bit numbers, and bits for the nonzero ones
		p.least = blocks / 8
	}
	return p, nil
}

// checkScans refuses too many scans for a picture of the given number of blocks. It also counts the
// markers in a thumbnail: one or two.
func checkScans(scans, blocks int64) error {
	most := int64(maxScans)
	if blocks > 0 {
		most = min(most, max(freeScans, maxScanVisit/blocks))
	}
	if scans > most {
		return fmt.Errorf("JPEG file with more than %d scans; save it again as baseline or progressive", most)
	}
	return nil
}
