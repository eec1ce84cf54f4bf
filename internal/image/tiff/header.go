package tiff

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// A Header describes the first page of a file.
type Header struct {
	Width, Height int
	Bits          int // bits per sample: 1, 2, 4, 8, 16, 32 or 64
	// Orientation says where the first row and column are, from 1 to 8 as in EXIF. It is 0 if the
	// file does not specify it.
	Orientation int
	// ICC is the color profile. It is nil if the file has none, or if the profile is not within the
	// data passed to ReadHeader.
	ICC []byte
	// Signed is set if samples are signed.
	Signed bool
	// Float is set if samples are floating point.
	Float bool
	// Ignored is the number of samples per pixel that are neither colors nor alpha.
	Ignored int

	dir            directory
	photometric    int64
	compression    int64
	samples        int   // number of samples per pixel
	alpha          alpha // meaning of the sample after the colors
	predicted      bool  // samples are stored as differences from the previous pixel
	split          bool  // samples are split into bytes, with all high bytes first, and predicted
	lowFirst       bool  // the order of bits in each byte of the file is reversed
	tiled          bool
	chunkW, chunkH int // size of a strip or tile
	palette        [256][3]byte
}

type alpha byte

const (
	noAlpha alpha = iota
	straight
	multiplied // colors are stored multiplied by alpha
)

// The tags that the package reads (TIFF 6.0, section 8, and others).
const (
	tagSubfile      = 254
	tagWidth        = 256
	tagLength       = 257
	tagBits         = 258
	tagCompression  = 259
	tagPhotometric  = 262
	tagFillOrder    = 266
	tagStripOffsets = 273
	tagOrientation  = 274
	tagSamples      = 277
	tagRowsPerStrip = 278
	tagStripSizes   = 279
	tagPlanar       = 284
	tagPredictor    = 317
	tagPalette      = 320
	tagTileWidth    = 322
	tagTileLength   = 323
	tagTileOffsets  = 324
	tagTileSizes    = 325
	tagExtraSamples = 338
	tagSampleFormat = 339
	tagICC          = 34675
)

// Photometric interpretations.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	mapped      = 3
	cmyk        = 5
)

// Limits against hostile files. Each tile needs a new decompressor, even if it is nearly empty.
const (
	mostSide    = 1 << 24
	mostSamples = 8
	minTile     = 16      // minimum side of a tile (TIFF 6.0, section 15)
	maxTiles    = 1 << 16 // number of tiles; 256 by 256 are enough for the largest image
)

// ReadHeader reads and checks the first directory of a file that starts with data. It returns an
// error for every header that Decode would refuse. The directory and the data that it refers to may
// be anywhere in the file. If data does not include them, the error is io.ErrUnexpectedEOF.
func ReadHeader(data []byte) (Header, error) {
	dir, err := readFirstDirectory(data)
	if err != nil {
		return Header{}, err
	}
	h := Header{dir: dir}
	width, height := dir.entryNumber(tagWidth, 0), dir.entryNumber(tagLength, 0)
	if width < 1 || height < 1 || width > mostSide || height > mostSide {
		return Header{}, fmt.Errorf("tiff: header claims %d x %d pixels, which is out of range", width, height)
	}
	h.Width, h.Height = int(width), int(height)
	h.photometric, h.compression = dir.entryNumber(tagPhotometric, -1), dir.entryNumber(tagCompression, 1)
	h.lowFirst = dir.entryNumber(tagFillOrder, 1) == 2
	if o := dir.entryNumber(tagOrientation, 0); o >= 1 && o <= 8 {
		h.Orientation = int(o)
	}
	h.ICC = dir.entryBytes(tagICC)
	for _, step := range []func() error{h.readSamples, h.readColors, h.readCompression, h.readChunkLayout} {
		// Values beyond the end of data are read as wrong numbers. They may cause other errors, so
		// shortError is checked first.
		if err := step(); dir.shortError() != nil || err != nil {
			return Header{}, cmp.Or(dir.shortError(), err)
		}
	}
	return h, nil
}

// readSamples reads the number and the size of samples.
func (h *Header) readSamples() error {
	samples := h.dir.entryNumber(tagSamples, 1)
	if samples < 1 || samples > mostSamples {
		return fmt.Errorf("tiff: %d samples per pixel are not supported; save the image as RGB", samples)
	}
	h.samples = int(samples)
	// The standard requires a value for each sample, but many writers store a single value for all
	// samples.
	h.Bits = int(min(h.dir.entryNumber(tagBits, 1), 99))
	for i := range h.samples {
		if b := h.dir.entryAt(tagBits, i, int64(h.Bits)); b != int64(h.Bits) {
			return errors.New("tiff: samples of different sizes are not supported; save all channels with the same number of bits")
		}
	}
	if err := h.readSampleFormat(); err != nil {
		return err
	}
	switch h.Bits {
	case 1, 2, 4, 8:
		if !h.Float {
			return nil
		}
	case 16, 32:
		return nil
	case 64:
		if h.Float {
			return nil
		}
	}
	if h.Float {
		return fmt.Errorf("tiff: floats of %d bits are not supported; save the image with 16 or 32 bits", h.Bits)
	}
	return fmt.Errorf("tiff: samples of %d bits are not supported; save the image with 8 or 16 bits", h.Bits)
}

// readSampleFormat reads the number format of samples (TIFF 6.0, section 19).
func (h *Header) readSampleFormat() error {
	const unsigned, signed, float, undefined = 1, 2, 3, 4
	format := h.dir.entryNumber(tagSampleFormat, unsigned)
	for i := range h.samples {
		if h.dir.entryAt(tagSampleFormat, i, format) != format {
			return errors.New("tiff: samples of different formats are not supported; save all channels in the same format")
		}
	}
	switch {
	case format == float:
		h.Float = true
	case format == signed && h.Bits >= 8:
		h.Signed = true
	case format != unsigned && format != undefined:
		return fmt.Errorf("tiff: samples of %d bits in format %d are not supported; save the image with unsigned numbers", h.Bits, format)
	}
	return nil
}

// readColors reads the photometric interpretation and the kind of alpha.
func (h *Header) readColors() error {
	colors, ok := map[int64]int{whiteIsZero: 1, blackIsZero: 1, rgb: 3, mapped: 1}[h.photometric]
	switch {
	case h.photometric == cmyk:
		return errors.New("tiff: CMYK is not supported; save the image as RGB")
	case !ok:
		return fmt.Errorf("tiff: the photometric interpretation %d is not supported; save the image as RGB", h.photometric)
	case h.samples < colors:
		return fmt.Errorf("tiff: a pixel has %d samples, but its colors need %d; save the image as RGB", h.samples, colors)
	case h.samples > 1 && h.dir.entryNumber(tagPlanar, 1) == 2:
		return errors.New("tiff: separate planes are not supported; save the image with interleaved channels")
	case h.Float && h.photometric != blackIsZero && h.photometric != rgb:
		return fmt.Errorf("tiff: floats with the photometric interpretation %d are not supported; save the image as RGB", h.photometric)
	case h.photometric == mapped && h.Signed:
		return errors.New("tiff: a palette with signed numbers is not supported; save the image as RGB")
	case h.photometric == mapped && h.Bits > 8:
		return fmt.Errorf("tiff: a palette of %d bits is not supported; save the image as RGB", h.Bits)
	case h.photometric == mapped:
		return h.readPalette()
	}
	h.Ignored = max(0, h.samples-colors-1)
	if h.samples > colors {
		h.alpha = straight // default for files that do not declare the kind of alpha
		if h.dir.entryNumber(tagExtraSamples, 0) == 1 {
			h.alpha = multiplied
		}
	}
	return nil
}

// readPalette reads the palette, which has all reds, then greens, then blues, of 16 bits each. Some
// writers use only the lower 8 bits.
func (h *Header) readPalette() error {
	n := 1 << h.Bits
	if got := h.dir.entries[tagPalette].count; got < int64(3*n) {
		return fmt.Errorf("tiff: the palette has %d numbers, want %d; save the image again", got, 3*n)
	}
	shift := 0
	for i := range 3 * n {
		if h.dir.entryAt(tagPalette, i, 0) > 255 {
			shift = 8
		}
	}
	for i := range n {
		for c := range 3 {
			h.palette[i][c] = byte(h.dir.entryAt(tagPalette, c*n+i, 0) >> shift)
		}
	}
	return nil
}

// readChunkLayout reads the layout of strips or tiles.
func (h *Header) readChunkLayout() error {
	rows := h.dir.entryNumber(tagRowsPerStrip, int64(h.Height))
	if rows < 1 || rows > int64(h.Height) {
		rows = int64(h.Height)
	}
	h.chunkW, h.chunkH = h.Width, int(rows)
	h.tiled = h.dir.entryNumber(tagTileWidth, 0) > 0
	if !h.tiled {
		return nil
	}
	w, l := h.dir.entryNumber(tagTileWidth, 0), h.dir.entryNumber(tagTileLength, 0)
	if w < minTile || l < minTile {
		return fmt.Errorf("tiff: tiles of %d x %d pixels are too small; save the image with tiles of at least %d per side", w, l, minTile)
	}
	// A tile may be larger than a small image. Tiles above these limits are implausible.
	if w > max(1024, int64(h.Width)+minTile) || l > max(1024, int64(h.Height)+minTile) {
		return fmt.Errorf("tiff: tiles of %d x %d pixels are too large for an image of %d x %d; save the image with strips", w, l, h.Width, h.Height)
	}
	h.chunkW, h.chunkH = int(w), int(l)
	if across, down := h.chunkGrid(); int64(across)*int64(down) > maxTiles {
		return fmt.Errorf("tiff: there are %d tiles, but the limit is %d; save the image with larger tiles", int64(across)*int64(down), maxTiles)
	}
	return nil
}

// chunkGrid returns the number of columns and rows of strips or tiles.
func (h *Header) chunkGrid() (across, down int) {
	return (h.Width + h.chunkW - 1) / h.chunkW, (h.Height + h.chunkH - 1) / h.chunkH
}

// chunkRowBytes returns the size of a row of a strip or tile.
func (h *Header) chunkRowBytes() int64 {
	return (int64(h.chunkW)*int64(h.samples)*int64(h.Bits) + 7) / 8
}

// Depth returns the depth of the map that Decode returns.
func (h *Header) Depth() pixmap.Depth {
	switch {
	case h.Float:
		return pixmap.Float
	case h.Bits > 8:
		return pixmap.Bits16
	}
	return pixmap.Bits8
}

// LeastBytes returns a lower bound for the size of files with this header.
func (h *Header) LeastBytes() int64 {
	row := (int64(h.Width)*int64(h.samples)*int64(h.Bits) + 7) / 8
	return 8 + row*int64(h.Height)/h.packedRatio()
}

// Memory returns an upper bound on the bytes that Decode holds at once, excluding the file.
func (h *Header) Memory() int64 {
	const unpacker = 128 << 10
	pixels := 4 * int64(h.Width) * int64(h.Height)
	switch h.Depth() {
	case pixmap.Bits16:
		pixels *= 2
	case pixmap.Float:
		pixels *= 4
	}
	return pixels + 2*h.chunkRowBytes() + unpacker
}

// byteOrder returns the byte order of a file from its first bytes, or nil if it is not a TIFF.
func byteOrder(sign string) binary.ByteOrder {
	switch sign {
	case "II*\x00":
		return binary.LittleEndian
	case "MM\x00*":
		return binary.BigEndian
	}
	return nil
}
