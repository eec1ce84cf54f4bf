package source

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"image/gif"
	"testing"
	"unicode/utf16"

	"golang.org/x/image/tiff"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// exifBlock returns an EXIF block with a camera name and an orientation.
func exifBlock(order byte, orientation uint16) []byte {
	var o binary.AppendByteOrder = binary.LittleEndian
	b := []byte("Exif\x00\x00II*\x00")
	if order == 'M' {
		o, b = binary.BigEndian, []byte("Exif\x00\x00MM\x00*")
	}
	b = o.AppendUint16(o.AppendUint32(b, 8), 2)
	for _, e := range []struct{ tag, kind, count, value int }{{0x010f, 2, 3, 0}, {0x0112, 3, 1, int(orientation)}} {
		b = o.AppendUint16(o.AppendUint16(b, uint16(e.tag)), uint16(e.kind))
		b = o.AppendUint32(b, uint32(e.count))
		b = o.AppendUint16(o.AppendUint16(b, uint16(e.value)), 0)
	}
	return b
}

// withEXIF inserts an EXIF block after the start of a JPEG file.
func withEXIF(data, block []byte) []byte { return withSegment(data, 0xe1, block) }

func withSegment(data []byte, marker byte, body []byte) []byte {
	head := []byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}
	return bytes.Join([][]byte{data[:2], head, body, data[2:]}, nil)
}

// profile returns a color profile with a description of the given type.
func profile(kind, text string) []byte {
	be := binary.BigEndian
	b := make([]byte, 128)
	copy(b[36:], "acsp")
	tag := []byte("desc\x00\x00\x00\x00")
	tag = append(append(be.AppendUint32(tag, uint32(len(text)+1)), text...), make([]byte, 30)...)
	if kind == "mluc" {
		units := utf16.Encode([]rune(text))
		tag = append([]byte("mluc\x00\x00\x00\x00"), long(1, 12)...)
		tag = append(append(tag, "enUS"...), long(uint32(2*len(units)), 28)...)
		for _, u := range units {
			tag = be.AppendUint16(tag, u)
		}
	}
	b = append(b, long(2)...)
	b = append(append(b, "cprt"...), long(0, 0)...)
	b = append(append(b, "desc"...), long(128+4+24, uint32(len(tag)))...)
	return append(b, tag...)
}

func packed(t testing.TB, data []byte) []byte {
	return encoded(t, func(b *bytes.Buffer) error {
		w := zlib.NewWriter(b)
		_, _ = w.Write(data) // Close returns the error of Write
		return w.Close()
	})
}

func TestEXIFOrientation(t *testing.T) {
	wrongType, wrongCount := exifBlock('I', 6), exifBlock('I', 6)
	const second = 6 + 8 + 2 + 12
	wrongType[second+2], wrongCount[second+4] = 4, 2
	far, many := exifBlock('I', 6), exifBlock('I', 6)
	copy(far[10:], "\xff\xff\xff\xff")
	copy(many[14:], "\xff\xff")
	for _, tc := range []struct {
		name  string
		block []byte
		want  int
	}{
		{"low byte first", exifBlock('I', 6), 6},
		{"high byte first", exifBlock('M', 8), 8},
		{"without the sign of JPEG", exifBlock('M', 3)[6:], 3},
		{"0", exifBlock('I', 0), 1},
		{"9", exifBlock('I', 9), 1},
		{"many entries", many, 6},
		{"not a short number", wrongType, 1},
		{"two numbers", wrongCount, 1},
		{"directory beyond the end", far, 1},
		{"no TIFF", []byte("Exif\x00\x00II+\x00\x08\x00\x00\x00\x00\x00"), 1},
		{"nothing", nil, 1},
	} {
		if got := exifOrientation(tc.block); got != tc.want {
			t.Errorf("%s: orientation %d, want %d", tc.name, got, tc.want)
		}
	}
	whole := exifBlock('M', 5)
	for n := range whole {
		if got := exifOrientation(whole[:n]); got != 1 {
			t.Errorf("first %d of %d bytes: orientation %d", n, len(whole), got)
		}
	}
}

// TestOrientationsTurnUpright stores the pixels a b c above d e f with each orientation. The table
// has the expected image. The tag Orientation of EXIF 2.3 names the sides of the first row and
// column.
func TestOrientationsTurnUpright(t *testing.T) {
	for orientation, want := range map[int][]string{
		0: {"abc", "def"}, 1: {"abc", "def"}, 2: {"cba", "fed"}, 3: {"fed", "cba"}, 4: {"def", "abc"},
		5: {"ad", "be", "cf"}, 6: {"da", "eb", "fc"}, 7: {"fc", "eb", "da"}, 8: {"cf", "be", "ad"}, 9: {"abc", "def"},
	} {
		for _, depth := range []pixmap.Depth{pixmap.Bits8, pixmap.Bits16, pixmap.Float} {
			m := pixmap.New(3, 2, depth)
			for i, c := range "abcdef" {
				for s := range 4 { // each channel of a pixel has a different value
					switch depth {
					case pixmap.Bits8:
						m.Pix8[4*i+s] = uint8(c) + uint8(s)
					case pixmap.Bits16:
						m.Pix16[4*i+s] = uint16(c) + uint16(s)
					default:
						m.PixF[4*i+s] = float32(c) + float32(s)
					}
				}
			}
			got, err := upright(t.Context(), m, orientation)
			if err != nil {
				t.Fatal(err)
			}
			if got.W != len(want[0]) || got.H != len(want) || got.Depth() != depth {
				t.Fatalf("orientation %d: %d x %d pixels", orientation, got.W, got.H)
			}
			for y, row := range want {
				for x, c := range row {
					for s := range 4 {
						at := 4*(y*got.W+x) + s
						v := 0
						switch depth {
						case pixmap.Bits8:
							v = int(got.Pix8[at])
						case pixmap.Bits16:
							v = int(got.Pix16[at])
						default:
							v = int(got.PixF[at])
						}
						if v != int(c)+s {
							t.Fatalf("orientation %d: pixel %d, %d is %c, want %c", orientation, x, y, v-s, c)
						}
					}
				}
			}
		}
	}
}

func TestFormatsDeclareOrientation(t *testing.T) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 24, 8))
	for i := range 24 * 8 {
		c := color.NRGBA{R: 20, G: 20, B: 20, A: 255}
		if i%24 < 8 {
			c = color.NRGBA{R: 230, G: 230, B: 230, A: 255} // the left third is bright
		}
		m.SetNRGBA(i%24, i/24, c)
	}
	jpeg := withEXIF(encodeJPEG(t, m), exifBlock('M', 6))
	tiffFile := encodeTIFF(t, m, &tiff.Options{})
	tiffFile = addTIFFTag(tiffFile, 274, 6)
	for name, data := range map[string][]byte{"jpeg": jpeg, "tiff": tiffFile} {
		got, info, err := Decode(t.Context(), data, "", maxSide)
		if err != nil {
			t.Fatal(err)
		}
		if got.W != 8 || got.H != 24 || info.W != 8 || info.H != 24 || info.Orientation != 6 {
			t.Errorf("%s: %d x %d pixels, info %+v", name, got.W, got.H, info)
		}
		if top, bottom := got.Pix8[4*4], got.Pix8[len(got.Pix8)-4*4]; top < 220 || bottom > 30 {
			t.Errorf("%s: top %d, bottom %d", name, top, bottom)
		}
	}
	var square []byte // the left half is opaque
	for _, s := range webpSamples(t) {
		if s.name == "webp alpha" {
			square = s.data
		}
	}
	got, info, err := Decode(t.Context(), webpWithNotes(square), "", maxSide)
	if err != nil || info.Orientation != 6 || info.Profile != `ICC profile "Wider"` {
		t.Fatalf("info %+v, error %v", info, err)
	}
	if top, bottom := got.Pix8[3], got.Pix8[4*63+3]; top != 255 || bottom != 64 {
		t.Errorf("webp: top %d, bottom %d", top, bottom)
	}
	// The orientation is in the last chunk and determines the size, so the head of the file is not
	// enough.
	data := webpWithNotes(square)
	if _, err := Probe(data[:len(data)-1], "", int64(len(data)), maxSide); err == nil {
		t.Error("webp: the head is enough to find the orientation")
	}
}

// webpWithNotes inserts a profile of an odd number of bytes and an orientation of 6 into an
// extended file.
func webpWithNotes(data []byte) []byte {
	chunk := func(name string, body []byte) []byte {
		b := append([]byte(name), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
		return append(append(b, body...), make([]byte, len(body)%2)...)
	}
	const afterVP8X = 12 + 8 + 10
	out := bytes.Join([][]byte{data[:afterVP8X], chunk("ICCP", profile("desc", "Wider")), data[afterVP8X:],
		chunk("EXIF", exifBlock('M', 6))}, nil)
	out[20] |= webpICC | webpEXIF
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// addTIFFTag appends a copy of the directory, with one more tag, to the file.
func addTIFFTag(data []byte, tag, value uint16) []byte {
	le := binary.LittleEndian
	at := int(le.Uint32(data[4:]))
	count := int(le.Uint16(data[at:]))
	out := bytes.Clone(data)
	le.PutUint32(out[4:], uint32(len(out)))
	out = le.AppendUint16(out, uint16(count+1))
	out = append(out, data[at+2:at+2+12*count]...)
	out = le.AppendUint16(le.AppendUint16(out, tag), 3)
	out = le.AppendUint16(le.AppendUint32(out, 1), value)
	return append(out, make([]byte, 6)...)
}

func TestProfileOfJPEG(t *testing.T) {
	plain := encodeJPEG(t, stdimage.NewGray(stdimage.Rect(0, 0, 1, 1)))
	for _, tc := range []struct{ sign, text, want string }{
		{"ICC_PROFILE\x00\x01\x01", "Adobe RGB (1998)", `ICC profile "Adobe RGB (1998)"`},
		{"ICC_PROFILE\x00\x01\x01", "sRGB built-in", ""},
		{"ICC_PROFILE\x00\x01\x01", "", "ICC profile without a name"},
		{"something else", "Adobe RGB (1998)", ""},
	} {
		data := withSegment(plain, 0xe2, append([]byte(tc.sign), profile("desc", tc.text)...))
		if _, info, err := Decode(t.Context(), data, "", maxSide); err != nil || info.Profile != tc.want {
			t.Errorf("%q: profile %q, want %q, error %v", tc.text, info.Profile, tc.want, err)
		}
	}
}

// TestDescriptionOfDamagedProfiles checks that a truncated profile has no description or only the
// beginning of one. An inconsistent profile must not cause a panic.
func TestDescriptionOfDamagedProfiles(t *testing.T) {
	for _, kind := range []string{"desc", "mluc"} {
		whole := profile(kind, "Wide")
		if got := profileDescription(whole); got != "Wide" {
			t.Errorf("%s: %q", kind, got)
		}
		for n := range whole {
			if got := profileDescription(whole[:n]); got != "" && !bytes.HasPrefix([]byte("Wide"), []byte(got)) {
				t.Errorf("%s: first %d bytes: %q", kind, n, got)
			}
		}
		for i := range whole {
			lying := bytes.Clone(whole)
			lying[i] = 0xff
			profileDescription(lying) // the call must not panic
		}
	}
}

// TestFramesAreCounted checks Info.Frames for animations and for files with a single image.
func TestFramesAreCounted(t *testing.T) {
	animation := func(n int) []byte {
		var g gif.GIF
		for i := range n {
			m := stdimage.NewPaletted(stdimage.Rect(0, 0, 2, 2), color.Palette{color.Black, color.White})
			m.Pix[0] = uint8(i % 2)
			g.Image, g.Delay = append(g.Image, m), append(g.Delay, 1)
		}
		var b bytes.Buffer
		if err := gif.EncodeAll(&b, &g); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	still := encodePNG(t, stdimage.NewNRGBA(stdimage.Rect(0, 0, 2, 2)))
	sprite := onePixelHigh()
	sprite[6] = 3
	for _, tc := range []struct {
		ext  string
		data []byte
		want int
	}{
		{".gif", animation(1), 0}, {".gif", animation(300), 300},
		{".png", still, 0}, {".png", withChunk(still, "acTL", "\x00\x00\x00\x01\x00\x00\x00\x00"), 0},
		{".webp", animatedWebP(t, 8, 8, 0), 0}, {".webp", animatedWebP(t, 12, 12, 4, 0, 0), 3},
		{".apng", withChunk(still, "acTL", "\x00\x00\x00\x07\x00\x00\x00\x00"), 7},
	} {
		if _, info, err := Decode(t.Context(), tc.data, tc.ext, maxSide); err != nil || info.Frames != tc.want {
			t.Errorf("%s: %d frames, %v, want %d", tc.ext, info.Frames, err, tc.want)
		}
	}
	if info, err := Probe(sprite, ".aseprite", int64(len(sprite)), maxSide); err != nil || info.Frames != 3 {
		t.Errorf("Aseprite: %d frames, %v", info.Frames, err)
	}
}

// TestFirstFrameOfWebPIsAtItsPlace checks that the first frame of an animated WebP is drawn on a
// transparent canvas.
func TestFirstFrameOfWebPIsAtItsPlace(t *testing.T) {
	still, _, err := Decode(t.Context(), webpSamples(t)[1].data, "", maxSide)
	if err != nil {
		t.Fatal(err)
	}
	m, info, err := Decode(t.Context(), animatedWebP(t, 13, 12, 4, 0), "", maxSide)
	if err != nil || info.W != 13 || info.H != 12 {
		t.Fatalf("%+v, %v", info, err)
	}
	for i := range 13 * 12 {
		want := []byte{0, 0, 0, 0}
		if x, y := i%13-4, i/13-4; x >= 0 && x < 8 && y >= 0 && y < 8 {
			want = still.Pix8[4*(8*y+x):][:4]
		}
		if got := m.Pix8[4*i:][:4]; !bytes.Equal(got, want) {
			t.Fatalf("pixel %d is %v, want %v", i, got, want)
		}
	}
}

// TestPrimariesOfHDR checks that Info.Profile names primaries unless they equal the primaries of
// sRGB, exact or rounded.
func TestPrimariesOfHDR(t *testing.T) {
	for line, want := range map[string]string{
		"0.64 0.33 0.3 0.6 0.15 0.06 0.3127 0.329": "", "0.640 0.330 0.300 0.600 0.150 0.060 0.313 0.329": "",
		"0.64 0.33 0.29 0.60 0.15 0.06 0.333 0.333": "primaries 0.64 0.33 0.29 0.60 0.15 0.06 0.333 0.333",
		"0.64 0.33 0.3 0.6 0.15 0.06":               "primaries 0.64 0.33 0.3 0.6 0.15 0.06", "sRGB": "primaries sRGB",
		"NaN 0.33 0.3 0.6 0.15 0.06 0.3127 0.329": "primaries NaN 0.33 0.3 0.6 0.15 0.06 0.3127 0.329",
	} {
		data := []byte("#?RADIANCE\nPRIMARIES=" + line + "\n\n-Y 1 +X 1\n\x80\x80\x80\x80")
		if _, info, err := Decode(t.Context(), data, ".hdr", maxSide); err != nil || info.Profile != want {
			t.Errorf("%s: %q, %v, want %q", line, info.Profile, err, want)
		}
	}
}
