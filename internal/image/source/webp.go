package source

import (
	"context"
	"encoding/binary"
	"errors"
	stdimage "image"

	"golang.org/x/image/webp"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// The flags of a VP8X chunk.
const (
	webpAnimated = 1 << 1
	webpEXIF     = 1 << 3
	webpICC      = 1 << 5
)

// probeWebP reads the first chunk that holds the image's size. If this chunk announces metadata,
// probeWebP also reads the metadata chunks before and after the pixels. Lossless data can encode
// pixels in 0 bits, so even a tiny file may be valid.
func probeWebP(data []byte, size int64) (header, error) {
	chunks := webpChunks{data: data[12:]}
	for {
		name, length, body, ok := chunks.nextRIFFChunk()
		if !ok {
			return header{}, fileformat.ErrShortHead
		}
		switch name {
		case "VP8X", "VP8 ", "VP8L":
			if len(body) < 10 && int64(len(body)) < length {
				return header{}, fileformat.ErrShortHead
			}
			p, err := webpSize(name, body[:min(10, len(body))])
			if err != nil {
				return header{}, err
			}
			// The decoder reads as many bytes as the RIFF header says.
			total := 8 + int64(binary.LittleEndian.Uint32(data[4:]))
			p.least = max(p.least, total)
			if name != "VP8 " {
				p.decoder += webpTrees(p, total)
			}
			p.decoder += min(size, total) // the decoder copies the compressed data
			if name != "VP8X" {
				return p, nil
			}
			err = chunks.notes(&p, body[0], int64(len(data)) < size)
			return p, err
		}
	}
}

// IsLossyWebP reports whether the pixels of a WebP file are lossy. In an animation, the first frame
// decides.
func IsLossyWebP(data []byte) bool {
	if len(data) < 12 {
		return false
	}
	chunks := webpChunks{data: data[12:]}
	for {
		name, _, body, ok := chunks.nextRIFFChunk()
		switch {
		case !ok || name == "VP8L":
			return false
		case name == "VP8 ":
			return true
		case name == "ANMF" && len(body) > anmfHeader:
			chunks.data = body[anmfHeader:]
		}
	}
}

// webpChunks reads the chunks of a file.
type webpChunks struct{ data []byte }

// nextRIFFChunk returns the name and the length of the next chunk, and its body as far as data
// includes it. It returns false at the end of the data.
func (c *webpChunks) nextRIFFChunk() (name string, length int64, body []byte, ok bool) {
	if len(c.data) < 8 {
		return "", 0, nil, false
	}
	name, length = string(c.data[:4]), int64(binary.LittleEndian.Uint32(c.data[4:]))
	rest := c.data[8:]
	body = rest[:min(length, int64(len(rest)))]
	c.data = rest[min(length+length&1, int64(len(rest))):]
	return name, length, body, true
}

// notes reads the color profile and the orientation from the chunks after VP8X, if flags announce
// them. If partial is set, data is not the whole file, and the chunks may be beyond its end.
func (c *webpChunks) notes(p *header, flags byte, partial bool) error {
	if partial && flags&webpEXIF != 0 {
		return fileformat.ErrShortHead // the orientation is not known yet
	}
	for {
		name, length, body, ok := c.nextRIFFChunk()
		switch {
		case !ok:
			return nil
		case int64(len(body)) < length: // the chunk is truncated, or continues beyond the head
		case name == "ICCP" && flags&webpICC != 0 && p.profile == "":
			p.profile = judgeProfile(body, "")
		case name == "EXIF" && flags&webpEXIF != 0 && p.orientation == 0:
			p.orientation = exifOrientation(body)
		}
	}
}

func decodeWebP(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	if isAnimatedWebP(data) {
		return decodeAnimatedWebP(ctx, data, h)
	}
	return decodeStillWebP(ctx, data, h)
}

// isAnimatedWebP reports whether a file with a valid header holds an animation.
func isAnimatedWebP(data []byte) bool {
	const flags = 20 // offset of the flags, after the names and sizes of RIFF and VP8X
	return string(data[12:16]) == "VP8X" && data[flags]&webpAnimated != 0
}

// decodeStillWebP decodes a file without animation. The image has the size in header h.
func decodeStillWebP(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	img, err := library{webp.DecodeConfig, webp.Decode}.decodeImage(ctx, data, h)
	if err != nil {
		return nil, err
	}
	switch m := img.(type) {
	case *stdimage.YCbCr:
		return fillMap(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), webpRows(m))
	case *stdimage.NYCbCrA:
		colors := webpRows(&m.YCbCr)
		return fillMap(ctx, pixmap.New(h.w, h.h, pixmap.Bits8), func(dst []byte, y int) {
			colors(dst, y)
			for i, a := range m.A[y*m.AStride:][:h.w] {
				dst[4*i+3] = a
			}
		})
	}
	return straight(ctx, img)
}

// webpRows returns the row function for a lossy image.
func webpRows(m *stdimage.YCbCr) row[uint8] {
	return yCbCrRows(m, func(int, int, int) upsampler { return webpUpsample }, webpColors)
}

func webpSize(chunk string, b []byte) (header, error) {
	p := header{bits: 8}
	switch {
	case chunk == "VP8X" && len(b) >= 10:
		p.w = 1 + int(b[4]) + int(b[5])<<8 + int(b[6])<<16
		p.h = 1 + int(b[7]) + int(b[8])<<8 + int(b[9])<<16
		p.decoder = 12 * p.pixelCountOf() // memory for the color planes, and for alpha, which the decoder returns as four channels
		if b[0]&webpAnimated != 0 {
			p.decoder += 4 * p.pixelCountOf() // memory for the first frame
		}
	case chunk == "VP8 " && len(b) >= 10:
		p.w = int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff)
		p.h = int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff)
		macroblocks := int64(p.w+15) / 16 * (int64(p.h+15) / 16)
		p.least = macroblocks / 8 // a macroblock takes more than a bit even with the most likely prediction modes
		p.decoder = 2 * 256 * macroblocks
	case chunk == "VP8L" && len(b) >= 5:
		v := binary.LittleEndian.Uint32(b[1:])
		p.w, p.h = 1+int(v&0x3fff), 1+int(v>>14&0x3fff)
		p.decoder = 9 * p.pixelCountOf() // memory for two buffers for indexed colors
		p.shared = true
	default:
		return p, errors.New("the WebP file has a damaged header; save the image again")
	}
	return p, nil
}

// webpTrees returns an upper bound on the memory of the Huffman trees of lossless data or of an
// alpha channel, in a file of size bytes. Each tile of 4 by 4 pixels or more may have its own group
// of five trees, up to the decoder's limit of groups. A group has five tables of 128 numbers, and
// at most two nodes of 8 bytes for each of its symbols. Real files need far less, but this is not
// visible in the header.
func webpTrees(p header, size int64) int64 {
	const (
		maxGroups = 2600
		tables    = 5 * (128*4 + 24)
		node      = 2 * 8 * 9 / 8 // bytes per symbol; the factor 9/8 is because the allocator rounds up
		nodes     = node * (256 + 24 + 1<<11 + 3*256 + 40)
		// The code length of a symbol takes at least a third of a bit. The code "repeat the
		// previous length six times" can take two bits.
		nodesOfByte = node * 8 * 3
	)
	groups := min(maxGroups, int64(p.w+3)/4*(int64(p.h+3)/4))
	return groups*tables + min(groups*nodes, size*nodesOfByte)
}
