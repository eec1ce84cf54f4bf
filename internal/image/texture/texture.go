// Package texture describes textures, which consist of texel blocks that a GPU reads directly. It
// defines the formats and the contents of a texture, and chooses the format for an image.
//
// Package texenc encodes pixels into these formats. Packages ktx2 and dds write and read a Texture
// as a file.
package texture

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// A Texture is one image, a cube of six images, or an array of either, each with its mip levels. It
// may also be a volume of slices, which has no mip levels.
type Texture struct {
	Format Format
	// SRGB is set if colors are stored with the sRGB curve. It must not be set for formats whose
	// HasSRGB is false.
	SRGB bool
	// Premultiplied is set if colors are multiplied by alpha already.
	Premultiplied bool
	// Opaque is set if alpha is 1 everywhere. Loaders can then transcode UASTC to formats without
	// alpha. Files of other formats do not store Opaque.
	Opaque bool
	// Swizzle names the channels that a shader reads as red, green, blue and alpha: four of
	// "rgba01", such as "rrr1" for grayscale stored in one channel. Empty means "rgba". KTX2 stores
	// the swizzle, DDS cannot.
	Swizzle string
	// W and H are the size of level 0 in pixels. The faces of a cube are square.
	W, H int
	// Layers is the number of images or cubes in an array, which may be 1. It is 0 if the texture
	// is not an array.
	Layers int
	// Cube is set if each layer has six faces, in the order +X -X +Y -Y +Z -Z.
	Cube bool
	// Depth is the number of slices of a volume (3D texture). It is 0 for other textures. Volumes
	// have uncompressed texels and one level.
	Depth int
	// Levels holds the texel blocks of each level, row by row from the top. Level i has
	// LevelSize(W, H, i) pixels. Each level holds the faces of layer 0, then of layer 1 and so on,
	// without gaps.
	Levels [][]byte
}

// Faces returns 6 for a cube and 1 for other textures.
func (t *Texture) Faces() int {
	if t.Cube {
		return 6
	}
	return 1
}

// Images returns the number of images per level. It is the number of layers times faces, or the
// number of slices.
func (t *Texture) Images() int { return max(1, t.Layers, t.Depth) * t.Faces() }

// MaxSide, MaxLayers and MaxDepth limit the size of a texture. They exceed the limits of GPUs
// (32768 and 2048), and avoid overflow of 64 bits.
const (
	MaxSide   = 1 << 20
	MaxLayers = 1 << 16
	MaxDepth  = 1 << 14
)

// Check returns an error if t cannot be stored in a file.
func (t *Texture) Check() error {
	if !t.Format.isKnownFormat() {
		return fmt.Errorf("format %d is unknown", t.Format)
	}
	if t.SRGB && !t.Format.HasSRGB() {
		return fmt.Errorf("%v has no sRGB form", t.Format)
	}
	if t.W < 1 || t.H < 1 || t.W > MaxSide || t.H > MaxSide {
		return fmt.Errorf("size %d x %d is not within 1 to %d", t.W, t.H, MaxSide)
	}
	if t.Layers < 0 || t.Layers > MaxLayers {
		return fmt.Errorf("the number of layers is %d; it must be 0 to %d", t.Layers, MaxLayers)
	}
	if t.Cube && t.W != t.H {
		return fmt.Errorf("the faces of a cube must be square, not %d x %d", t.W, t.H)
	}
	if err := t.checkVolume(); err != nil {
		return err
	}
	if err := CheckSwizzle(t.Swizzle); err != nil {
		return err
	}
	if n := len(t.Levels); n < 1 || n > MaxLevels(t.W, t.H) {
		return fmt.Errorf("%d levels are too many for %d x %d pixels", n, t.W, t.H)
	}
	for i, data := range t.Levels {
		w, h := LevelSize(t.W, t.H, i)
		want := int64(t.Images()) * t.Format.Bytes(w, h)
		if int64(len(data)) != want {
			return fmt.Errorf("level %d holds %d bytes, but %d images of %d x %d pixels need %d", i, len(data), t.Images(), w, h, want)
		}
	}
	return nil
}

// checkVolume returns an error if t is an invalid volume.
func (t *Texture) checkVolume() error {
	if t.Depth == 0 {
		return nil
	}
	wide, _, _ := t.Format.Block()
	switch {
	case t.Depth < 0 || t.Depth > MaxDepth:
		return fmt.Errorf("the number of slices is %d; it must be 0 to %d", t.Depth, MaxDepth)
	case t.Cube || t.Layers > 0:
		return errors.New("a volume is neither a cube nor an array")
	case wide > 1:
		return fmt.Errorf("a volume cannot have the format %v; use an uncompressed format", t.Format)
	case len(t.Levels) > 1:
		return fmt.Errorf("a volume has %d levels; it must have one", len(t.Levels))
	}
	return nil
}

// CheckSwizzle returns an error if s is not a valid Swizzle.
func CheckSwizzle(s string) error {
	if s == "" {
		return nil
	}
	if len(s) != 4 {
		return errors.New(`a swizzle has four letters, such as "rrr1"`)
	}
	for _, c := range s {
		switch c {
		case 'r', 'g', 'b', 'a', '0', '1':
		default:
			return fmt.Errorf(`swizzle %q has %q, which is none of "rgba01"`, s, c)
		}
	}
	return nil
}

// LevelSize returns the size of a level in pixels.
func LevelSize(w, h, level int) (int, int) { return max(1, w>>level), max(1, h>>level) }

// MaxLevels returns the number of levels down to 1x1.
func MaxLevels(w, h int) int { return bits.Len(uint(max(w, h))) }

// A Format is a format of texels. The zero value is not a format.
type Format uint8

// These are the formats. BC1 to BC7, ETC2 and EAC compress blocks of 4x4 pixels. ASTC formats
// compress blocks of the size in their names. The others store single pixels.
const (
	BC1     Format = 1 + iota // 8 bytes per block: RGB without alpha
	BC1A                      // 8 bytes per block: RGB, and alpha of 0 or 1
	BC3                       // 16 bytes per block: RGB as BC1, alpha as BC4
	BC4                       // 8 bytes per block: R
	BC5                       // 16 bytes: RGB as half-precision floats, not negative
	BC6H                      // 16 bytes: RGB as half-precision floats, not negative
	BC7                       // 16 bytes: RGBA
	R8                        // 1 byte: R
	RG8                       // 2 bytes: R, G
	RGBA8                     // 4 bytes: R, G, B, A
	RGB10A2                   // 4 bytes, a little-endian word: R in the low 10 bits, then G, B and 2 bits of A
	R16                       // 2 bytes: R, little-endian as in all formats of 16 and 32 bits
	RG16                      // 4 bytes: R, G
	RGBA16                    // 8 bytes: R, G, B, A
	R16F                      // 2 bytes: R as a half-precision float
	R32F                      // 4 bytes: R as a float
	RGBA16F                   // 8 bytes: R, G, B, A as half-precision floats
	ASTC4x4                   // 16 bytes per block of the size in the name: RGBA
	ASTC5x4
	ASTC5x5
	ASTC6x5
	ASTC6x6
	ASTC8x5
	ASTC8x6
	ASTC8x8
	ASTC10x5
	ASTC10x6
	ASTC10x8
	ASTC10x10
	ASTC12x10
	ASTC12x12
	ASTC4x4HDR // 16 bytes per block of the size in the name: RGB as half-precision floats, not negative
	ASTC5x4HDR
	ASTC5x5HDR
	ASTC6x5HDR
	ASTC6x6HDR
	ASTC8x5HDR
	ASTC8x6HDR
	ASTC8x8HDR
	ASTC10x5HDR
	ASTC10x6HDR
	ASTC10x8HDR
	ASTC10x10HDR
	ASTC12x10HDR
	ASTC12x12HDR
	ETC2RGB    // 8 bytes: RGB without alpha
	ETC2RGBA   // 16 bytes: RGB as ETC2RGB, alpha as EACR11 with 8 bits
	EACR11     // 8 bytes: R
	EACRG11    // 16 bytes: R and G
	UASTC      // 16 bytes: RGBA, to be transcoded to another format
	UASTCHDR   // 16 bytes: blocks of ASTC4x4HDR that can be transcoded to BC6H
	lastFormat = UASTCHDR
)

// Numbers are the values of a format in an API's enumeration, without and with the sRGB curve. 0
// means no value.
type Numbers struct{ Plain, SRGB uint32 }

// Of returns the value for textures with or without the sRGB curve.
func (n Numbers) Of(srgb bool) uint32 {
	if srgb {
		return n.SRGB
	}
	return n.Plain
}

// A block is the size of a texel block in pixels.
type block struct{ w, h int }

// A formatInfo holds the properties of a format.
type formatInfo struct {
	name       string
	block      block
	blockBytes int
	channels   string
	float      bool
	srgb       bool    // true if the format has an sRGB variant
	vulkan     Numbers // values of VkFormat
	directX    Numbers // values of DXGI_FORMAT
}

// formats holds the known formats. UASTC has no enumeration values, because no GPU reads it. BC1
// and BC1A have the same values in DirectX, and ASTC4x4HDR and UASTCHDR in Vulkan.
var formats = [...]formatInfo{
	BC1:          {"bc1", block{4, 4}, 8, "rgb", false, true, Numbers{131, 132}, Numbers{71, 72}},
	BC1A:         {"bc1a", block{4, 4}, 8, "rgba", false, true, Numbers{133, 134}, Numbers{71, 72}},
	BC3:          {"bc3", block{4, 4}, 16, "rgba", false, true, Numbers{137, 138}, Numbers{77, 78}},
	BC4:          {"bc4", block{4, 4}, 8, "r", false, false, Numbers{139, 0}, Numbers{80, 0}},
	BC5:          {"bc5", block{4, 4}, 16, "rg", false, false, Numbers{141, 0}, Numbers{83, 0}},
	BC6H:         {"bc6h", block{4, 4}, 16, "rgb", true, false, Numbers{143, 0}, Numbers{95, 0}},
	BC7:          {"bc7", block{4, 4}, 16, "rgba", false, true, Numbers{145, 146}, Numbers{98, 99}},
	R8:           {"r8", block{1, 1}, 1, "r", false, false, Numbers{9, 0}, Numbers{61, 0}},
	RG8:          {"rg8", block{1, 1}, 2, "rg", false, false, Numbers{16, 0}, Numbers{49, 0}},
	RGBA8:        {"rgba8", block{1, 1}, 4, "rgba", false, true, Numbers{37, 43}, Numbers{28, 29}},
	RGB10A2:      {"rgb10a2", block{1, 1}, 4, "rgba", false, false, Numbers{64, 0}, Numbers{24, 0}},
	R16:          {"r16", block{1, 1}, 2, "r", false, false, Numbers{70, 0}, Numbers{56, 0}},
	RG16:         {"rg16", block{1, 1}, 4, "rg", false, false, Numbers{77, 0}, Numbers{35, 0}},
	RGBA16:       {"rgba16", block{1, 1}, 8, "rgba", false, false, Numbers{91, 0}, Numbers{11, 0}},
	R16F:         {"r16f", block{1, 1}, 2, "r", true, false, Numbers{76, 0}, Numbers{54, 0}},
	R32F:         {"r32f", block{1, 1}, 4, "r", true, false, Numbers{100, 0}, Numbers{41, 0}},
	RGBA16F:      {"rgba16f", block{1, 1}, 8, "rgba", true, false, Numbers{97, 0}, Numbers{10, 0}},
	ASTC4x4:      {"astc4x4", block{4, 4}, 16, "rgba", false, true, Numbers{157, 158}, Numbers{}},
	ASTC5x4:      {"astc5x4", block{5, 4}, 16, "rgba", false, true, Numbers{159, 160}, Numbers{}},
	ASTC5x5:      {"astc5x5", block{5, 5}, 16, "rgba", false, true, Numbers{161, 162}, Numbers{}},
	ASTC6x5:      {"astc6x5", block{6, 5}, 16, "rgba", false, true, Numbers{163, 164}, Numbers{}},
	ASTC6x6:      {"astc6x6", block{6, 6}, 16, "rgba", false, true, Numbers{165, 166}, Numbers{}},
	ASTC8x5:      {"astc8x5", block{8, 5}, 16, "rgba", false, true, Numbers{167, 168}, Numbers{}},
	ASTC8x6:      {"astc8x6", block{8, 6}, 16, "rgba", false, true, Numbers{169, 170}, Numbers{}},
	ASTC8x8:      {"astc8x8", block{8, 8}, 16, "rgba", false, true, Numbers{171, 172}, Numbers{}},
	ASTC10x5:     {"astc10x5", block{10, 5}, 16, "rgba", false, true, Numbers{173, 174}, Numbers{}},
	ASTC10x6:     {"astc10x6", block{10, 6}, 16, "rgba", false, true, Numbers{175, 176}, Numbers{}},
	ASTC10x8:     {"astc10x8", block{10, 8}, 16, "rgba", false, true, Numbers{177, 178}, Numbers{}},
	ASTC10x10:    {"astc10x10", block{10, 10}, 16, "rgba", false, true, Numbers{179, 180}, Numbers{}},
	ASTC12x10:    {"astc12x10", block{12, 10}, 16, "rgba", false, true, Numbers{181, 182}, Numbers{}},
	ASTC12x12:    {"astc12x12", block{12, 12}, 16, "rgba", false, true, Numbers{183, 184}, Numbers{}},
	ASTC4x4HDR:   {"astc4x4-hdr", block{4, 4}, 16, "rgb", true, false, Numbers{1000066000, 0}, Numbers{}},
	ASTC5x4HDR:   {"astc5x4-hdr", block{5, 4}, 16, "rgb", true, false, Numbers{1000066001, 0}, Numbers{}},
	ASTC5x5HDR:   {"astc5x5-hdr", block{5, 5}, 16, "rgb", true, false, Numbers{1000066002, 0}, Numbers{}},
	ASTC6x5HDR:   {"astc6x5-hdr", block{6, 5}, 16, "rgb", true, false, Numbers{1000066003, 0}, Numbers{}},
	ASTC6x6HDR:   {"astc6x6-hdr", block{6, 6}, 16, "rgb", true, false, Numbers{1000066004, 0}, Numbers{}},
	ASTC8x5HDR:   {"astc8x5-hdr", block{8, 5}, 16, "rgb", true, false, Numbers{1000066005, 0}, Numbers{}},
	ASTC8x6HDR:   {"astc8x6-hdr", block{8, 6}, 16, "rgb", true, false, Numbers{1000066006, 0}, Numbers{}},
	ASTC8x8HDR:   {"astc8x8-hdr", block{8, 8}, 16, "rgb", true, false, Numbers{1000066007, 0}, Numbers{}},
	ASTC10x5HDR:  {"astc10x5-hdr", block{10, 5}, 16, "rgb", true, false, Numbers{1000066008, 0}, Numbers{}},
	ASTC10x6HDR:  {"astc10x6-hdr", block{10, 6}, 16, "rgb", true, false, Numbers{1000066009, 0}, Numbers{}},
	ASTC10x8HDR:  {"astc10x8-hdr", block{10, 8}, 16, "rgb", true, false, Numbers{1000066010, 0}, Numbers{}},
	ASTC10x10HDR: {"astc10x10-hdr", block{10, 10}, 16, "rgb", true, false, Numbers{1000066011, 0}, Numbers{}},
	ASTC12x10HDR: {"astc12x10-hdr", block{12, 10}, 16, "rgb", true, false, Numbers{1000066012, 0}, Numbers{}},
	ASTC12x12HDR: {"astc12x12-hdr", block{12, 12}, 16, "rgb", true, false, Numbers{1000066013, 0}, Numbers{}},
	ETC2RGB:      {"etc2rgb", block{4, 4}, 8, "rgb", false, true, Numbers{147, 148}, Numbers{}},
	ETC2RGBA:     {"etc2rgba", block{4, 4}, 16, "rgba", false, true, Numbers{151, 152}, Numbers{}},
	EACR11:       {"eacr11", block{4, 4}, 8, "r", false, false, Numbers{153, 0}, Numbers{}},
	EACRG11:      {"eacrg11", block{4, 4}, 16, "rg", false, false, Numbers{155, 0}, Numbers{}},
	UASTC:        {"uastc", block{4, 4}, 16, "rgba", false, true, Numbers{}, Numbers{}},
	UASTCHDR:     {"uastc-hdr", block{4, 4}, 16, "rgb", true, false, Numbers{1000066000, 0}, Numbers{}},
}

func (f Format) formatInfoOf() formatInfo {
	if int(f) >= len(formats) {
		return formatInfo{}
	}
	return formats[f]
}

func (f Format) isKnownFormat() bool { return f.formatInfoOf().name != "" }

// Formats returns all formats.
func Formats() []Format {
	all := make([]Format, 0, lastFormat)
	for f := Format(1); f <= lastFormat; f++ {
		if f.isKnownFormat() {
			all = append(all, f)
		}
	}
	return all
}

// ParseFormat returns the format with the given name, such as "bc7".
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.String() == name {
			return f, nil
		}
		names = append(names, f.String())
	}
	return 0, fmt.Errorf("format %q is unknown; use one of %s", name, strings.Join(names, ", "))
}

// String returns the name that ParseFormat takes.
func (f Format) String() string {
	if !f.isKnownFormat() {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return f.formatInfoOf().name
}

// Block returns the width and height of a texel block in pixels, 1 to 12, and its size in bytes. All
// are 0 for an unknown format.
func (f Format) Block() (wide, high, bytes int) {
	i := f.formatInfoOf()
	return i.block.w, i.block.h, i.blockBytes
}

// IsASTC reports whether f is ASTC of low dynamic range, with any block size.
func (f Format) IsASTC() bool { return f >= ASTC4x4 && f <= ASTC12x12 }

// IsASTCHDR reports whether f is ASTC of high dynamic range, with any block size. UASTC HDR is a
// subset of it.
func (f Format) IsASTCHDR() bool { return f >= ASTC4x4HDR && f <= ASTC12x12HDR || f == UASTCHDR }

// Channels returns the stored channels of a texel: "r", "rg", "rgb" or "rgba". A shader reads
// missing colors as 0, and missing alpha as 1.
func (f Format) Channels() string { return f.formatInfoOf().channels }

// Float reports whether f stores linear light in floating point, which may exceed 1.
func (f Format) Float() bool { return f.formatInfoOf().float }

// Bits returns the number of bits of precision per channel. For floats, these are the bits of the
// fraction, because floats near 1 have the lowest absolute precision. The alpha of RGB10A2 has
// fewer bits.
func (f Format) Bits() int {
	if f.IsASTCHDR() {
		return 11
	}
	switch f {
	case R32F:
		return 24
	case R16, RG16, RGBA16:
		return 16
	case R16F, RGBA16F, BC6H, EACR11, EACRG11:
		return 11
	case RGB10A2:
		return 10
	}
	return 8
}

// HasSRGB reports whether f has an sRGB variant, whose colors a GPU converts to linear light when
// it reads them. Formats without such a variant hold plain values.
func (f Format) HasSRGB() bool { return f.formatInfoOf().srgb }

// Bytes returns the size of w by h pixels in bytes. It rounds sides up to whole blocks. Neither
// side may exceed MaxSide.
func (f Format) Bytes(w, h int) int64 {
	wide, high, bytes := f.Block()
	if wide == 0 {
		return 0
	}
	across, down := (w+wide-1)/wide, (h+high-1)/high
	return int64(across) * int64(down) * int64(bytes)
}

// Vulkan returns the values of f in the enumeration VkFormat.
func (f Format) Vulkan() Numbers { return f.formatInfoOf().vulkan }

// DirectX returns the values of f in the enumeration DXGI_FORMAT.
func (f Format) DirectX() Numbers { return f.formatInfoOf().directX }

// Numbered returns the first of the given formats with the given enumeration value. srgb reports
// whether the value means the format's sRGB variant.
func Numbered(number uint32, formats []Format, numbers func(Format) Numbers) (f Format, srgb, ok bool) {
	for _, f := range formats {
		switch n := numbers(f); number {
		case 0:
		case n.Plain:
			return f, false, true
		case n.SRGB:
			return f, true, true
		}
	}
	return 0, false, false
}
