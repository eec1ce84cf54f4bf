package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"

	"github.com/assetcook/assetcook/internal/fileformat"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// deflateRatio is the maximum expansion of zlib data, where a match of 258 bytes takes at least two
// bits.
const deflateRatio = 1032

// Color types of PNG with one channel per pixel.
const (
	pngGray   = 0
	pngMapped = 3
)

// probePNG reads IHDR, which must be the first chunk, and the chunks up to the first IDAT.
func probePNG(data []byte, _ int64) (header, error) {
	if len(data) < 33 {
		return header{}, fileformat.ErrShortHead
	}
	if string(data[8:16]) != "\x00\x00\x00\x0dIHDR" {
		return header{}, errors.New("the PNG file does not start with an IHDR chunk")
	}
	w, h := binary.BigEndian.Uint32(data[16:]), binary.BigEndian.Uint32(data[20:])
	if w >= 1<<31 || h >= 1<<31 {
		return header{}, fmt.Errorf("the image claims %d x %d pixels, which is out of range", w, h)
	}
	depth, color, interlaced := int64(data[24]), data[25], data[28] != 0
	channels, ok := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
	if !ok || depth > 16 {
		return header{}, fmt.Errorf("the PNG file has the unknown color type %d with %d bits; save the image again", color, depth)
	}
	p := header{w: int(w), h: int(h), bits: int(depth)}

	// Interlacing makes the file only larger. It spreads each row over several rows, each with its
	// own padding and filter byte.
	raw := int64(h) * (1 + (int64(w)*channels*depth+7)/8)
	const frame = 8 + 25 + 12 + 12 // bytes of the signature, IHDR, one IDAT and IEND
	p.least = frame + (raw+deflateRatio-1)/deflateRatio

	chunks := readPNGChunks(data)
	if len(chunks.acTL) == 8 {
		p.frames = int(binary.BigEndian.Uint32(chunks.acTL))
	}
	p.gamma, p.profile = chunks.colorSpace()
	p.orientation = exifOrientation(chunks.eXIf)
	// The map shares the decoder's pixels if they have four channels. Palette images, and grayscale
	// without a tRNS chunk, are decoded to one channel, which takes less memory but is copied to
	// the map.
	decoded := int64(4)
	p.shared = color != pngMapped && (color != pngGray || chunks.whole && chunks.transparent)
	if !p.shared {
		decoded = 1
	}
	if depth == 16 {
		decoded *= 2
		p.depth = pixmap.Bits16
	}
	p.decoder = p.pixelCountOf()*decoded + 2*(int64(w)*8+1)
	if interlaced {
		p.decoder *= 2 // the decoder decodes each interlace pass to a separate image
	}
	return p, nil
}

func decodePNG(ctx context.Context, data []byte, h *header) (*pixmap.Map, error) {
	return library{png.DecodeConfig, png.Decode}.decodeToMap(ctx, data, h)
}

// pngChunks holds the data of the chunks that precede the pixels.
type pngChunks struct {
	whole       bool // true if the first chunk of pixels was reached
	transparent bool // true if the file has a tRNS chunk

	// These are the bodies of the chunks, nil if a chunk is missing. If a chunk occurs several
	// times, the first one is used.
	cICP, iCCP, sRGB, gAMA, cHRM, eXIf, acTL []byte
}

// readPNGChunks reads the chunks that are completely in data.
func readPNGChunks(data []byte) pngChunks {
	var c pngChunks
	known := map[string]*[]byte{"cICP": &c.cICP, "iCCP": &c.iCCP, "sRGB": &c.sRGB, "gAMA": &c.gAMA, "cHRM": &c.cHRM, "eXIf": &c.eXIf, "acTL": &c.acTL}
	// A chunk has a length, a name of four letters, a body, and a checksum. The checksum is left to
	// the decoder.
	for at := int64(8); at+8 <= int64(len(data)); {
		length := int64(binary.BigEndian.Uint32(data[at:]))
		name := string(data[at+4 : at+8])
		if name == "IDAT" {
			c.whole = true
			return c
		}
		c.transparent = c.transparent || name == "tRNS"
		if at+8+length > int64(len(data)) {
			return c
		}
		if body, ok := known[name]; ok && *body == nil {
			*body = data[at+8 : at+8+length]
		}
		at += 8 + length + 4
	}
	return c
}

// colorSpace returns the gamma to apply, or the name of a color space other than sRGB. The
// precedence of chunks is defined in "PNG Specification, Third Edition", section 12.1.
func (c *pngChunks) colorSpace() (gamma int, profile string) {
	switch {
	case len(c.cICP) == 4:
		return cicpSpace(c.cICP)
	case c.iCCP != nil:
		return 0, pngProfile(c.iCCP)
	case c.sRGB != nil:
		return 0, ""
	}
	if len(c.gAMA) == 4 {
		gamma = applicable(int64(binary.BigEndian.Uint32(c.gAMA)))
	}
	if len(c.cHRM) == 32 && !allZero(c.cHRM) { // other readers also ignore values that are all zero
		var got [8]float64 // the chunk stores the white point first
		for i := range got {
			got[(i+6)%8] = float64(binary.BigEndian.Uint32(c.cHRM[4*i:])) / 100000
		}
		if !sRGBPrimaries(got) {
			profile = "other primaries than sRGB (cHRM)"
		}
	}
	return gamma, profile
}

// cicpSpace reads the code points of ITU-T H.273: primaries, transfer function, matrix and range.
// It returns a gamma if the transfer function is a pure power.
func cicpSpace(b []byte) (gamma int, profile string) {
	const bt709, fullRange = 1, 1
	if b[0] == bt709 && b[2] == 0 && b[3] == fullRange {
		switch b[1] {
		case 13: // the transfer function of sRGB
			return 0, ""
		case 4: // a power of 2.2, which is close to sRGB
			return 0, ""
		case 8: // linear light
			return 100000, ""
		}
	}
	return 0, fmt.Sprintf("color code points %d/%d/%d/%d (cICP)", b[0], b[1], b[2], b[3])
}

// sRGBPrimaries reports whether red, green, blue and white are within 0.01 of sRGB's. Writers round
// these values.
func sRGBPrimaries(got [8]float64) bool {
	for i, want := range [8]float64{0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329} {
		const near = 0.0100001
		if !(got[i] > want-near && got[i] < want+near) {
			return false
		}
	}
	return true
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
