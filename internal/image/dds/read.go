package dds

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/assetcook/assetcook/internal/image/texture"
)

// Read reads a file whole and checks all that Write promises: the very header
// that Write makes of such a texture, and no byte missing or left over. Files of
// other writers differ in what their headers leave out, and may be refused.
// Levels of a texture of one picture point into data.
//
// Only tests, here and of the recipe, read DDS.
func Read(data []byte) (*texture.Texture, error) {
	t, err := readTexture(data)
	if err != nil {
		return nil, fmt.Errorf("read dds: %w", err)
	}
	return t, nil
}

func readTexture(data []byte) (*texture.Texture, error) {
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, errors.New("not a DDS file")
	}
	end, form := legacyEnd, Legacy
	if len(data) >= 88 && string(data[84:88]) == "DX10" {
		end, form = legacyEnd+dx10Bytes, DX10
	}
	if len(data) < end {
		return nil, errors.New("file ends inside the header")
	}
	t, levels, err := readShape(data[:end])
	if err != nil {
		return nil, err
	}
	// Counted before anything is allocated. A picture is at most 2^43 bytes, and
	// there are at most 6*2^16 of them.
	var picture int64
	for i := range levels {
		picture += t.Format.Bytes(texture.LevelSize(t.W, t.H, i))
	}
	if have, want := int64(len(data)-end), int64(t.Pictures())*picture; have != want {
		return nil, fmt.Errorf("%d bytes after the header, %d pictures of %d x %d pixels with %d levels need %d",
			have, t.Pictures(), t.W, t.H, levels, want)
	}
	t.Levels = levelsOf(t, levels, data[end:])
	if want := header(t, form); !bytes.Equal(data[:end], want) {
		at := 0
		for data[at] == want[at] {
			at++
		}
		return nil, fmt.Errorf("header contradicts itself at byte %d", at)
	}
	return t, t.Check()
}

// readShape reads the size, the format and the number of levels from a header.
func readShape(h []byte) (t *texture.Texture, levels int, err error) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(h[at:]) }
	t = &texture.Texture{}
	layers := uint32(1)
	if len(h) == legacyEnd {
		if t.Format = legacyFormat(string(h[84:88]), word(80)); t.Format == 0 {
			return nil, 0, fmt.Errorf("pixel format %q is not supported", h[84:88])
		}
		t.Cube = word(112) != 0
	} else {
		number, alpha, ok := word(legacyEnd), word(legacyEnd+16), false
		if t.Format, t.SRGB, ok = formatOf(number, alpha); !ok {
			return nil, 0, fmt.Errorf("DXGI format %d with alpha mode %d is not supported", number, alpha)
		}
		t.Premultiplied, t.Cube = alpha == alphaPremultiplied, word(legacyEnd+8) == miscCube
		layers = word(legacyEnd + 12)
		if word(legacyEnd+4) == dimension3D {
			t.Depth = int(min(word(24), texture.MaxDepth+1))
		}
	}
	height, width, count := word(12), word(16), word(28)
	if width < 1 || height < 1 || width > texture.MaxSide || height > texture.MaxSide {
		return nil, 0, fmt.Errorf("size %d x %d is out of range", width, height)
	}
	if count < 1 || int64(count) > int64(texture.MaxLevels(int(width), int(height))) {
		return nil, 0, fmt.Errorf("%d levels for %d x %d pixels", count, width, height)
	}
	if layers < 1 || layers > texture.MaxLayers {
		return nil, 0, fmt.Errorf("%d layers are out of range", layers)
	}
	if t.Depth > texture.MaxDepth {
		return nil, 0, fmt.Errorf("%d slices are out of range", word(24))
	}
	t.W, t.H = int(width), int(height)
	if layers > 1 {
		t.Layers = int(layers)
	}
	return t, int(count), nil
}

// legacyFormat returns the format of a legacy header, 0 if there is none.
func legacyFormat(code string, flags uint32) texture.Format {
	for _, f := range texture.Formats() {
		if legacyCode(f) == code && (f != texture.BC1 || flags&pixelsAlpha == 0) {
			return f
		}
	}
	return 0
}

// levelsOf gathers each level from the pictures, which hold all the levels.
func levelsOf(t *texture.Texture, levels int, pictures []byte) [][]byte {
	out := make([][]byte, levels)
	for p := range t.Pictures() {
		for i := range out {
			size := int(t.Format.Bytes(texture.LevelSize(t.W, t.H, i)))
			if t.Pictures() == 1 {
				out[i] = pictures[:size:size]
			} else {
				if p == 0 {
					out[i] = make([]byte, 0, size*t.Pictures())
				}
				out[i] = append(out[i], pictures[:size]...)
			}
			pictures = pictures[size:]
		}
	}
	return out
}
