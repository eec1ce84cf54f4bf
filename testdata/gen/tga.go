package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
)

// tgaKind is the image type of a TGA file without run lengths; adding
// tgaPacked gives the type with them.
type tgaKind byte

const (
	tgaMapped tgaKind = 1
	tgaTrue   tgaKind = 2
	tgaGrey   tgaKind = 3
	tgaPacked tgaKind = 8
)

// tgaForm says how a picture is laid out. The zero value is the oldest and most
// common form: rows from the bottom up, no run lengths.
type tgaForm struct {
	topDown   bool
	runLength bool
}

// tgaRaw is a picture as TGA stores it.
type tgaRaw struct {
	kind          tgaKind
	width, height int
	pixelBytes    int
	alphaBits     byte
	palette       color.Palette // only for tgaMapped
	pixel         func(x, y int) []byte
}

// encode returns the file, with a version 2 footer.
func (t tgaRaw) encode(form tgaForm) []byte {
	kind, origin := t.kind, byte(0)
	if form.runLength {
		kind += tgaPacked
	}
	if form.topDown {
		origin = 0x20
	}
	out := []byte{0, 0, byte(kind), 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if t.kind == tgaMapped {
		out[1], out[7] = 1, 24
		binary.LittleEndian.PutUint16(out[5:], uint16(len(t.palette)))
	}
	out = binary.LittleEndian.AppendUint16(out, uint16(t.width))
	out = binary.LittleEndian.AppendUint16(out, uint16(t.height))
	out = append(out, byte(t.pixelBytes*8), t.alphaBits|origin)
	for _, c := range t.palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		out = append(out, n.B, n.G, n.R)
	}
	for i := range t.height {
		y := i
		if !form.topDown {
			y = t.height - 1 - i
		}
		row := make([][]byte, t.width)
		for x := range row {
			row[x] = t.pixel(x, y)
		}
		if form.runLength {
			out = append(out, tgaPackets(row)...)
		} else {
			out = append(out, bytes.Join(row, nil)...)
		}
	}
	return append(out, "\x00\x00\x00\x00\x00\x00\x00\x00TRUEVISION-XFILE.\x00"...)
}

// tgaPackets writes one row as packets of up to 128 pixels, either one pixel to
// be repeated or pixels as they are. Packets do not cross rows, as version 2
// demands.
func tgaPackets(row [][]byte) []byte {
	var out []byte
	same := func(i int) int { // how many pixels from i on are equal
		n := 1
		for n < 128 && i+n < len(row) && bytes.Equal(row[i], row[i+n]) {
			n++
		}
		return n
	}
	for i := 0; i < len(row); {
		if n := same(i); n > 1 {
			out = append(append(out, byte(128+n-1)), row[i]...)
			i += n
			continue
		}
		n := 1
		for n < 128 && i+n < len(row) && same(i+n) == 1 {
			n++
		}
		out = append(out, byte(n-1))
		out = append(out, bytes.Join(row[i:i+n], nil)...)
		i += n
	}
	return out
}

// tgaRGB encodes 24 bits per pixel and drops alpha.
func tgaRGB(img *image.NRGBA, form tgaForm) []byte {
	return tgaRaw{kind: tgaTrue, width: img.Rect.Dx(), height: img.Rect.Dy(), pixelBytes: 3,
		pixel: func(x, y int) []byte {
			c := img.NRGBAAt(x, y)
			return []byte{c.B, c.G, c.R}
		}}.encode(form)
}

// tgaRGBA encodes 32 bits per pixel.
func tgaRGBA(img *image.NRGBA, form tgaForm) []byte {
	return tgaRaw{kind: tgaTrue, width: img.Rect.Dx(), height: img.Rect.Dy(), pixelBytes: 4, alphaBits: 8,
		pixel: func(x, y int) []byte {
			c := img.NRGBAAt(x, y)
			return []byte{c.B, c.G, c.R, c.A}
		}}.encode(form)
}

// tgaGrey8 encodes 8 bits of grey per pixel.
func tgaGrey8(img *image.Gray, form tgaForm) []byte {
	return tgaRaw{kind: tgaGrey, width: img.Rect.Dx(), height: img.Rect.Dy(), pixelBytes: 1,
		pixel: func(x, y int) []byte { return []byte{img.GrayAt(x, y).Y} }}.encode(form)
}

// tgaPalette encodes 8-bit indices and a map of 24-bit colours.
func tgaPalette(img *image.Paletted, form tgaForm) []byte {
	return tgaRaw{kind: tgaMapped, width: img.Rect.Dx(), height: img.Rect.Dy(), pixelBytes: 1, palette: img.Palette,
		pixel: func(x, y int) []byte { return []byte{img.ColorIndexAt(x, y)} }}.encode(form)
}
