package image

import (
	"encoding/binary"
	"errors"

	"github.com/assetcook/assetcook/cook/recipe"
)

// probeWebP reads the first chunk that tells the size. Lossless data can take
// no bits at all for a pixel, so that any file may be long enough.
func probeWebP(data []byte) (picture, error) {
	// Every chunk after the RIFF header: four letters, length, data, padding.
	for at := int64(12); ; {
		if at+8 > int64(len(data)) {
			return picture{}, recipe.ErrShortHead
		}
		name, size := string(data[at:at+4]), int64(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		switch name {
		case "VP8X", "VP8 ", "VP8L":
			if len(body) < 10 && int64(len(body)) < size {
				return picture{}, recipe.ErrShortHead
			}
			p, err := webpSize(name, body[:min(10, size, int64(len(body)))])
			// A decoder reads what the RIFF header counts.
			total := 8 + int64(binary.LittleEndian.Uint32(data[4:]))
			p.least = max(p.least, total)
			if name != "VP8 " {
				p.decoder += webpTrees(p, total)
			}
			return p, err
		}
		at += 8 + size + size&1
	}
}

func webpSize(chunk string, b []byte) (picture, error) {
	var p picture
	switch {
	case chunk == "VP8X" && len(b) >= 10:
		if b[0]&2 != 0 {
			return p, errors.New("animated WebP is not supported; save one frame as a picture")
		}
		p.w = 1 + int(b[4]) + int(b[5])<<8 + int(b[6])<<16
		p.h = 1 + int(b[7]) + int(b[8])<<8 + int(b[9])<<16
		p.decoder = 12 * p.pixels() // planes and alpha, which is decoded as four channels
	case chunk == "VP8 " && len(b) >= 10:
		p.w = int(binary.LittleEndian.Uint16(b[6:]) & 0x3fff)
		p.h = int(binary.LittleEndian.Uint16(b[8:]) & 0x3fff)
		macroblocks := int64(p.w+15) / 16 * (int64(p.h+15) / 16)
		p.least = macroblocks / 8 // by far the likeliest prediction modes still cost over a bit
		p.decoder = 2 * 256 * macroblocks
	case chunk == "VP8L" && len(b) >= 5:
		v := binary.LittleEndian.Uint32(b[1:])
		p.w, p.h = 1+int(v&0x3fff), 1+int(v>>14&0x3fff)
		p.decoder = 9 * p.pixels() // twice where the colours were indexed
	default:
		return p, errors.New("WebP file with a damaged header")
	}
	return p, nil
}

// webpTrees bounds what the Huffman trees of lossless data, or of an alpha
// channel, take in a file of so many bytes. Each tile of 4 by 4 pixels or more
// may have a group of five trees of its own, up to as many groups as the
// decoder accepts. A group has five tables of 128 numbers, and at most two
// nodes of 8 bytes for each of its symbols. Real files come nowhere near it,
// but which one does shows only in the middle of decoding.
func webpTrees(p picture, size int64) int64 {
	const (
		maxGroups = 2600
		tables    = 5 * (128*4 + 24)
		node      = 2 * 8 * 9 / 8 // for each symbol; the allocator rounds up
		nodes     = node * (256 + 24 + 1<<11 + 3*256 + 40)
		// A symbol's length takes a third of a bit at least: "repeat the last
		// one six times" may take two bits.
		nodesOfByte = node * 8 * 3
	)
	groups := min(maxGroups, int64(p.w+3)/4*(int64(p.h+3)/4))
	return groups*tables + min(groups*nodes, size*nodesOfByte)
}
