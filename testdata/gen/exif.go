package main

import (
	"encoding/binary"
	"image"
	"image/color"
)

// orientation says how a camera was held, as the EXIF tag of this name counts.
type orientation uint16

// turnedRight means that the picture has to be turned to the right to be upright:
// what a telephone writes that is held upright.
const turnedRight orientation = 6

// withOrientation puts an EXIF segment with that single tag behind the first two
// bytes of a JPEG file (Exif 2.32, 4.5.4; TIFF 6.0, section 2).
func withOrientation(jpeg []byte, o orientation) []byte {
	const tagOrientation, typeShort = 0x0112, 3
	be := binary.BigEndian
	exif := append([]byte("Exif\x00\x00"), "MM\x00*\x00\x00\x00\x08"...) // the list of tags starts at 8
	exif = be.AppendUint16(exif, 1)                                      // one tag
	exif = be.AppendUint16(exif, tagOrientation)
	exif = be.AppendUint16(exif, typeShort)
	exif = be.AppendUint32(exif, 1)
	exif = append(be.AppendUint16(exif, uint16(o)), 0, 0)
	exif = be.AppendUint32(exif, 0) // no further list

	out := append([]byte{}, jpeg[:2]...)
	out = append(out, 0xff, 0xe1)
	out = be.AppendUint16(out, uint16(2+len(exif)))
	return append(append(out, exif...), jpeg[2:]...)
}

// turnLeft turns a picture by a quarter to the left.
func turnLeft(img *image.NRGBA) *image.NRGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	return paint(h, w, func(x, y int) color.NRGBA { return img.NRGBAAt(w-1-y, x) })
}
