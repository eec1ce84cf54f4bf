package source

import (
	"bytes"
	"encoding/binary"
)

// exifOrientation returns the orientation that an EXIF block states, 1 to 8, or
// 1 if it states none or is damaged. A block is a small TIFF file (EXIF 2.3,
// section 4.5); before it there may be the sign that JPEG puts there.
func exifOrientation(block []byte) int {
	block = bytes.TrimPrefix(block, []byte("Exif\x00\x00"))
	if len(block) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(block[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(block[4:]))
	if at+2 > uint64(len(block)) {
		return 1
	}
	entries, count := block[at+2:], order.Uint16(block[at:])
	// Every entry: tag, type, how many, the value if it is short enough.
	for ; count > 0 && len(entries) >= 12; entries, count = entries[12:], count-1 {
		const orientation, short = 0x0112, 3
		if order.Uint16(entries) != orientation {
			continue
		}
		v := order.Uint16(entries[8:])
		if order.Uint16(entries[2:]) != short || order.Uint32(entries[4:]) != 1 || v < 1 || v > 8 {
			return 1
		}
		return int(v)
	}
	return 1
}
