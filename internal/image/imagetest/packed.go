package imagetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
)

// deflate compresses n zeros.
func deflate(n int64) []byte {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err == nil {
		_, err = io.CopyN(w, zeros{}, n)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a buffer cannot fail
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TIFFTiles returns a gray picture of side by side pixels in tiles of tile by tile, which all share
// the same bytes of the file.
func TIFFTiles(side, tile int) []byte {
	tiles := (side / tile) * (side / tile)
	data := deflate(int64(tile * tile))
	places := binary.LittleEndian.AppendUint32(nil, 8)
	sizes := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
	body := append(data, bytes.Repeat(places, tiles)...)
	body = append(body, bytes.Repeat(sizes, tiles)...)
	return tiff(body, [][3]uint32{
		{256, 1, uint32(side)}, {257, 1, uint32(side)}, {258, 1, 8}, {259, 1, 8}, {262, 1, 1},
		{322, 1, uint32(tile)}, {323, 1, uint32(tile)},
		{324, uint32(tiles), uint32(8 + len(data))}, {325, uint32(tiles), uint32(8 + len(data) + 4*tiles)},
	})
}

// tiffStrip returns a gray picture whose only strip unpacks to 64 MiB.
func tiffStrip(side uint32) []byte {
	data := deflate(1 << 26)
	return tiff(data, [][3]uint32{
		{256, 1, side}, {257, 1, side}, {258, 1, 8}, {259, 1, 8}, {262, 1, 1},
		{273, 1, 8}, {278, 1, side}, {279, 1, uint32(len(data))},
	})
}

// tiff returns a file with a body, from byte 8 on, and a directory of 32-bit numbers: tag, count,
// value or place.
func tiff(body []byte, entries [][3]uint32) []byte {
	if len(body)%2 == 1 {
		body = append(body, 0)
	}
	le := binary.LittleEndian
	b := append(le.AppendUint32([]byte("II*\x00"), uint32(8+len(body))), body...)
	b = le.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = le.AppendUint16(b, uint16(e[0]))
		b = le.AppendUint16(b, 4)
		b = le.AppendUint32(b, e[1])
		b = le.AppendUint32(b, e[2])
	}
	return le.AppendUint32(b, 0)
}

// JPEGScans returns a progressive picture of uniform gray, side by side pixels, with many scans of
// a few bytes that change nothing.
func JPEGScans(side, scans int) []byte {
	b := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	b = append(b, bytes.Repeat([]byte{1}, 64)...) // quantization
	b = append(b, "\xff\xc2\x00\x0b\x08"...)
	b = binary.BigEndian.AppendUint16(b, uint16(side))
	b = binary.BigEndian.AppendUint16(b, uint16(side))
	b = append(b, "\x01\x01\x11\x00"...)
	b = appendCode(b, 0x00, 0)    // means: one code of one bit, "as before"
	b = appendCode(b, 0x10, 0xe0) // the rest: "the next 16,384 blocks or more are empty"
	blocks := ((side + 7) / 8) * ((side + 7) / 8)
	b = append(b, "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00"...)
	b = append(b, make([]byte, (blocks+7)/8)...)
	scan := append([]byte("\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00"), make([]byte, 2*(blocks/16384+1))...)
	b = append(b, bytes.Repeat(scan, scans)...)
	return append(b, 0xff, 0xd9)
}

// appendCode adds a Huffman table of one code of one bit.
func appendCode(b []byte, class, value byte) []byte {
	b = append(b, 0xff, 0xc4, 0x00, 0x14, class, 1)
	b = append(b, make([]byte, 15)...)
	return append(b, value)
}
