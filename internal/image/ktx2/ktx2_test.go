package ktx2

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func encode(t testing.TB, tex *texture.Texture, s Supercompression) []byte {
	t.Helper()
	b, err := Encode(t.Context(), tex, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// small is a texture of 2x2 pixels with a second level of 1x1.
func small() *texture.Texture {
	return &texture.Texture{Format: texture.RGBA8, SRGB: true, W: 2, H: 2, Levels: [][]byte{
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {7, 8, 9, 10},
	}}
}

// cube is an array of two cubes, with one block per face and a swizzle.
func cube() *texture.Texture {
	t := &texture.Texture{Format: texture.BC4, W: 4, H: 4, Layers: 2, Cube: true, Premultiplied: true, Swizzle: "rrr1",
		Levels: [][]byte{make([]byte, 12*8)}}
	for i := range t.Levels[0] {
		t.Levels[0][i] = byte(i)
	}
	return t
}

// TestWriteGolden compares a file with bytes that were written by hand from the specification.
func TestWriteGolden(t *testing.T) {
	want := unhex(t, `
		AB4B5458 203230BB 0D0A1A0A           identifier
		2B000000 01000000                     VK_FORMAT_R8G8B8A8_SRGB, one byte a channel
		02000000 02000000 00000000           width, height, depth
		00000000 01000000 02000000 00000000  layers, faces, levels, scheme
		80000000 5C000000                     descriptor at 128, 92 bytes
		DC000000 30000000                     key/values at 220, 48 bytes
		0000000000000000 0000000000000000    no global data
		1001000000000000 1000000000000000 1000000000000000  level 0 at 272
		0C01000000000000 0400000000000000 0400000000000000  level 1 at 268
		5C000000 00000000 0200 5800          sizes, vendor and type, version 2
		01 01 02 00                           RGBSDA, BT.709, sRGB, straight alpha
		00000000 04000000 00000000           1x1 blocks of 4 bytes
		0000 07 00 00000000 00000000 FF000000  red
		0800 07 01 00000000 00000000 FF000000  green
		1000 07 02 00000000 00000000 FF000000  blue
		1800 07 1F 00000000 00000000 FF000000  alpha, linear
		12000000 4B54586F7269656E746174696F6E 00 726400 0000  KTXorientation rd
		14000000 4B5458777269746572 00 6173736574636F6F6B 00  KTXwriter assetcook
		0708090A
		0102030405060708090A0B0C0D0E0F10`)
	if d := cmp.Diff(hex.Dump(want), hex.Dump(encode(t, small(), Supercompression{}))); d != "" {
		t.Error(d)
	}
}

// unhex decodes the hexadecimal words at the start of each line.
func unhex(t *testing.T, text string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(text) {
		for _, word := range strings.Fields(line) {
			b, err := hex.DecodeString(word)
			if err != nil || word != strings.ToUpper(word) {
				break // the rest of the line is a remark
			}
			out = append(out, b...)
		}
	}
	return out
}

func drawTexture(t *rapid.T) *texture.Texture {
	tex := &texture.Texture{
		Format: rapid.SampledFrom(texture.Formats()).Draw(t, "format"),
		W:      rapid.IntRange(1, 20).Draw(t, "width"),
		H:      rapid.IntRange(1, 20).Draw(t, "height"),
		Layers: rapid.IntRange(0, 3).Draw(t, "layers"),
		Cube:   rapid.Bool().Draw(t, "cube"),

		Premultiplied: rapid.Bool().Draw(t, "premultiplied"),
		Swizzle:       rapid.StringMatching("([rgba01]{4})?").Draw(t, "swizzle"),
	}
	tex.SRGB = tex.Format.HasSRGB() && rapid.Bool().Draw(t, "srgb")
	tex.Opaque = tex.Format == texture.UASTC && rapid.Bool().Draw(t, "opaque")
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
		var s Supercompression
		if level := rapid.IntRange(0, 22).Draw(t, "zstd"); level > 0 {
			s = Supercompression{Zstd, level}
		}
		var one, two memory
		if err := errors.Join(Write(context.Background(), &one, tex, s), Write(context.Background(), &two, tex, s)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.data, two.data) {
			t.Fatal("two writes differ")
		}
		got, err := Read(one.data, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tex, got); d != "" {
			t.Fatal(d)
		}
	})
}

func TestWriteInTheMiddle(t *testing.T) {
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
		f := &memory{data: []byte("before"), at: 6}
		if err := Write(t.Context(), f, small(), s); err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("after"))
		if want := "before" + string(encode(t, small(), s)) + "after"; string(f.data) != want {
			t.Errorf("%q, want %q", f.data, want)
		}
	}
}

func TestRoundTripLarge(t *testing.T) {
	level := make([]byte, 4*500*500)
	for i := range level {
		level[i] = byte(i * i >> 7)
	}
	tex := &texture.Texture{Format: texture.RGBA8, W: 500, H: 500, Levels: [][]byte{level}}
	got, err := Read(encode(t, tex, Supercompression{Zstd, 3}), 4*500*500)
	if err != nil || !bytes.Equal(got.Levels[0], level) {
		t.Errorf("level differs or error %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(*texture.Texture, *Supercompression){
		"format 99 is":             func(t *texture.Texture, _ *Supercompression) { t.Format = 99 },
		"size 0 x 2":               func(t *texture.Texture, _ *Supercompression) { t.W = 0 },
		"no sRGB form":             func(t *texture.Texture, _ *Supercompression) { t.Format = texture.BC4 },
		"swizzle":                  func(t *texture.Texture, _ *Supercompression) { t.Swizzle = "rgbx" },
		"must be square":           func(t *texture.Texture, _ *Supercompression) { t.Cube, t.H = true, 1 },
		"2 images of 2 x 2 pixels": func(t *texture.Texture, _ *Supercompression) { t.Layers = 2 },
		"3 levels":                 func(t *texture.Texture, _ *Supercompression) { t.Levels = append(t.Levels, []byte{1, 2, 3, 4}) },
		"0 levels":                 func(t *texture.Texture, _ *Supercompression) { t.Levels = nil },
		"level 1 holds 3":          func(t *texture.Texture, _ *Supercompression) { t.Levels[1] = []byte{1, 2, 3} },
		"scheme 1 is not":          func(_ *texture.Texture, s *Supercompression) { s.Scheme = 1 },
		"zstd level 0 is not":      func(_ *texture.Texture, s *Supercompression) { s.Scheme = Zstd },
	} {
		tex, s := small(), Supercompression{}
		change(tex, &s)
		if err := Write(t.Context(), new(memory), tex, s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

func TestWriteStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
		if err := Write(ctx, new(memory), small(), s); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: error %v, want cancelled", s, err)
		}
	}
}

func TestReadRefusesTornFiles(t *testing.T) {
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
		file := encode(t, small(), s)
		for n := range file {
			if _, err := Read(file[:n], 1<<20); err == nil {
				t.Errorf("%+v: first %d of %d bytes are read without error", s, n, len(file))
			}
		}
		if _, err := Read(append(file, 0), 1<<20); err == nil {
			t.Errorf("%+v: a byte too many is read without error", s)
		}
	}
}

// TestReadSeesEveryBit checks that changing any bit of a file changes the texture or is an error.
// It excludes the words in the key/value data.
func TestReadSeesEveryBit(t *testing.T) {
	for _, tex := range []*texture.Texture{small(), cube()} {
		seesEveryBit(t, tex)
	}
}

func seesEveryBit(t *testing.T, want *texture.Texture) {
	t.Helper()
	file := encode(t, want, Supercompression{})
	keyValues, end := binary.LittleEndian.Uint32(file[56:]), binary.LittleEndian.Uint32(file[56:])+binary.LittleEndian.Uint32(file[60:])
	for i := range file {
		if uint32(i) >= keyValues && uint32(i) < end {
			continue
		}
		for bit := range 8 {
			changed := bytes.Clone(file)
			changed[i] ^= 1 << bit
			if got, err := Read(changed, 1<<20); err == nil && cmp.Equal(want, got) {
				t.Errorf("byte %d bit %d: change not seen", i, bit)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, tc := range []struct {
		want   string
		change func(file []byte)
	}{
		{"the file is not KTX 2.0", func(f []byte) { f[5] = '1' }},
		{"VkFormat 8 is", func(f []byte) { f[12] = 8 }},
		{"does not match uastc", func(f []byte) { f[12] = 0 }},
		{"type size is 2", func(f []byte) { f[16] = 2 }},
		{"orientation \"rd\\x00\" is not", func(f []byte) { f[28] = 1 }},
		{"the number of slices", func(f []byte) { f[30] = 1 }},
		{"the number of layers", func(f []byte) { f[35] = 1 }},
		{"the size of level 1 does not match", func(f []byte) { f[32] = 2 }},
		{"face count is 2", func(f []byte) { f[36] = 2 }},
		{"not square", func(f []byte) { f[24], f[36] = 1, 6 }},
		{"size 0 x 2", func(f []byte) { f[20] = 0 }},
		{"3 levels are too many for 2 x 2 pixels", func(f []byte) { f[40] = 3 }},
		{"scheme 3 is not", func(f []byte) { f[44] = 3 }},
		{"global data", func(f []byte) { f[64] = 1 }},
		{"descriptor does not match", func(f []byte) { f[128+20] = 0 }},
		{"orientation", func(f []byte) { f[220+4+15] = 'l' }},
		{"because keys are sorted", func(f []byte) { f[220+4] = 'z' }},
		{"a key/value pair is longer", func(f []byte) { f[220+2] = 1 }},
		{"padding after key", func(f []byte) { f[220+4+18] = 1 }},
	} {
		file := encode(t, small(), Supercompression{})
		tc.change(file)
		if _, err := Read(file, 1<<20); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
	volume := encode(t, &texture.Texture{Format: texture.R8, W: 2, H: 2, Depth: 2, Levels: [][]byte{make([]byte, 8)}}, Supercompression{})
	volume[32] = 2
	if _, err := Read(volume, 1<<20); err == nil || !strings.Contains(err.Error(), "neither a cube nor an array") {
		t.Errorf("error %v, want one about an array of volumes", err)
	}
	if _, err := Read(encode(t, small(), Supercompression{}), 19); err == nil || !strings.Contains(err.Error(), "more than 19 bytes") {
		t.Errorf("error %v, want one about 19 bytes", err)
	}
}

// Older writers store 0 as bytesPlane in files with supercompression, and Read accepts these files.
func TestReadOldDescriptor(t *testing.T) {
	file := encode(t, small(), Supercompression{Zstd, 1})
	file[128+bytesPlane0At] = 0
	if _, err := Read(file, 1<<20); err != nil {
		t.Error(err)
	}
}

// TestReadBomb checks that a short file with huge sizes in its header allocates almost nothing.
func TestReadBomb(t *testing.T) {
	file := encode(t, &texture.Texture{Format: texture.RGBA8, W: 1, H: 1, Levels: [][]byte{{1, 2, 3, 4}}}, Supercompression{Zstd, 3})
	binary.LittleEndian.PutUint32(file[20:], 65535)
	binary.LittleEndian.PutUint32(file[24:], 65535)
	binary.LittleEndian.PutUint64(file[headerSize+16:], 65535*65535*4)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(file, math.MaxInt64)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("error %v, want too short", err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("allocated %d bytes", got)
	}
}

// FuzzKTX2 checks that a file that can be read can be written, and that the written file is read as
// the same texture.
func FuzzKTX2(f *testing.F) {
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
		f.Add(encode(f, cube(), s))
		f.Add(encode(f, small(), s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tex, err := Read(data, 1<<20)
		if err != nil {
			return
		}
		again, err := Read(encode(t, tex, Supercompression{}), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tex, again); d != "" {
			t.Error(d)
		}
	})
}
