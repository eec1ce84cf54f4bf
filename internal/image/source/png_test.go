package source

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	stdimage "image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/imagetest"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// withChunk inserts a chunk after the header of a PNG file.
func withChunk(data []byte, name, body string) []byte {
	const headerEnd = 33
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, name...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{data[:headerEnd], chunk, data[headerEnd:]}, nil)
}

func long(v ...uint32) string {
	var b []byte
	for _, n := range v {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(b)
}

// TestPNGColorChunksHavePrecedence checks which chunk determines how the gray value 128 is
// converted.
func TestPNGColorChunksHavePrecedence(t *testing.T) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 1, 1))
	m.SetNRGBA(0, 0, color.NRGBA{R: 128, G: 0, B: 255, A: 128})
	plain := encodePNG(t, m)
	sRGBProfile := "some name\x00\x00" + string(packed(t, profile("desc", "sRGB IEC61966-2.1")))
	otherProfile := "some name\x00\x00" + string(packed(t, profile("mluc", "Display P3")))
	sRGBcHRM := long(31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)
	type chunks map[string]string
	for _, tc := range []struct {
		name    string
		chunks  chunks
		gamma   int
		red     uint8
		profile string
	}{
		{"nothing", nil, 0, 128, ""},
		{"gamma of sRGB", chunks{"gAMA": long(45455)}, 0, 128, ""},
		{"gamma near that of sRGB", chunks{"gAMA": long(47000)}, 0, 128, ""},
		{"linear", chunks{"gAMA": long(100000)}, 100000, 188, ""},
		{"old Macintosh", chunks{"gAMA": long(55556)}, 55556, 146, ""},
		{"gamma 0", chunks{"gAMA": long(0)}, 0, 128, ""},
		{"mad gamma", chunks{"gAMA": long(math.MaxUint32)}, 0, 128, ""},
		{"torn gamma", chunks{"gAMA": "abc"}, 0, 128, ""},
		{"sRGB counts more", chunks{"gAMA": long(100000), "sRGB": "\x00"}, 0, 128, ""},
		{"profile counts more", chunks{"gAMA": long(100000), "iCCP": sRGBProfile}, 0, 128, ""},
		{"other profile", chunks{"gAMA": long(100000), "iCCP": otherProfile}, 0, 128, `ICC profile "Display P3"`},
		{"damaged profile", chunks{"iCCP": "no zero"}, 0, 128, "the ICC profile is damaged"},
		{"profile not packed", chunks{"iCCP": "a\x00\x00bcd"}, 0, 128, "the ICC profile is damaged"},
		{"profile by its chunk's name", chunks{"iCCP": "Photoshop sRGB\x00\x00" + string(packed(t, nil))}, 0, 128, ""},
		{"primaries of sRGB", chunks{"gAMA": long(100000), "cHRM": sRGBcHRM}, 100000, 188, ""},
		{"other primaries", chunks{"cHRM": long(31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000)}, 0, 128, "other primaries than sRGB (cHRM)"},
		{"no primaries", chunks{"cHRM": long(0, 0, 0, 0, 0, 0, 0, 0)}, 0, 128, ""},
		{"white alone is none", chunks{"cHRM": long(31270, 32900, 0, 0, 0, 0, 0, 0)}, 0, 128, "other primaries than sRGB (cHRM)"},
		{"code points of sRGB", chunks{"gAMA": long(100000), "cICP": "\x01\x0d\x00\x01"}, 0, 128, ""},
		{"code points of linear light", chunks{"cICP": "\x01\x08\x00\x01", "sRGB": "\x00"}, 100000, 188, ""},
		{"code points of PQ", chunks{"cICP": "\x09\x10\x00\x01"}, 0, 128, "color code points 9/16/0/1 (cICP)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			data := plain
			for name, body := range tc.chunks {
				data = withChunk(data, name, body)
			}
			got, info, err := Decode(t.Context(), data, ".png", maxSide)
			if err != nil {
				t.Fatal(err)
			}
			if want := string([]byte{tc.red, 0, 255, 128}); string(got.Pix8) != want {
				t.Errorf("pixel %v, want %v", got.Pix8, []byte(want))
			}
			if info.Gamma != tc.gamma || info.Profile != tc.profile {
				t.Errorf("gamma %d, profile %q; want %d, %q", info.Gamma, info.Profile, tc.gamma, tc.profile)
			}
			raw, info, err := DecodeData(t.Context(), data, ".png", maxSide)
			if err != nil || string(raw.Pix8) != "\x80\x00\xff\x80" || info.Gamma != tc.gamma {
				t.Errorf("as data: pixel %v, gamma %d, error %v", raw.Pix8, info.Gamma, err)
			}
		})
	}
}

// TestGammaTablesAgreeWithTheFormulas compares gamma tables with rounded results of the formulas.
func TestGammaTablesAgreeWithTheFormulas(t *testing.T) {
	check := func(gamma, top, i int, got float64) {
		light := math.Pow(float64(i)/float64(top), 100000/float64(gamma))
		want := 12.92 * light
		if light > 0.0031308 {
			want = 1.055*math.Pow(light, 1/2.4) - 0.055
		}
		if d := math.Abs(got - want*float64(top)); d > 0.5+1e-6 {
			t.Errorf("gamma %d: %d of %d becomes %g, want %g", gamma, i, top, got, want*float64(top))
		}
	}
	for _, gamma := range []int{leastGamma, 30000, 55556, 100000, 220000, mostGamma} {
		narrow, wide := gammaTable[uint8](255, gamma), gammaTable[uint16](65535, gamma)
		for i, v := range narrow {
			check(gamma, 255, i, float64(v))
		}
		for i, v := range wide {
			check(gamma, 65535, i, float64(v))
			if i > 0 && v < wide[i-1] {
				t.Errorf("gamma %d: %d becomes %d, less than the entry before", gamma, i, v)
			}
		}
		if narrow[0] != 0 || narrow[255] != 255 || wide[0] != 0 || wide[65535] != 65535 {
			t.Errorf("gamma %d: black or white changes", gamma)
		}
	}
}

func TestGammaOfSixteenBits(t *testing.T) {
	m := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 1, 1))
	m.SetNRGBA64(0, 0, color.NRGBA64{R: 32768, G: 1, B: 65535, A: 7})
	got, _, err := Decode(t.Context(), withChunk(encodePNG(t, m), "gAMA", long(100000)), ".png", maxSide)
	if err != nil || got.Depth() != pixmap.Bits16 || len(got.Pix16) != 4 {
		t.Fatalf("%+v, error %v", got, err)
	}
	if p := got.Pix16; p[0] != 48193 && p[0] != 48192 || p[1] != 13 || p[2] != 65535 || p[3] != 7 {
		t.Errorf("pixel %v", p)
	}
}

func TestGammaStopsWithContext(t *testing.T) {
	m := pixmap.New(1024, 256, pixmap.Bits8)
	if err := convertToSRGB(countdown.New(t.Context(), 2), m, 100000); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestMemoryOfPNG checks that Memory includes the pixels of the decoder's image and of the map.
func TestMemoryOfPNG(t *testing.T) {
	for _, tc := range []struct {
		depth, color, interlaced byte
		want                     int64
	}{
		{8, 6, 0, 4}, {8, 6, 1, 8}, {8, 2, 0, 4}, {8, 3, 0, 5}, {8, 0, 0, 5}, {8, 4, 0, 4},
		{16, 6, 0, 8}, {16, 2, 0, 8}, {16, 6, 1, 16}, {16, 0, 0, 10},
	} {
		const side = 4000
		data := imagetest.PNG(side, side, nil)[:33]
		data[24], data[25], data[28] = tc.depth, tc.color, tc.interlaced
		info, err := Probe(data, ".png", 1<<30, maxSide)
		if got := info.Memory / (side * side); err != nil || got != tc.want {
			t.Errorf("%d bits of color type %d, interlaced %d: %d bytes a pixel, want %d, error %v",
				tc.depth, tc.color, tc.interlaced, got, tc.want, err)
		}
	}
	// Gray with a transparent color is decoded to four channels.
	whole := withChunk(imagetest.PNG(4000, 4000, nil), "tRNS", "\x00\x07")
	if info, err := Probe(whole, ".png", 1<<30, maxSide); err != nil || info.Memory/(4000*4000) != 4 {
		t.Errorf("gray: %d bytes, error %v", info.Memory, err)
	}
}

// TestLongProfileIsShortened checks that only the start of a long profile is read, and that its
// name is shortened.
func TestLongProfileIsShortened(t *testing.T) {
	icc := profile("desc", strings.Repeat("long ", 30))
	data := withChunk(encodePNG(t, stdimage.NewGray(stdimage.Rect(0, 0, 1, 1))), "iCCP",
		"x\x00\x00"+string(packed(t, append(icc, make([]byte, 1<<24)...))))
	var info Info
	var err error
	if got := allocated(func() { _, info, err = Decode(t.Context(), data, ".png", maxSide) }); got > 1<<20 {
		t.Errorf("allocated %d bytes", got)
	}
	if err != nil || len(info.Profile) > 100 || !strings.HasSuffix(info.Profile, `..."`) {
		t.Errorf("profile %q, error %v", info.Profile, err)
	}
}
