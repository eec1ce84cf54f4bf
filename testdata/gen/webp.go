package main

import (
	"encoding/binary"
	"image"
)

// webpOrder is the order in which VP8L states the lengths of its length code
// (WebP lossless specification, 6.2.1).
var webpOrder = [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// The five alphabets of a VP8L picture. The green one also holds the lengths of
// copies, from webpLengths on.
const (
	webpGreen = iota
	webpRed
	webpBlue
	webpAlpha
	webpDistance

	webpLengths = 256
)

// webpNearby is the number of distance codes that VP8L keeps for pixels close
// by in two dimensions. They are not used here: plain distances start after them.
const webpNearby = 120

// encodeWebP returns the picture as a lossless WebP file: one VP8L chunk with
// the "subtract green" transform, LZ77 copies and one set of prefix codes.
// Width and height are 1..16384.
func encodeWebP(img *image.NRGBA) []byte {
	b := img.Bounds()
	w := &bitWriter{out: []byte{0x2f}}
	w.write(uint32(b.Dx()-1), 14)
	w.write(uint32(b.Dy()-1), 14)
	w.write(1, 1) // alpha is used
	w.write(0, 3) // version
	w.write(1, 1) // a transform follows:
	w.write(2, 2) // subtract green
	w.write(0, 1) // no further transform
	w.write(0, 1) // no colour cache
	w.write(0, 1) // one set of codes for the whole picture
	webpPixels(w, webpResiduals(img))

	data := w.bytes()
	size := len(data)
	if size%2 == 1 {
		data = append(data, 0)
	}
	out := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(4+8+len(data)))
	out = binary.LittleEndian.AppendUint32(append(out, "WEBPVP8L"...), uint32(size))
	return append(out, data...)
}

// webpResiduals returns the pixels as 0xAARRGGBB with green taken from red and
// blue, which makes greyish pictures cheap.
func webpResiduals(img *image.NRGBA) []uint32 {
	b := img.Bounds()
	var out []uint32
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := img.NRGBAAt(x, y)
			out = append(out, uint32(c.A)<<24|uint32(c.R-c.G)<<16|uint32(c.G)<<8|uint32(c.B-c.G))
		}
	}
	return out
}

// webpPixels writes the five codes and the pixels.
func webpPixels(w *bitWriter, pixels []uint32) {
	tokens := parse(pixels, 4096, 1<<20-webpNearby)
	counts := [...][]int{make([]int, webpLengths+24), make([]int, 256), make([]int, 256), make([]int, 256), make([]int, 40)}
	for _, t := range tokens {
		if t.length == 0 {
			counts[webpAlpha][t.literal>>24]++
			counts[webpRed][t.literal>>16&255]++
			counts[webpGreen][t.literal>>8&255]++
			counts[webpBlue][t.literal&255]++
			continue
		}
		symbol, _, _ := bucket(t.length-1, 2)
		counts[webpGreen][webpLengths+symbol]++
		symbol, _, _ = bucket(t.distance-1+webpNearby, 2)
		counts[webpDistance][symbol]++
	}
	var codes [len(counts)]prefixCode
	for i, c := range counts {
		codes[i] = writeWebPCode(w, c)
	}
	for _, t := range tokens {
		if t.length == 0 {
			codes[webpGreen].write(w, int(t.literal>>8&255))
			codes[webpRed].write(w, int(t.literal>>16&255))
			codes[webpBlue].write(w, int(t.literal&255))
			codes[webpAlpha].write(w, int(t.literal>>24))
			continue
		}
		symbol, extra, width := bucket(t.length-1, 2)
		codes[webpGreen].write(w, webpLengths+symbol)
		w.write(extra, width)
		symbol, extra, width = bucket(t.distance-1+webpNearby, 2)
		codes[webpDistance].write(w, symbol)
		w.write(extra, width)
	}
}

// writeWebPCode chooses a prefix code for the counts and writes it. An alphabet
// with one used symbol, or none, takes no bits at all in the pixels.
func writeWebPCode(w *bitWriter, counts []int) prefixCode {
	used, only := 0, 0
	for s, n := range counts {
		if n > 0 {
			used++
			only = s
		}
	}
	if used < 2 && only < 256 {
		w.write(1, 1) // simple code
		w.write(0, 1) // of one symbol
		w.write(1, 1) // that is stated in eight bits
		w.write(uint32(only), 8)
		return prefixCode{make([]uint8, len(counts)), make([]uint32, len(counts))}
	}
	c := newPrefixCode(counts, 15)
	runs := lengthRuns(c.length)
	code := lengthCode(runs)
	n := usedInOrder(code, &webpOrder)
	w.write(0, 1) // normal code
	w.write(uint32(n-4), 4)
	for _, s := range webpOrder[:n] {
		w.write(uint32(code.length[s]), 3)
	}
	w.write(0, 1) // lengths for the whole alphabet follow
	writeRuns(w, runs, code)
	return c
}
