// Package imagetest makes decompression bombs: small pictures that would cost an unprotected
// decoder gigabytes or minutes. Tests and campaigns feed them to recipes.
package imagetest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A Bomb is one such file.
type Bomb struct {
	Name string
	Ext  string
	Data []byte
	// Fine says that the bomb is a valid picture, and must be cooked.
	Fine bool
}

// Bombs returns at least one for every format. None is larger than 2 MiB.
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

// PNG returns a picture of eight-bit gray whose pixels are the given zlib data.
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

// onePixel returns the zlib data of a picture of 1 x 1.
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

// GIFFrames returns a picture of one pixel with n frames.
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
