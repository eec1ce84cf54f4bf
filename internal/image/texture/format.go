package texture

import (
	"fmt"
	"strings"
)

// A Format is how texels are stored. The zero value is none.
type Format uint8

// The formats. BC1 to BC7, ETC2 and EAC pack blocks of 4x4 pixels, ASTC blocks of the
// size in its name, the others single pixels.
const (
	BC1     Format = 1 + iota // 8 bytes a block: RGB without alpha
	BC1A                      // 8 bytes: RGB, and alpha that is 0 or 1
	BC3                       // 16 bytes: RGB as BC1, alpha as BC4
	BC4                       // 8 bytes: R
	BC5                       // 16 bytes: R and G
	BC6H                      // 16 bytes: RGB of half floats, none negative
	BC7                       // 16 bytes: RGBA
	R8                        // 1 byte: R
	RG8                       // 2 bytes: R, G
	RGBA8                     // 4 bytes: R, G, B, A
	RGB10A2                   // 4 bytes, a little-endian word: R in the low 10 bits, G, B, 2 of A
	RGBA16F                   // 8 bytes: R, G, B, A as half floats
	ASTC4x4                   // 16 bytes a block, of any size: RGBA
	ASTC5x5
	ASTC6x6
	ASTC8x8
	ETC2RGB    // 8 bytes: RGB without alpha
	ETC2RGBA   // 16 bytes: RGB as ETC2RGB, alpha as EACR11 with 8 bits
	EACR11     // 8 bytes: R
	EACRG11    // 16 bytes: R and G
	UASTC      // 16 bytes: RGBA, to be transcoded to one of the others
	lastFormat = UASTC
)

// A formatInfo is what there is to know of a format.
type formatInfo struct {
	name       string
	block      int // pixels a side of a block
	blockBytes int
	channels   string
	float      bool
	srgb       bool // has an sRGB form
}

func (f Format) info() formatInfo {
	switch f {
	case BC1:
		return formatInfo{name: "bc1", block: 4, blockBytes: 8, channels: "rgb", srgb: true}
	case BC1A:
		return formatInfo{name: "bc1a", block: 4, blockBytes: 8, channels: "rgba", srgb: true}
	case BC3:
		return formatInfo{name: "bc3", block: 4, blockBytes: 16, channels: "rgba", srgb: true}
	case BC4:
		return formatInfo{name: "bc4", block: 4, blockBytes: 8, channels: "r"}
	case BC5:
		return formatInfo{name: "bc5", block: 4, blockBytes: 16, channels: "rg"}
	case BC6H:
		return formatInfo{name: "bc6h", block: 4, blockBytes: 16, channels: "rgb", float: true}
	case BC7:
		return formatInfo{name: "bc7", block: 4, blockBytes: 16, channels: "rgba", srgb: true}
	case ETC2RGB:
		return formatInfo{name: "etc2rgb", block: 4, blockBytes: 8, channels: "rgb", srgb: true}
	case ETC2RGBA:
		return formatInfo{name: "etc2rgba", block: 4, blockBytes: 16, channels: "rgba", srgb: true}
	case EACR11:
		return formatInfo{name: "eacr11", block: 4, blockBytes: 8, channels: "r"}
	case EACRG11:
		return formatInfo{name: "eacrg11", block: 4, blockBytes: 16, channels: "rg"}
	case UASTC:
		return formatInfo{name: "uastc", block: 4, blockBytes: 16, channels: "rgba", srgb: true}
	case R8:
		return formatInfo{name: "r8", block: 1, blockBytes: 1, channels: "r"}
	case RG8:
		return formatInfo{name: "rg8", block: 1, blockBytes: 2, channels: "rg"}
	case RGBA8:
		return formatInfo{name: "rgba8", block: 1, blockBytes: 4, channels: "rgba", srgb: true}
	case RGB10A2:
		return formatInfo{name: "rgb10a2", block: 1, blockBytes: 4, channels: "rgba"}
	case RGBA16F:
		return formatInfo{name: "rgba16f", block: 1, blockBytes: 8, channels: "rgba", float: true}
	case ASTC4x4:
		return formatInfo{name: "astc4x4", block: 4, blockBytes: 16, channels: "rgba", srgb: true}
	case ASTC5x5:
		return formatInfo{name: "astc5x5", block: 5, blockBytes: 16, channels: "rgba", srgb: true}
	case ASTC6x6:
		return formatInfo{name: "astc6x6", block: 6, blockBytes: 16, channels: "rgba", srgb: true}
	case ASTC8x8:
		return formatInfo{name: "astc8x8", block: 8, blockBytes: 16, channels: "rgba", srgb: true}
	}
	return formatInfo{}
}

func (f Format) known() bool { return f.info().name != "" }

// Formats returns all formats.
func Formats() []Format {
	all := make([]Format, 0, lastFormat)
	for f := Format(1); f <= lastFormat; f++ {
		if f.known() {
			all = append(all, f)
		}
	}
	return all
}

// ParseFormat returns the format of a name such as "bc7".
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.String() == name {
			return f, nil
		}
		names = append(names, f.String())
	}
	return 0, fmt.Errorf("format %q is not known, only %s", name, strings.Join(names, ", "))
}

// String returns the name that ParseFormat takes.
func (f Format) String() string {
	if !f.known() {
		return fmt.Sprintf("Format(%d)", uint8(f))
	}
	return f.info().name
}

// Block returns the pixels that a side of a texel block has, 1 to 8, and the
// bytes that a block takes. Both are 0 for a format that is not known.
func (f Format) Block() (side, bytes int) {
	i := f.info()
	return i.block, i.blockBytes
}

// IsASTC reports whether f is ASTC, with blocks of whatever size.
func (f Format) IsASTC() bool { return f >= ASTC4x4 && f <= ASTC8x8 }

// Channels returns what a texel stores: "r", "rg", "rgb" or "rgba". A shader
// reads the others as 0, and alpha as 1.
func (f Format) Channels() string { return f.info().channels }

// Float reports whether f stores floating point: linear light, also above 1.
func (f Format) Float() bool { return f.info().float }

// HasSRGB reports whether f has a form whose colors a graphics processor takes
// from the sRGB curve to linear light. The others hold plain numbers.
func (f Format) HasSRGB() bool { return f.info().srgb }

// Bytes returns how many bytes w by h pixels take. Sides are rounded up to whole
// blocks; none may be larger than MaxSide.
func (f Format) Bytes(w, h int) int64 {
	side, bytes := f.Block()
	if side == 0 {
		return 0
	}
	across, down := (w+side-1)/side, (h+side-1)/side
	return int64(across) * int64(down) * int64(bytes)
}
