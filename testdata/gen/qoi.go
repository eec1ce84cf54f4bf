package main

import (
	"encoding/binary"
	"image"
	"image/color"
)

// The operations of QOI ("The Quite OK Image Format", 1.0).
const (
	qoiIndex byte = 0x00
	qoiDiff  byte = 0x40
	qoiLuma  byte = 0x80
	qoiRun   byte = 0xc0
	qoiRGB   byte = 0xfe
	qoiRGBA  byte = 0xff
)

const qoiLongestRun = 62 // 63 and 64 would be qoiRGB and qoiRGBA

// encodeQOI returns the picture as a QOI file of four channels, in sRGB.
func encodeQOI(img *image.NRGBA) []byte {
	b := img.Bounds()
	out := binary.BigEndian.AppendUint32([]byte("qoif"), uint32(b.Dx()))
	out = binary.BigEndian.AppendUint32(out, uint32(b.Dy()))
	out = append(out, 4, 0)

	var seen [64]color.NRGBA
	last, run := color.NRGBA{A: 255}, 0
	flush := func() {
		if run > 0 {
			out = append(out, qoiRun|byte(run-1))
			run = 0
		}
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := img.NRGBAAt(x, y)
			if c == last {
				if run++; run == qoiLongestRun {
					flush()
				}
				continue
			}
			flush()
			slot := (int(c.R)*3 + int(c.G)*5 + int(c.B)*7 + int(c.A)*11) % len(seen)
			if seen[slot] == c {
				out = append(out, qoiIndex|byte(slot))
			} else {
				out = append(out, qoiStep(last, c)...)
				seen[slot] = c
			}
			last = c
		}
	}
	flush()
	return append(out, 0, 0, 0, 0, 0, 0, 0, 1)
}

// qoiStep writes a pixel as a difference to the last one, or whole if the two are
// too different.
func qoiStep(last, c color.NRGBA) []byte {
	if c.A != last.A {
		return []byte{qoiRGBA, c.R, c.G, c.B, c.A}
	}
	// Differences wrap at 256. Red and blue of the longer step go by green.
	red, green, blue := int8(c.R-last.R), int8(c.G-last.G), int8(c.B-last.B)
	r, b := red-green, blue-green
	fits := func(v, half int8) bool { return v >= -half && v < half }
	switch {
	case fits(red, 2) && fits(green, 2) && fits(blue, 2):
		return []byte{qoiDiff | byte(red+2)<<4 | byte(green+2)<<2 | byte(blue+2)}
	case fits(green, 32) && fits(r, 8) && fits(b, 8):
		return []byte{qoiLuma | byte(green+32), byte(r+8)<<4 | byte(b+8)}
	}
	return []byte{qoiRGB, c.R, c.G, c.B}
}
