package image

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
)

// The tags that decide how much a TIFF takes.
const (
	tiffWidth        = 256
	tiffLength       = 257
	tiffBits         = 258
	tiffCompression  = 259
	tiffRowsPerStrip = 278
	tiffTileWidth    = 322
	tiffTileLength   = 323
)

// Bounds on packed tiles. Each costs an unpacker of its own, some 45 KB and ten
// microseconds, however little is in it.
const (
	minTile  = 16      // smallest side (TIFF 6.0, section 15)
	maxTiles = 1 << 16 // in a picture: 256 a side suffice for the largest
)

// tiffRatio bounds how far data of a compression expands; 0 is no bound.
func tiffRatio(compression int64) int64 {
	switch compression {
	case 0, 1: // none
		return 1
	case 5: // LZW, with codes as in GIF
		return gifRatio + 1
	case 8, 32946:
		return deflateRatio
	case 32773: // PackBits: two bytes for 128
		return 64
	}
	return 0 // fax codes draw a whole row with one bit
}

// probeTIFF reads the first image file directory, which may stand anywhere in
// the file.
func probeTIFF(data []byte) (picture, error) {
	if len(data) < 8 {
		return picture{}, recipe.ErrShortHead
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return picture{}, recipe.ErrShortHead
	}
	count := int64(order.Uint16(data[at:]))
	if at+2+12*count > int64(len(data)) {
		return picture{}, recipe.ErrShortHead
	}
	value, samples := map[uint16]int64{}, int64(1)
	last := -1
	for i := range count {
		entry := data[at+2+12*i:]
		tag := order.Uint16(entry)
		if int(tag) <= last {
			return picture{}, errors.New("TIFF file with a damaged directory: its tags are not in order")
		}
		last = int(tag)
		v, n, ok := tiffValue(order, entry, data)
		if ok {
			value[tag] = v
		}
		if tag == tiffBits {
			samples = n
		}
	}
	return tiffPicture(value, samples)
}

// tiffValue returns the first number of a directory entry, how many it has,
// and whether the number is within data.
func tiffValue(order binary.ByteOrder, entry, data []byte) (v, n int64, ok bool) {
	n = int64(order.Uint32(entry[4:]))
	size := map[uint16]int64{1: 1, 3: 2, 4: 4}[order.Uint16(entry[2:])]
	field := entry[8:12]
	if size*n > 4 {
		at := int64(order.Uint32(field))
		if at+size > int64(len(data)) {
			return 0, n, false
		}
		field = data[at:]
	}
	switch size {
	case 1:
		return int64(field[0]), n, n > 0
	case 2:
		return int64(order.Uint16(field)), n, n > 0
	case 4:
		return int64(order.Uint32(field)), n, n > 0
	}
	return 0, n, false
}

func tiffPicture(value map[uint16]int64, samples int64) (picture, error) {
	w, h := value[tiffWidth], value[tiffLength]
	if w > 1<<31-1 || h > 1<<31-1 {
		return picture{}, fmt.Errorf("image is %d x %d pixels", w, h)
	}
	if samples < 1 || samples > 4 {
		return picture{}, fmt.Errorf("TIFF file with %d samples a pixel is not supported", samples)
	}
	p := picture{w: int(w), h: int(h)}
	bits, known := value[tiffBits], true
	if bits == 0 {
		// Not given means 1; or it stands beyond what we have, then the most.
		if bits, known = 1, samples == 1; !known {
			bits = 16
		}
	}
	ratio := tiffRatio(value[tiffCompression])
	if ratio > 0 && known {
		p.least = h * ((w*samples*min(bits, 16) + 7) / 8) / ratio
	}

	decoded := int64(1)
	if samples > 1 {
		decoded = 4
	}
	if bits == 16 {
		decoded *= 2
	}
	p.decoder = p.pixels() * decoded
	if ratio == 1 {
		return p, nil
	}
	// One strip or tile at a time is unpacked into a buffer that grows by
	// doubling, up to 8 bytes a pixel whatever the pixels need.
	block := w * min(h, max(1, orElse(value[tiffRowsPerStrip], h)))
	if value[tiffTileWidth] > 0 {
		if err := checkTiles(w, h, value[tiffTileWidth], value[tiffTileLength]); err != nil {
			return picture{}, err
		}
		block = min(value[tiffTileWidth], max(w+16, 1024)) * min(value[tiffTileLength], max(h+16, 1024))
	}
	p.decoder += 3 * 8 * block
	return p, nil
}

// checkTiles refuses tiles that are too small for a picture of w by h.
func checkTiles(w, h, across, down int64) error {
	if across < minTile || down < minTile {
		return fmt.Errorf("TIFF file with tiles of %d x %d pixels; at least %d a side are needed", across, down, minTile)
	}
	if tiles := (w + across - 1) / across * ((h + down - 1) / down); tiles > maxTiles {
		return fmt.Errorf("TIFF file with %d tiles; at most %d are unpacked, save it with larger ones", tiles, maxTiles)
	}
	return nil
}

// orElse returns v, or other if v is 0.
func orElse(v, other int64) int64 {
	if v == 0 {
		return other
	}
	return v
}
