package dds

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func encode(t testing.TB, tex *texture.Texture) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, tex, Auto); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// small is a texture of 2x2 pixels with a second level of 1x1.
func small() *texture.Texture {
	return &texture.Texture{Format: texture.RGBA8, SRGB: true, W: 2, H: 2, Levels: [][]byte{
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {7, 8, 9, 10},
	}}
}

// cubes is an array of two cubes of 2x2 pixels with two levels. The low four bits of each byte are
// the number of the image, and the bits above them are the level.
func cubes() *texture.Texture {
	t := &texture.Texture{Format: texture.R8, W: 2, H: 2, Layers: 2, Cube: true, Levels: make([][]byte, 2)}
	for p := range byte(12) {
		t.Levels[0] = append(t.Levels[0], p, p, p, p)
		t.Levels[1] = append(t.Levels[1], 0x10|p)
	}
	return t
}

// TestWriteGolden compares files with files that were written by hand from the programming guide.
func TestWriteGolden(t *testing.T) {
	reserved := strings.Repeat(" 00000000", 11)
	for _, tc := range []struct {
		name string
		tex  *texture.Texture
		want string
	}{
		{"two levels", small(), `44445320 7C000000
			0F100200 02000000 02000000 08000000 00000000 02000000
			` + reserved + `
			20000000 04000000 44583130 00000000 00000000 00000000 00000000 00000000
			08104000 00000000 00000000 00000000 00000000
			1D000000 03000000 00000000 01000000 01000000
			0102030405060708090A0B0C0D0E0F10 0708090A`},
		{"two cubes", cubes(), `44445320 7C000000
			0F100200 02000000 02000000 02000000 00000000 02000000
			` + reserved + `
			20000000 04000000 44583130 00000000 00000000 00000000 00000000 00000000
			08104000 00FE0000 00000000 00000000 00000000
			3D000000 03000000 04000000 02000000 03000000
			0000000010 0101010111 0202020212 0303030313 0404040414 0505050515
			0606060616 0707070717 0808080818 0909090919 0A0A0A0A1A 0B0B0B0B1B`},
		{"a block", &texture.Texture{Format: texture.BC7, W: 3, H: 1, Premultiplied: true, Levels: [][]byte{[]byte("sixteen bytes...")}},
			`44445320 7C000000
			07100A00 01000000 03000000 10000000 00000000 01000000
			` + reserved + `
			20000000 04000000 44583130 00000000 00000000 00000000 00000000 00000000
			00100000 00000000 00000000 00000000 00000000
			62000000 03000000 00000000 01000000 02000000
			7369787465656E2062797465732E2E2E`},
		{"a legacy block with alpha", legacy(texture.BC1A),
			`44445320 7C000000
			07100A00 01000000 03000000 08000000 00000000 01000000
			` + reserved + `
			20000000 05000000 44585431 00000000 00000000 00000000 00000000 00000000
			00100000 00000000 00000000 00000000 00000000
			7369787465656E20`},
	} {
		want, err := hex.DecodeString(strings.Join(strings.Fields(tc.want), ""))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(hex.Dump(want), hex.Dump(encode(t, tc.tex))); d != "" {
			t.Errorf("%s: %s", tc.name, d)
		}
	}
}

// held returns the formats that a DDS file can store.
func held() []texture.Format {
	return slices.DeleteFunc(texture.Formats(), func(f texture.Format) bool { return !Holds(f) })
}

func drawTexture(t *rapid.T) *texture.Texture {
	tex := &texture.Texture{
		Format: rapid.SampledFrom(held()).Draw(t, "format"),
		W:      rapid.IntRange(1, 20).Draw(t, "width"),
		H:      rapid.IntRange(1, 20).Draw(t, "height"),
		Layers: rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "layers"),
		Cube:   rapid.Bool().Draw(t, "cube"),
	}
	tex.SRGB = tex.Format.HasSRGB() && rapid.Bool().Draw(t, "srgb")
	tex.Premultiplied = formatHasAlpha(tex.Format) && rapid.Bool().Draw(t, "premultiplied")
	if tex.Cube {
		tex.H = tex.W
	}
	levels := texture.MaxLevels(tex.W, tex.H)
	if wide, _, _ := tex.Format.Block(); wide == 1 && rapid.Bool().Draw(t, "volume") {
		tex.Layers, tex.Cube, tex.Depth, levels = 0, false, rapid.IntRange(1, 5).Draw(t, "depth"), 1
	}
	seed := rapid.Byte().Draw(t, "seed")
	for i := range rapid.IntRange(1, levels).Draw(t, "levels") {
		w, h := texture.LevelSize(tex.W, tex.H, i)
		level := make([]byte, int64(tex.Images())*tex.Format.Bytes(w, h))
		for j := range level {
			level[j] = seed * byte(j>>3)
		}
		tex.Levels = append(tex.Levels, level)
	}
	return tex
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tex := drawTexture(t)
		var b bytes.Buffer
		if err := Write(context.Background(), &b, tex, rapid.SampledFrom([]Header{Auto, DX10}).Draw(t, "header")); err != nil {
			t.Fatal(err)
		}
		got, err := Read(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tex, got); d != "" {
			t.Fatal(d)
		}
	})
}

// legacy returns a texture of one block in the given format.
func legacy(f texture.Format) *texture.Texture {
	return &texture.Texture{Format: f, W: 3, H: 1, Levels: [][]byte{[]byte("sixteen bytes...")[:f.Bytes(3, 1)]}}
}

// TestHeaders checks that the legacy header of Direct3D 9 is used if it can describe the texture.
func TestHeaders(t *testing.T) {
	type change func(*texture.Texture)
	none, srgb := change(func(*texture.Texture) {}), change(func(t *texture.Texture) { t.SRGB = true })
	multiplied, array := change(func(t *texture.Texture) { t.Premultiplied = true }), change(func(t *texture.Texture) { t.Layers = 2 })
	one := change(func(t *texture.Texture) { t.Layers = 1 })
	for _, tc := range []struct {
		f      texture.Format
		change change
		header Header
		want   string // FourCC of the header, or a part of the error message
	}{
		{texture.BC1, none, Auto, "DXT1"}, {texture.BC1A, none, Auto, "DXT1"}, {texture.BC3, none, Auto, "DXT5"},
		{texture.BC4, none, Auto, "BC4U"}, {texture.BC5, none, Auto, "BC5U"}, {texture.BC5, one, Auto, "BC5U"},
		{texture.BC1, srgb, Auto, "DX10"}, {texture.BC3, multiplied, Auto, "DX10"}, {texture.BC3, array, Auto, "DX10"},
		{texture.BC7, none, Auto, "DX10"}, {texture.BC6H, none, Auto, "DX10"}, {texture.RGBA8, none, Auto, "DX10"},
		{texture.BC1, none, DX10, "DX10"}, {texture.BC1, srgb, Legacy, "DXT1"}, {texture.BC3, multiplied, Legacy, "DXT5"},
		{texture.BC1, multiplied, Auto, "DXT1"}, // BC1 has no alpha, so premultiplied has no effect
		{texture.BC7, none, Legacy, "has no bc7"}, {texture.BC1, array, Legacy, "has no arrays"},
	} {
		tex := legacy(texture.BC3)
		tex.Format, tex.W, tex.H = tc.f, 4, 4
		tc.change(tex)
		tex.Levels = [][]byte{make([]byte, int64(tex.Images())*tc.f.Bytes(4, 4))}
		var b bytes.Buffer
		err := Write(t.Context(), &b, tex, tc.header)
		if err != nil {
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, header %d: error %v, want %q", tc.f, tc.header, err, tc.want)
			}
			continue
		}
		if got := string(b.Bytes()[84:88]); got != tc.want {
			t.Errorf("%v, header %d: %s, want %s", tc.f, tc.header, got, tc.want)
		}
	}
}

// TestWriteDrops checks that Write drops the properties that a DDS file cannot describe.
func TestWriteDrops(t *testing.T) {
	want := encode(t, &texture.Texture{Format: texture.R8, W: 1, H: 1, Levels: [][]byte{{7}}})
	got := encode(t, &texture.Texture{Format: texture.R8, W: 1, H: 1, Levels: [][]byte{{7}},
		Layers: 1, Swizzle: "rrr1", Premultiplied: true})
	if !bytes.Equal(got, want) {
		t.Error("swizzle, an array of one, or premultiplied without alpha changes the file")
	}
}

func TestWriteRefuses(t *testing.T) {
	for want, change := range map[string]func(*texture.Texture){
		"format 0 is":    func(t *texture.Texture) { t.Format = 0 },
		"level 1 holds":  func(t *texture.Texture) { t.Levels[1] = nil },
		"must be square": func(t *texture.Texture) { t.Cube, t.H = true, 1 },
	} {
		tex := small()
		change(tex)
		if err := Write(t.Context(), io.Discard, tex, Auto); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	huge := &texture.Texture{Format: texture.RGBA16F, W: 1 << 16, H: 1 << 15}
	if err := checkFits(huge); err == nil || !strings.Contains(err.Error(), "4 GiB") {
		t.Errorf("error %v, want one about 4 GiB", err)
	}
}

func TestWriteStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ctx, io.Discard, small(), Auto); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}

func TestReadRefusesTornFiles(t *testing.T) {
	file := encode(t, cubes())
	for n := range file {
		if _, err := Read(file[:n]); err == nil {
			t.Errorf("first %d of %d bytes are read without error", n, len(file))
		}
	}
	if _, err := Read(append(file, 0)); err == nil {
		t.Error("a byte too many is read without error")
	}
}

// TestReadSeesEveryBit checks that changing any bit of a file changes the texture or is an error.
func TestReadSeesEveryBit(t *testing.T) {
	for _, want := range []*texture.Texture{small(), cubes(), legacy(texture.BC1A)} {
		file := encode(t, want)
		for i := range file {
			for bit := range 8 {
				changed := bytes.Clone(file)
				changed[i] ^= 1 << bit
				if got, err := Read(changed); err == nil && cmp.Equal(want, got) {
					t.Errorf("byte %d bit %d: change not seen", i, bit)
				}
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tc := range []struct {
		want   string
		change func(file []byte)
	}{
		{"not a DDS file", func(f []byte) { f[0] = 'd' }},
		{`pixel format "DXT3"`, func(f []byte) { copy(f[84:], "DXT3") }},
		{"need 16", func(f []byte) { copy(f[84:], "DXT1") }},
		{"DXGI format 5 ", func(f []byte) { f[128] = 5 }},
		{"DXGI format 0 ", func(f []byte) { f[128] = 0 }},
		{"DXGI format 29 with alpha mode 3", func(f []byte) { f[144] = 3 }},
		{"is inconsistent at byte 144", func(f []byte) { f[144] = 9 }},
		{"size 0 x 2", func(f []byte) { f[16] = 0 }},
		{"size 2 x 4278190082", func(f []byte) { f[15] = 255 }},
		{"3 levels are too many for 2 x 2 pixels", func(f []byte) { f[28] = 3 }},
		{"layers, 0, is out of range", func(f []byte) { f[140] = 0 }},
		{"layers, 16777217, is out of range", func(f []byte) { f[143] = 1 }},
		{"2 images of", func(f []byte) { f[140] = 2 }},
		{"is inconsistent at byte 20", func(f []byte) { f[20]++ }},
	} {
		file := encode(t, small())
		tc.change(file)
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
}

// TestReadBomb checks that a short file with huge sizes in its header allocates almost nothing.
func TestReadBomb(t *testing.T) {
	file := encode(t, small())
	for _, at := range []int{14, 18, 142} { // third bytes of the height, the width and the number of layers
		file[at] = 1
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(file)
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("read without error")
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("allocated %d bytes", got)
	}
}

// FuzzDDS checks that a file that can be read is written again with the same bytes.
func FuzzDDS(f *testing.F) {
	f.Add(encode(f, small()))
	f.Add(encode(f, cubes()))
	f.Add(encode(f, legacy(texture.BC1A)))
	f.Fuzz(func(t *testing.T, data []byte) {
		tex, err := Read(data)
		if err != nil {
			return
		}
		var dx10 bytes.Buffer
		if err := Write(t.Context(), &dx10, tex, DX10); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(dx10.Bytes(), data) && !bytes.Equal(encode(t, tex), data) {
			t.Error("written again, the file differs")
		}
	})
}
