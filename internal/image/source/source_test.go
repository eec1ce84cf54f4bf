package source

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	stdimage "image"
	"image/color"
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/countdown"
	"github.com/assetcook/assetcook/internal/image/pixmap"
)

const maxSide = 16384

func TestSamplesOfAllFormatsAreDecoded(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			m, info, err := Decode(t.Context(), s.data, s.ext, maxSide)
			if err != nil {
				t.Fatal(err)
			}
			if s.slack == 0 {
				if d := cmp.Diff(s.want, m); d != "" {
					t.Error(d)
				}
			}
			near(t, s.want, m, s.slack)
			if info.W != m.W || info.H != m.H || info.Depth != m.Depth() || info.Orientation != 1 || info.Gamma != 0 || info.Profile != "" {
				t.Errorf("info %+v", info)
			}
			if !strings.HasPrefix(s.name, strings.ToLower(info.Format)) {
				t.Errorf("format %s", info.Format)
			}
			probed, err := Probe(s.data, s.ext, int64(len(s.data)), maxSide)
			if err != nil || !cmp.Equal(probed, info) {
				t.Errorf("Probe says %+v, Decode says %+v, error %v", probed, info, err)
			}
		})
	}
}

// near checks that no value of got differs from the value in want by more than slack.
func near(t *testing.T, want, got *pixmap.Map, slack int) {
	t.Helper()
	if got.W != want.W || got.H != want.H || len(got.Pix8) != len(want.Pix8) {
		t.Fatalf("%d x %d pixels, want %d x %d", got.W, got.H, want.W, want.H)
	}
	for i, v := range want.Pix8 {
		if d := int(v) - int(got.Pix8[i]); d < -slack || d > slack {
			t.Fatalf("pixel %d: %v, want %v", i/4, got.Pix8[i/4*4:i/4*4+4], want.Pix8[i/4*4:i/4*4+4])
		}
	}
}

// The images in testdata were written by Pillow 9.4 with libjpeg-turbo, ffmpeg 5.1 (qoi, webp,
// bmp-32), pamtopng 11.01 (gray2, rgb16-interlaced) and ppmtobmp 11.01 (bmp-map4). The functions
// compute their expected pixels.
var drawn = map[string]struct {
	slack int
	at    func(x, y int) [4]int
}{
	"rgba.qoi":             {0, drawRGBA},
	"rgb.qoi":              {0, drawOpaque},
	"rgba.tga":             {0, drawRGBA},
	"rgba-lossless.webp":   {0, drawRGBA},
	"map-transparent.gif":  {0, drawMap2},
	"map2-transparent.png": {0, drawMap2},
	"map4.png":             {0, func(x, y int) [4]int { i := (x/3 + y) % 16; return [4]int{i * 4, 255 - i*3, i, 255} }},
	"bit.png":              {0, func(x, y int) [4]int { v := map[bool]int{true: 255}[x*y%3 == 0]; return [4]int{v, v, v, 255} }},
	"gray2.png":            {0, func(x, y int) [4]int { v := (x + 2*y) % 4 * 85; return [4]int{v, v, v, 255} }},
	"rgb-key.png":          {0, drawKey},
	"rgb16-interlaced.png": {0, drawWide},
	"cmyk.jpg":             {12, drawInk},
	"soft.jpg":             {6, drawSoft},
	"soft-progressive.jpg": {12, drawSoft},
	"gray.jpg":             {3, func(x, y int) [4]int { v := 40 + x*8; return [4]int{v, v, v, 255} }},
	"soft.webp":            {12, drawSoft},
	"bmp-1.bmp":            {0, func(x, y int) [4]int { v := map[bool]int{true: 255}[x*y%3 == 0]; return [4]int{v, v, v, 255} }},
	"bmp-gray8.bmp":        {0, func(x, y int) [4]int { v := x*28 + y*5; return [4]int{v, v, v, 255} }},
	"bmp-map8.bmp":         {0, func(x, y int) [4]int { i := y*9 + x; return [4]int{i * 4, 255 - i*3, i, 255} }},
	"bmp-map4.bmp":         {0, func(x, y int) [4]int { i := (x/3 + y) % 16; return [4]int{i * 4, 255 - i*3, i, 255} }},
	"bmp-24.bmp":           {0, drawOpaque},
	"bmp-32.bmp":           {0, drawOpaque}, // ffmpeg writes no alpha mask
}

func drawRGBA(x, y int) [4]int { return [4]int{x * 28, y * 40, 255 - x*20 - y*5, 255 - x*y*4} }

func drawOpaque(x, y int) [4]int {
	p := drawRGBA(x, y)
	p[3] = 255
	return p
}

// drawKey returns opaque pixels, except for one transparent pixel.
func drawKey(x, y int) [4]int {
	p := drawOpaque(x, y)
	if x == 3 && y == 2 {
		p[3] = 0
	}
	return p
}

// drawMap2 has four colors. The third is transparent.
func drawMap2(x, y int) [4]int {
	i := (x + y) % 4
	return [4]int{i * 4, 255 - i*3, i, map[bool]int{false: 255}[i == 2]}
}

func drawWide(x, y int) [4]int {
	p := drawRGBA(x, y)
	for i := range p {
		p[i] = p[i]*256 + x*y + y
	}
	p[3] = 65535
	return p
}

func drawInk(x, y int) [4]int {
	r, g, b := color.CMYKToRGB(uint8(x*28), uint8(y*40), uint8(255-x*20-y*5), uint8(x*y))
	return [4]int{int(r), int(g), int(b), 255}
}

func drawSoft(x, y int) [4]int { return [4]int{200 - x*6, 80 + y*9, 40 + x*5, 255} }

func TestFilesOfOtherEncodersAreDecoded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil || len(files) != len(drawn) {
		t.Fatalf("%d files, want %d, error %v", len(files), len(drawn), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			m, info, err := Decode(t.Context(), read(t, file), filepath.Ext(name), maxSide)
			if err != nil {
				t.Fatal(err)
			}
			if !info.Fits(filepath.Ext(name)) || info.Profile != "" {
				t.Errorf("info %+v", info)
			}
			want := &pixmap.Map{W: m.W, H: m.H}
			for i := range m.W * m.H {
				for _, v := range drawn[name].at(i%m.W, i/m.W) {
					if m.Pix16 != nil {
						want.Pix16 = append(want.Pix16, uint16(v))
					} else {
						want.Pix8 = append(want.Pix8, uint8(v))
					}
				}
			}
			if m.W < 9 || m.H < 7 || !slices.Equal(m.Pix16, want.Pix16) {
				t.Errorf("%d x %d pixels %v, want %v", m.W, m.H, m.Pix16, want.Pix16)
			}
			near(t, want, m, drawn[name].slack)
		})
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestGolden compares hashes of decoded pixels, which are the same on all machines. Hashes of
// lossless files never change.
func TestGolden(t *testing.T) {
	lossless, lossy := sha256.New(), sha256.New()
	add := func(data []byte, ext string) {
		m, info, err := Decode(t.Context(), data, ext, maxSide)
		if err != nil {
			t.Fatal(err)
		}
		sum := lossless
		if info.Format == "JPEG" || ext == ".webp" && !bytes.Contains(data[:16], []byte("VP8L")) {
			sum = lossy
		}
		fmt.Fprintf(sum, "%d %d %x %x ", info.W, info.H, m.Pix8, m.Pix16)
		for _, v := range m.PixF {
			fmt.Fprintf(sum, "%x ", math.Float32bits(v))
		}
	}
	for _, s := range samples(t) {
		// The output of Go's lossy encoders may change with a release, so lossy samples are
		// skipped. testdata has lossy files of other encoders.
		if s.slack == 0 {
			add(s.data, s.ext)
		}
	}
	files, _ := filepath.Glob("testdata/*.*")
	for _, file := range files {
		if filepath.Ext(file) == ".bmp" {
			continue // another test compares BMP pixels exactly
		}
		add(read(t, file), filepath.Ext(file))
	}
	add(withChunk(read(t, "testdata/rgb16-interlaced.png"), "gAMA", "\x00\x00\xd6\xd8"), ".png")
	add([]byte("#?RGBE\nGAMMA=2.2\nEXPOSURE=3\n\n-Y 1 +X 2\n\x80\x40\x20\x81\xff\x01\x07\x90"), ".hdr")
	for _, tc := range []struct {
		name, want string
		sum        hash.Hash
	}{
		{"lossless", "fe3cbdb5391d98a00aa29e7550af71ba0ff93a8d83c1d84766370237127b882d", lossless},
		{"lossy", "25895376518ede4cea4a24cb9b7b34eadd0329fed1d33ff30fb44cc54f368281", lossy},
	} {
		if got := fmt.Sprintf("%x", tc.sum.Sum(nil)); got != tc.want {
			t.Errorf("%s: hash %s", tc.name, got)
		}
	}
}

func TestExtensions(t *testing.T) {
	known := map[string]bool{}
	for _, f := range supportedFormats() {
		for _, ext := range f.Extensions {
			if known[ext] {
				t.Errorf("two formats have the extension %s", ext)
			}
			known[ext] = true
		}
	}
	textures := TextureExtensions()
	for _, f := range supportedFormats() {
		if f.name != "PSD" && f.name != "Aseprite" && !slices.ContainsFunc(f.Extensions, func(ext string) bool { return slices.Contains(textures, ext) }) {
			t.Errorf("%s files are not textures", f.name)
		}
	}
	for _, ext := range textures {
		if !known[ext] {
			t.Errorf("textures have the extension %s, which no format has", ext)
		}
	}
	if jpeg := (Info{Format: "JPEG"}); !jpeg.Fits(".jpg") || jpeg.Fits(".png") || (Info{}).Fits(".png") {
		t.Error("extensions do not go with formats")
	}
}

func TestContentDecides(t *testing.T) {
	data := encodePNG(t, stdimage.NewGray(stdimage.Rect(0, 0, 1, 1)))
	for _, ext := range []string{".png", ".jpg", ".tga", ""} {
		if _, info, err := Decode(t.Context(), data, ext, maxSide); err != nil || info.Format != "PNG" || info.Fits(ext) != (ext == ".png") {
			t.Errorf("%q: info %+v, error %v", ext, info, err)
		}
	}
}

func TestGIFFrameMayBeSmallerThanTheScreen(t *testing.T) {
	m := stdimage.NewPaletted(stdimage.Rect(1, 1, 2, 2), color.Palette{color.NRGBA{R: 9, G: 8, B: 7, A: 255}})
	data := encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*stdimage.Paletted{m}, Delay: []int{0}, Config: stdimage.Config{Width: 2, Height: 2}})
	})
	got, _, err := Decode(t.Context(), data, ".gif", maxSide)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map8(2, 2, append(make([]byte, 12), 9, 8, 7, 255)), got); d != "" {
		t.Error(d)
	}
}

// TestSourceDecodingStopsWithContext checks that decoding returns the context's error, and checks
// the context at regular intervals.
func TestSourceDecodingStopsWithContext(t *testing.T) {
	big := stdimage.NewNRGBA(stdimage.Rect(0, 0, 256, 256))
	noise(big.Pix, true)
	rgba := withEXIF(encodeJPEG(t, big), exifBlock('I', 6))
	gamma := withChunk(encodePNG(t, big), "gAMA", "\x00\x01\x86\xa0")
	files := map[string][]byte{"jpeg turned": rgba, "png gamma": gamma, "bmp": encodeBMP(t, big), "tiff": encodeTIFF(t, big, nil)}
	for _, s := range samples(t) {
		files[s.name+s.ext] = s.data
	}
	for name, data := range files {
		ext := filepath.Ext(name)
		looks := countdown.New(t.Context(), math.MaxInt)
		if _, _, err := Decode(looks, data, ext, maxSide); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := math.MaxInt - looks.Left
		if n < 1 || n < len(data)/8192 { // a single read has fewer than 8192 bytes
			t.Errorf("%s: the context is checked %d times", name, n)
		}
		for left := 0; left < n; left += 1 + n/40 {
			if _, _, err := Decode(countdown.New(t.Context(), left), data, ext, maxSide); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: cancelled after %d of %d checks: error %v", name, left, n, err)
			}
		}
	}
}

func ExampleDecode() {
	// The image has two pixels, in a format that a screenshot tool might write.
	data := []byte("qoif\x00\x00\x00\x02\x00\x00\x00\x01\x03\x00\xfe\xff\x80\x00\xc0\x00\x00\x00\x00\x00\x00\x00\x01")
	m, info, err := Decode(context.Background(), data, ".qoi", 4096)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(info.Format, info.W, info.H, m.Pix8)
	// Output: QOI 2 1 [255 128 0 255 255 128 0 255]
}

func ExampleProbe() {
	_, err := Probe([]byte("version https://git-lfs.github.com/spec/v1\n"), ".png", 130, 4096)
	fmt.Println(err)
	// Output: not an image (starts with "version https://git-lfs": a Git LFS pointer; run git lfs pull)
}
