// Package imagetest creates decompression bombs. These small images would cost an unprotected
// decoder gigabytes or minutes. Tests and campaigns pass them to recipes.
package imagetest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// A Bomb is a file with a decompression bomb.
type Bomb struct {
	Name string
	Ext  string
	Data []byte
	// Fine is set if the bomb is a valid image that recipes must cook.
	Fine bool
}

// Bombs returns at least one bomb for each format, none larger than 2 MiB.
func Bombs() []Bomb {
	return []Bomb{
		{"PNG of 16384 x 16384 pixels in 68 bytes", ".png", PNG(16384, 16384, []byte{0x78, 0x9c}), false},
		{"PNG with a text that unpacks to 64 MiB", ".png", pngWithText(), true},
		{"PNG of 60,000 chunks", ".png", pngOfChunks("gAMA", "\x00\x00\xb1\x8f", 60_000), true},
		{"PNG of 60,000 empty data chunks", ".png", pngOfChunks("IDAT", "", 60_000), true},
		{"JPEG of 900 scans that say nothing", ".jpeg", JPEGScans(4096, 900), false},
		{"JPEG of 65,535 scans", ".jpeg", JPEGScans(8, 65_535), false},
		{"JPEG of 64 scans that say nothing", ".jpeg", JPEGScans(512, 63), true},
		{"GIF of 100,000 frames", ".gif", GIFFrames(100_000), true},
		{"GIF of 65535 x 65535 pixels", ".gif", gifOf(65535), false},
		{"TIFF whose tiles are one and the same", ".tiff", TIFFTiles(2048, 16), true},
		{"TIFF of 140,625 tiles", ".tiff", TIFFTiles(6000, 16), false},
		{"TIFF of tiny tiles", ".tiff", TIFFTiles(1024, 8), false},
		{"TIFF whose strip unpacks to more than its pixels", ".tiff", tiffStrip(256), true},
		{"WebP of 2,600 large Huffman trees", ".webp", WebPTrees(256, 2600), true},
		{"BMP of 30,000 x 30,000 pixels", ".bmp", bmpOf(30_000), false},
		{"TGA of 65535 x 65535 pixels", ".tga", []byte{2: 10, 12: 255, 255, 255, 255, 32, 0, 0}, false},
	}
}

// PNG returns an 8-bit grayscale image whose compressed pixels are the given zlib data.
func PNG(w, h uint32, pixels []byte) []byte {
	b := pngHead(w, h)
	b = appendChunk(b, "IDAT", pixels)
	return appendChunk(b, "IEND", nil)
}

func pngHead(w, h uint32) []byte {
	header := binary.BigEndian.AppendUint32(nil, w)
	header = binary.BigEndian.AppendUint32(header, h)
	return appendChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(header, 8, 0, 0, 0, 0))
}

func appendChunk(b []byte, name string, body []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	start := len(b)
	b = append(append(b, name...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}

// onePixel returns the zlib data of a grayscale image of 1 x 1 pixel.
func onePixel() []byte { return deflate(2) }

func pngWithText() []byte {
	b := appendChunk(pngHead(1, 1), "zTXt", append([]byte("a\x00\x00"), deflate(1<<26)...))
	b = appendChunk(b, "iCCP", append([]byte("a\x00\x00"), deflate(1<<24)...))
	b = appendChunk(b, "IDAT", onePixel())
	return appendChunk(b, "IEND", nil)
}

func pngOfChunks(name, body string, n int) []byte {
	b := pngHead(1, 1)
	for range n {
		b = appendChunk(b, name, []byte(body))
	}
	b = appendChunk(b, "IDAT", onePixel())
	return appendChunk(b, "IEND", nil)
}

// GIFFrames returns an image of one pixel with n frames.
func GIFFrames(n int) []byte {
	b := []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff")
	b = append(b, bytes.Repeat([]byte(",\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00"), n)...)
	return append(b, ';')
}

func gifOf(side uint16) []byte {
	b := []byte("GIF89a____\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00____\x00\x02\x00;")
	for _, at := range []int{6, 8, 24, 26} {
		binary.LittleEndian.PutUint16(b[at:], side)
	}
	return b
}

func bmpOf(side uint32) []byte {
	b := append([]byte("BM"), make([]byte, 60)...)
	b[10], b[14], b[26], b[28] = 54, 40, 1, 24
	binary.LittleEndian.PutUint32(b[18:], side)
	binary.LittleEndian.PutUint32(b[22:], side)
	return b
}

// deflate returns n zero bytes in compressed form.
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
		panic(err) // writing to a buffer cannot fail
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TIFFTiles returns a grayscale image of side×side pixels, in tiles of tile×tile pixels. All
// tiles refer to the same bytes of the file.
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

// tiffStrip returns a grayscale image whose only strip decompresses to 64 MiB.
func tiffStrip(side uint32) []byte {
	data := deflate(1 << 26)
	return tiff(data, [][3]uint32{
		{256, 1, side}, {257, 1, side}, {258, 1, 8}, {259, 1, 8}, {262, 1, 1},
		{273, 1, 8}, {278, 1, side}, {279, 1, uint32(len(data))},
	})
}

// tiff returns a file with a body, which starts at byte 8, and a directory. An entry of the
// directory has 32-bit values: tag, count, and value or offset.
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

// JPEGScans returns a progressive image of uniform gray, side×side pixels. It has many scans of a
// few bytes that change nothing.
func JPEGScans(side, scans int) []byte {
	b := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	b = append(b, bytes.Repeat([]byte{1}, 64)...)
	b = append(b, "\xff\xc2\x00\x0b\x08"...)
	b = binary.BigEndian.AppendUint16(b, uint16(side))
	b = binary.BigEndian.AppendUint16(b, uint16(side))
	b = append(b, "\x01\x01\x11\x00"...)
	b = appendCode(b, 0x00, 0)    // DC table: the only code means "same as before"
	b = appendCode(b, 0x10, 0xe0) // AC table: the only code means "the next 16,384 blocks or more are empty"
	blocks := ((side + 7) / 8) * ((side + 7) / 8)
	b = append(b, "\xff\xda\x00\x08\x01\x01\x00\x00\x00\x00"...)
	b = append(b, make([]byte, (blocks+7)/8)...)
	scan := append([]byte("\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00"), make([]byte, 2*(blocks/16384+1))...)
	b = append(b, bytes.Repeat(scan, scans)...)
	return append(b, 0xff, 0xd9)
}

// appendCode appends a Huffman table that has one code of one bit.
func appendCode(b []byte, class, value byte) []byte {
	b = append(b, 0xff, 0xc4, 0x00, 0x14, class, 1)
	b = append(b, make([]byte, 15)...)
	return append(b, value)
}
