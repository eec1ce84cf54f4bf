package image

import (
	"bytes"
	"encoding/binary"
	stdimage "image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/zstd"

	"github.com/assetcook/assetcook/internal/image/texture"
	"github.com/assetcook/assetcook/internal/jobs"
)

// A rawKTX holds the VkFormat, the swizzle and the unpacked levels of a KTX2 file. The test reads
// it without the packages of this module.
type rawKTX struct {
	format  uint32
	swizzle string
	levels  [][]byte
}

func readRawKTX(t *testing.T, file []byte) rawKTX {
	t.Helper()
	word := func(at int) int { return int(binary.LittleEndian.Uint32(file[at:])) }
	raw := rawKTX{format: uint32(word(12))}
	if _, rest, ok := bytes.Cut(file, []byte("KTXswizzle\x00")); ok {
		raw.swizzle = string(rest[:4])
	}
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	for i := range word(40) {
		entry := 80 + 24*i
		level := file[word(entry):][:word(entry+8)]
		if word(44) == 2 {
			if level, err = unpack.DecodeAll(level, nil); err != nil {
				t.Fatal(err)
			}
		}
		raw.levels = append(raw.levels, level)
	}
	return raw
}

// terrain16 returns a gray image that has every 16-bit value.
func terrain16() *stdimage.Gray16 {
	m := stdimage.NewGray16(stdimage.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		m.SetGray16(i%256, i/256, color.Gray16{Y: uint16(i * 40503)})
	}
	return m
}

// grayTIFF returns a little-endian TIFF of floats in one strip.
func grayTIFF(w, h int, values []float32) []byte {
	le := binary.LittleEndian
	data := le.AppendUint32([]byte("II*\x00"), 8)
	tags := [][3]uint32{{256, 4, uint32(w)}, {257, 4, uint32(h)}, {258, 3, 32}, {259, 3, 1}, {262, 3, 1}, {273, 4, 0}, {277, 3, 1}, {278, 4, uint32(h)}, {279, 4, uint32(4 * w * h)}, {339, 3, 3}}
	tags[5][2] = uint32(8 + 2 + 12*len(tags) + 4)
	data = le.AppendUint16(data, uint16(len(tags)))
	for _, tag := range tags {
		data = le.AppendUint16(le.AppendUint16(data, uint16(tag[0])), uint16(tag[1]))
		data = le.AppendUint32(le.AppendUint32(data, 1), tag[2])
	}
	data = le.AppendUint32(data, 0)
	for _, v := range values {
		data = le.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// The test reads the texture with its own reader. It must find every height of the source, and
// smaller levels with their means.
func TestHeightsKeepTheirNumbers(t *testing.T) {
	const n = 256
	deep := terrain16()
	coarse := stdimage.NewGray(deep.Rect)
	meters := make([]float32, n*n)
	for i := range coarse.Pix {
		coarse.Pix[i] = byte(i*i>>3 + i)
		meters[i] = float32(i)*0.1371 + 0.001
	}
	deepBytes, meterBytes := make([]byte, 0, 2*n*n), make([]byte, 0, 4*n*n)
	for i := range n * n {
		deepBytes = binary.LittleEndian.AppendUint16(deepBytes, deep.Gray16At(i%n, i/n).Y)
		meterBytes = binary.LittleEndian.AppendUint32(meterBytes, math.Float32bits(meters[i]))
	}
	for _, tc := range []struct {
		file   string
		data   []byte
		format uint32 // pixel format, as a VkFormat
		want   []byte
	}{
		{"heightmap.png", encodePNG(t, deep), 70, deepBytes},
		{"heightmap.png", encodePNG(t, coarse), 9, coarse.Pix},
		{"heightmap.tif", grayTIFF(n, n, meters), 100, meterBytes},
	} {
		o := options(func(o *Image) { o.Named = "height" })
		_, res := cookTree(t, o, fstest.MapFS{tc.file: {Data: tc.data}}, tc.file)
		if res.Err != nil || len(res.Warned) > 0 {
			t.Errorf("%s: %v, warned %q", tc.file, res.Err, res.Warned)
			continue
		}
		raw := readRawKTX(t, res.Outputs[0])
		if raw.format != tc.format || raw.swizzle != "rrr1" || len(raw.levels) != 9 {
			t.Errorf("%s: VkFormat %d, swizzle %q, %d levels; want %d", tc.file, raw.format, raw.swizzle, len(raw.levels), tc.format)
			continue
		}
		if !bytes.Equal(raw.levels[0], tc.want) {
			t.Errorf("%s: heights have changed", tc.file)
		}
		if tc.format != 70 {
			continue
		}
		for i := range n * n / 4 {
			x, y, sum := i%(n/2)*2, i/(n/2)*2, 0
			for k := range 4 {
				sum += int(deep.Gray16At(x+k%2, y+k/2).Y)
			}
			if got := int(binary.LittleEndian.Uint16(raw.levels[1][2*i:])); got < sum/4-1 || got > sum/4+1 {
				t.Fatalf("pixel %d of level 1 is %d, want %d", i, got, sum/4)
			}
		}
	}
}

// prepareNoted makes the decisions about an image. It returns them with the notes of the run.
func prepareNoted(t *testing.T, o *Image, tree fstest.MapFS, name string) (s *subject, notes []string) {
	t.Helper()
	env := jobs.OfTree(Recipe(), tree, name)
	env.Note = func(line string) { notes = append(notes, line) }
	s, err := o.prepareSubject(t.Context(), jobs.New(Recipe(), env, int64(len(tree[name].Data))))
	if err != nil {
		t.Fatal(err)
	}
	return s, notes
}

// Other data of 16 bits must keep all bits. The exceptions are 8-bit values stored in 16 bits, and
// images that models use for shading.
func TestDataOfSixteenBitsKeepsThem(t *testing.T) {
	flow, wide := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 64, 64)), stdimage.NewNRGBA64(stdimage.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		flow.SetNRGBA64(i%64, i/64, color.NRGBA64{R: uint16(i * 13), G: uint16(i * 7), B: uint16(i), A: 65535})
		wide.SetNRGBA64(i%64, i/64, color.NRGBA64{R: uint16(i%256) * 257, G: uint16(i/16) * 257, B: 257 * 9, A: 65535})
	}
	mask := stdimage.NewGray16(flow.Rect)
	for i := range 64 * 64 {
		mask.SetGray16(i%64, i/64, color.Gray16{Y: uint16(i * 16)})
	}
	material := fstest.MapFS{"a.mtl": {Data: []byte("newmtl M\nmap_Pr a.png\n")}}
	for _, tc := range []struct {
		name, named, gpu string
		m                stdimage.Image
		models           fstest.MapFS
		want             texture.Format
		noted            string
	}{
		{"flow map", "data", "desktop", flow, nil, texture.RGBA16, ""},
		{"bytes", "data", "desktop", wide, nil, texture.BC7, ""},
		{"mask", "mask", "desktop", mask, nil, texture.R16, ""},
		{"table", "lut", "desktop", flow, nil, texture.RGBA16, ""},
		{"table for phones", "lut", "mobile", flow, nil, texture.RGBA16F, "16 bits per channel are reduced to 11 bits in rgba16f"},
		{"mask for phones", "mask", "mobile", mask, nil, texture.R16F, `write format = "r32f" in a rule to keep them`},
		{"flow map for the web", "data", "web", flow, nil, texture.RGBA16F, "split the channels"},
		{"shading", "data", "desktop", flow, material, texture.BC7, `data images: 16 bits per channel are reduced to 8 bits in bc7; write format = "rgba16" in a rule to keep them`},
		{"colors", "color", "desktop", flow, nil, texture.BC7, ""},
	} {
		tree := fstest.MapFS{"a.png": {Data: encodePNG(t, tc.m)}}
		for name, file := range tc.models {
			tree[name] = file
		}
		made, notes := prepareNoted(t, options(func(o *Image) { o.Named, o.GPU = tc.named, tc.gpu }), tree, "a.png")
		if made.choice.Format != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, made.choice.Format, tc.want)
		}
		if len(notes) > 1 || (len(notes) == 1) != (tc.noted != "") || !strings.Contains(strings.Join(notes, ""), tc.noted) {
			t.Errorf("%s: noted %q, want %q", tc.name, notes, tc.noted)
		}
	}
}

// Heights below 0 must cause a warning, because floats begin at 0. Light below 0 is noise of a
// renderer, and must not.
func TestHeightsBelowZeroAreWarnedOf(t *testing.T) {
	data := grayTIFF(2, 2, []float32{-3, 1, 2, 3})
	for _, tc := range []struct {
		named string
		want  string
	}{{"height", "1 values below 0 were set to 0"}, {"environment", ""}} {
		_, res := cookTree(t, options(func(o *Image) { o.Named = tc.named }), fstest.MapFS{"a.tif": {Data: data}}, "a.tif")
		if res.Err != nil || strings.Join(res.Warned, "") != tc.want {
			t.Errorf("%s: %v, warned %q, want %q", tc.named, res.Err, res.Warned, tc.want)
		}
	}
}

// Losses must be noted in few lines. Heights have a note for each directory, other images one note.
func TestLossIsNoted(t *testing.T) {
	normal := stdimage.NewNRGBA64(stdimage.Rect(0, 0, 64, 64))
	several := stdimage.NewNRGBA(normal.Rect)
	for i := range 64 * 64 {
		x, y := float64(i%64)/80-0.4, float64(i/64)/80-0.4
		unit := func(v float64) uint16 { return uint16((v + 1) * 32767.5) }
		normal.SetNRGBA64(i%64, i/64, color.NRGBA64{R: unit(x), G: unit(y), B: unit(math.Sqrt(1 - x*x - y*y)), A: 65535})
		several.SetNRGBA(i%64, i/64, color.NRGBA{R: byte(i), G: byte(i >> 4), B: byte(i * 3), A: 255})
	}
	deep := encodePNG(t, terrain16())
	for _, tc := range []struct {
		name, kind, format string
		data               []byte
		want               string
	}{
		{"normal map", "normal", "auto", encodePNG(t, normal), `normal maps: 16 bits per channel are reduced to 8 bits in bc5; write format = "rg16" in a rule to keep them`},
		{"chosen", "height", "bc4", deep, `heights in maps: 16 bits per channel are reduced to 8 bits in bc4; write format = "r16" in a rule to keep them`},
		{"web image", "height", "webp", deep, `heights in maps: 16 bits per channel are reduced to 8 bits in webp; write format = "png" in a rule to keep them in the file`},
		{"UASTC", "height", "uastc", deep, `heights in maps: 16 bits per channel are reduced to 8 bits in uastc; write format = "png" in a rule to keep them in the file`},
		{"channels", "data", "r8", encodePNG(t, several), `data images: r8 stores only red, but more channels are in use; write format = "rgba8" in a rule to keep all`},
		{"channels", "data", "rg16", encodePNG(t, normal), `data images: rg16 stores only red and green, but more channels are in use; write format = "rgba16" in a rule to keep all`},
		{"z of normals", "normal", "rg16", encodePNG(t, normal), ""},
		{"kept", "height", "r16", deep, ""},
		{"colors", "color", "webp", deep, ""},
		{"light", "color", "uastc", grayTIFF(2, 2, []float32{0, 0.5, 1, 1.5}), `images with colors above 1: uastc stores these colors as 1; write format = "bc6h" or "rgba16f" in a rule to keep them`},
		{"light", "color", "bc6h", grayTIFF(2, 2, []float32{0, 0.5, 1, 1.5}), ""},
		{"floats up to 1", "color", "uastc", grayTIFF(2, 2, []float32{0, 0.5, 1, 1}), ""},
	} {
		o := options(func(o *Image) { o.Kind, o.Format = tc.kind, tc.format })
		_, notes := prepareNoted(t, o, fstest.MapFS{"maps/a.png": {Data: tc.data}}, "maps/a.png")
		var want []string
		if tc.want != "" {
			want = []string{tc.want}
		}
		if !slices.Equal(notes, want) {
			t.Errorf("%s, %s: noted %q, want %q", tc.name, tc.format, notes, want)
		}
	}
}
