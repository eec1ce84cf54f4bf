package main

import (
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
)

// pngColour is the colour type of a PNG (its specification, 11.2.2).
type pngColour uint8

const (
	pngGrey      pngColour = 0
	pngTrue      pngColour = 2
	pngIndexed   pngColour = 3
	pngGreyAlpha pngColour = 4
	pngTrueAlpha pngColour = 6
)

// pngRaw is a picture as PNG stores it, before filters and compression. The
// standard encoder cannot write grey with alpha, and its bytes change with the
// release, so the tree has its own.
type pngRaw struct {
	width, height int
	depth         int // bits per channel or index
	colour        pngColour
	rows          [][]byte
	palette       color.Palette // only for pngIndexed
}

// encode returns the PNG file.
func (p pngRaw) encode() []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32(nil, uint32(p.width))
	head = binary.BigEndian.AppendUint32(head, uint32(p.height))
	out = pngChunk(out, "IHDR", append(head, byte(p.depth), byte(p.colour), 0, 0, 0))
	if p.colour == pngIndexed {
		var entries, alphas []byte
		for _, c := range p.palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			entries = append(entries, n.R, n.G, n.B)
			alphas = append(alphas, n.A)
		}
		out = pngChunk(out, "PLTE", entries)
		for len(alphas) > 0 && alphas[len(alphas)-1] == 255 {
			alphas = alphas[:len(alphas)-1]
		}
		if len(alphas) > 0 {
			out = pngChunk(out, "tRNS", alphas)
		}
	}
	out = pngChunk(out, "IDAT", compressZlib(p.filtered()))
	return pngChunk(out, "IEND", nil)
}

func pngChunk(out []byte, name string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	start := len(out)
	out = append(append(out, name...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
}

// filtered returns all rows, each behind the number of the filter that makes
// its bytes smallest in sum. Indexed and sub-byte rows stay as they are, as the
// specification advises.
func (p pngRaw) filtered() []byte {
	channels := map[pngColour]int{pngGrey: 1, pngTrue: 3, pngIndexed: 1, pngGreyAlpha: 2, pngTrueAlpha: 4}[p.colour]
	step := channels * p.depth / 8
	var out []byte
	above := make([]byte, len(p.rows[0]))
	for _, row := range p.rows {
		var best []byte
		bestSum := -1
		for filter := range byte(5) {
			if filter > 0 && (p.colour == pngIndexed || p.depth < 8) {
				break
			}
			line := append(make([]byte, 0, len(row)+1), filter)
			sum := 0
			for i, v := range row {
				var left, corner byte
				if i >= step {
					left, corner = row[i-step], above[i-step]
				}
				d := v - pngPredict(filter, left, above[i], corner)
				line = append(line, d)
				sum += min(int(d), 256-int(d))
			}
			if bestSum < 0 || sum < bestSum {
				best, bestSum = line, sum
			}
		}
		out = append(out, best...)
		above = row
	}
	return out
}

// pngPredict guesses a byte from its neighbours (the specification, 9.2).
func pngPredict(filter, left, up, corner byte) byte {
	a, b, c := int(left), int(up), int(corner)
	switch filter {
	case 1:
		return left
	case 2:
		return up
	case 3:
		return byte((a + b) / 2)
	case 4:
		pa, pb, pc := max(b-c, c-b), max(a-c, c-a), max(a+b-2*c, 2*c-a-b)
		switch {
		case pa <= pb && pa <= pc:
			return left
		case pb <= pc:
			return up
		}
		return corner
	}
	return 0
}

// pngFrom builds the file from a function that appends one pixel's bytes.
func pngFrom(w, h, depth int, colour pngColour, pixel func(row []byte, x, y int) []byte) []byte {
	p := pngRaw{width: w, height: h, depth: depth, colour: colour}
	for y := range h {
		var row []byte
		for x := range w {
			row = pixel(row, x, y)
		}
		p.rows = append(p.rows, row)
	}
	return p.encode()
}

// pngRGBA encodes 8 bits per channel with alpha.
func pngRGBA(img *image.NRGBA) []byte {
	b := img.Bounds()
	return pngFrom(b.Dx(), b.Dy(), 8, pngTrueAlpha, func(row []byte, x, y int) []byte {
		c := img.NRGBAAt(x, y)
		return append(row, c.R, c.G, c.B, c.A)
	})
}

// pngRGB encodes 8 bits per channel and drops alpha.
func pngRGB(img *image.NRGBA) []byte {
	b := img.Bounds()
	return pngFrom(b.Dx(), b.Dy(), 8, pngTrue, func(row []byte, x, y int) []byte {
		c := img.NRGBAAt(x, y)
		return append(row, c.R, c.G, c.B)
	})
}

// pngPalette encodes indices with the fewest bits that hold the palette.
func pngPalette(img *image.Paletted) []byte {
	b := img.Bounds()
	p := pngRaw{width: b.Dx(), height: b.Dy(), depth: 8, colour: pngIndexed, palette: img.Palette}
	for p.depth > 1 && len(img.Palette) <= 1<<(p.depth/2) {
		p.depth /= 2
	}
	for y := range p.height {
		row := make([]byte, (p.width*p.depth+7)/8)
		for x := range p.width {
			at := x * p.depth
			row[at/8] |= img.ColorIndexAt(x, y) << (8 - p.depth - at%8)
		}
		p.rows = append(p.rows, row)
	}
	return p.encode()
}
