package ktx2

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func encode(t testing.TB, tex *Texture, s Supercompression) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, tex, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// small is a texture of 2x2 pixels and its smaller level.
func small() *Texture {
	return &Texture{Format: RGBA8SRGB, Width: 2, Height: 2, Levels: [][]byte{
		{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {7, 8, 9, 10},
	}}
}

// The whole file, written by hand from the specification.
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

// unhex reads the words of hexadecimal digits at the start of each line.
func unhex(t *testing.T, text string) []byte {
	t.Helper()
	var out []byte
	for line := range strings.Lines(text) {
		for _, word := range strings.Fields(line) {
			b, err := hex.DecodeString(word)
			if err != nil || word != strings.ToUpper(word) {
				break // the rest is a remark
			}
			out = append(out, b...)
		}
	}
	return out
}

func drawTexture(t *rapid.T) *Texture {
	tex := &Texture{
		Format: rapid.SampledFrom([]Format{RGBA8Unorm, RGBA8SRGB}).Draw(t, "format"),
		Width:  rapid.IntRange(1, 40).Draw(t, "width"),
		Height: rapid.IntRange(1, 40).Draw(t, "height"),
	}
	seed := rapid.Byte().Draw(t, "seed")
	for i := range rapid.IntRange(1, MaxLevels(tex.Width, tex.Height)).Draw(t, "levels") {
		w, h := LevelSize(tex.Width, tex.Height, i)
		level := make([]byte, 4*w*h)
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
		var one, two bytes.Buffer
		if err := errors.Join(Write(context.Background(), &one, tex, s), Write(context.Background(), &two, tex, s)); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Fatal("two writes differ")
		}
		got, err := Read(one.Bytes(), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tex, got); d != "" {
			t.Fatal(d)
		}
	})
}

// Data larger than a chunk goes through the packer in several pieces.
func TestRoundTripLarge(t *testing.T) {
	level := make([]byte, 4*500*500)
	for i := range level {
		level[i] = byte(i * i >> 7)
	}
	tex := &Texture{Format: RGBA8Unorm, Width: 500, Height: 500, Levels: [][]byte{level}}
	got, err := Read(encode(t, tex, Supercompression{Zstd, 3}), 4*500*500)
	if err != nil || !bytes.Equal(got.Levels[0], level) {
		t.Errorf("level differs or error %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, change := range map[string]func(*Texture, *Supercompression){
		"format 9 is":         func(t *Texture, _ *Supercompression) { t.Format = 9 },
		"size 0 x 2":          func(t *Texture, _ *Supercompression) { t.Width = 0 },
		"3 levels":            func(t *Texture, _ *Supercompression) { t.Levels = append(t.Levels, []byte{1, 2, 3, 4}) },
		"0 levels":            func(t *Texture, _ *Supercompression) { t.Levels = nil },
		"level 1 holds 3":     func(t *Texture, _ *Supercompression) { t.Levels[1] = []byte{1, 2, 3} },
		"scheme 1 is not":     func(_ *Texture, s *Supercompression) { s.Scheme = 1 },
		"zstd level 0 is not": func(_ *Texture, s *Supercompression) { s.Scheme = Zstd },
	} {
		tex, s := small(), Supercompression{}
		change(tex, &s)
		if err := Write(t.Context(), io.Discard, tex, s); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

func TestWriteStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
		if err := Write(ctx, io.Discard, small(), s); !errors.Is(err, context.Canceled) {
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

// No bit of a file outside the words in the key/value data is without effect.
func TestReadSeesEveryBit(t *testing.T) {
	file, want := encode(t, small(), Supercompression{}), small()
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
		{"not a KTX 2.0 file", func(f []byte) { f[5] = '1' }},
		{"format 9 is", func(f []byte) { f[12] = 9 }},
		{"face count is 6", func(f []byte) { f[36] = 6 }},
		{"size 0 x 2", func(f []byte) { f[20] = 0 }},
		{"3 levels for 2 x 2", func(f []byte) { f[40] = 3 }},
		{"scheme 3 is not", func(f []byte) { f[44] = 3 }},
		{"global data", func(f []byte) { f[64] = 1 }},
		{"descriptor does not describe", func(f []byte) { f[128+20] = 0 }},
		{"orientation", func(f []byte) { f[220+4+15] = 'l' }},
		{"keys must be sorted", func(f []byte) { f[220+4] = 'z' }},
		{"a key/value pair is longer", func(f []byte) { f[220+2] = 1 }},
		{"padding after key", func(f []byte) { f[220+4+18] = 1 }},
	} {
		file := encode(t, small(), Supercompression{})
		tc.change(file)
		if _, err := Read(file, 1<<20); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
	if _, err := Read(encode(t, small(), Supercompression{}), 19); err == nil || !strings.Contains(err.Error(), "more than 19 bytes") {
		t.Errorf("error %v, want one about 19 bytes", err)
	}
}

// Files of older writers have no bytes a plane when they are packed.
func TestReadOldDescriptor(t *testing.T) {
	file := encode(t, small(), Supercompression{Zstd, 1})
	file[128+bytesPlane0At] = 0
	if _, err := Read(file, 1<<20); err != nil {
		t.Error(err)
	}
}

// A few bytes that claim gigabytes cost next to nothing.
func TestReadBomb(t *testing.T) {
	file := encode(t, &Texture{Format: RGBA8Unorm, Width: 1, Height: 1, Levels: [][]byte{{1, 2, 3, 4}}}, Supercompression{Zstd, 3})
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

func TestFormatBlock(t *testing.T) {
	if w, h, n := RGBA8SRGB.Block(); w != 1 || h != 1 || n != 4 {
		t.Errorf("RGBA8SRGB.Block() = %d, %d, %d", w, h, n)
	}
	if w, h, n := Format(1).Block(); w+h+n != 0 || Format(1).String() != "VkFormat(1)" {
		t.Errorf("unknown format: block %d, %d, %d, name %v", w, h, n, Format(1))
	}
}

// What is read can be written, and is read again as the same.
func FuzzKTX2(f *testing.F) {
	for _, s := range []Supercompression{{}, {Zstd, 3}} {
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
