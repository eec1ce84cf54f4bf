package main

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"fmt"
	stdimage "image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/assetcook/assetcook/internal/image/imagetest"
)

// mediaStarts returns files of every kind. Some are made here; others are the test images of Go and
// golang.org/x/image, if these are found. Some of the files are invalid.
func mediaStarts(largest int64) ([]mediaFile, error) {
	starts := slices.Concat(madePictures(), madeTexts(), madeShaders())
	for _, dir := range testdataFolders() {
		found, err := picturesBelow(dir, largest)
		if err != nil {
			return nil, err
		}
		starts = append(starts, found...)
	}
	return starts, nil
}

// mediaBombs returns files that are designed to use many resources. They are not mutated, because
// the small ones resemble other files, and the rest are too large.
func mediaBombs() []mediaFile {
	var list []mediaFile
	for _, b := range imagetest.Bombs() {
		list = append(list, mediaFile{name: b.Name, ext: b.Ext, data: b.Data})
	}
	return append(list, textBombs()...)
}

// withExtension returns the files with the given extension, or all files for "".
func withExtension(starts []mediaFile, ext string) []mediaFile {
	return slices.DeleteFunc(starts, func(f mediaFile) bool { return ext != "" && f.ext != ext })
}

// testdataFolders returns the testdata directories of Go and golang.org/x/image, which it asks the
// go command for.
func testdataFolders() []string {
	var dirs []string
	if root := askGo("env", "GOROOT"); root != "" {
		dirs = append(dirs, filepath.Join(root, "src", "image"))
	}
	if dir := askGo("list", "-m", "-f", "{{.Dir}}", "golang.org/x/image"); dir != "" {
		dirs = append(dirs, dir)
	}
	return dirs
}

// askGo returns the output of a go command, or "" if it fails.
func askGo(args ...string) string {
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// picturesBelow returns the images in testdata directories that are small enough.
func picturesBelow(dir string, largest int64) ([]mediaFile, error) {
	var list []mediaFile
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(name, "testdata") {
			return err
		}
		file, packed := strings.CutSuffix(name, ".bz2")
		ext := filepath.Ext(file)
		switch ext {
		case ".jpg":
			ext = ".jpeg"
		case ".png", ".jpeg", ".gif", ".bmp", ".tiff", ".webp":
		default:
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if packed {
			if data, err = io.ReadAll(bzip2.NewReader(bytes.NewReader(data))); err != nil {
				return err
			}
		}
		if int64(len(data)) <= largest {
			list = append(list, mediaFile{name: filepath.Base(name), ext: ext, data: data})
		}
		return nil
	})
	return list, err
}

// madePictures encodes small images with every available encoder.
func madePictures() []mediaFile {
	r := rand.New(rand.NewPCG(7, 7))
	noise := func(pix []byte) {
		for i := range pix {
			pix[i] = byte(r.Uint32())
		}
	}
	bounds := stdimage.Rect(0, 0, 19, 11)
	nrgba, wide, gray := stdimage.NewNRGBA(bounds), stdimage.NewNRGBA64(bounds), stdimage.NewGray(bounds)
	ycbcr := stdimage.NewYCbCr(bounds, stdimage.YCbCrSubsampleRatio420)
	mapped := stdimage.NewPaletted(bounds, color.Palette{color.Black, color.White, color.NRGBA{R: 9, G: 8, B: 7, A: 6}})
	for _, pix := range [][]byte{nrgba.Pix, wide.Pix, gray.Pix, ycbcr.Y, ycbcr.Cb, ycbcr.Cr} {
		noise(pix)
	}
	for i := range mapped.Pix {
		mapped.Pix[i] = byte(i % 3)
	}
	var list []mediaFile
	add := func(name, ext string, encode func(io.Writer) error) {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			panic(fmt.Sprintf("media: %s: %v", name, err)) // cannot happen: the encoders support all of these
		}
		list = append(list, mediaFile{name: "made " + name, ext: ext, data: b.Bytes()})
	}
	for _, one := range []struct {
		name string
		m    stdimage.Image
	}{{"nrgba", nrgba}, {"wide", wide}, {"gray", gray}, {"mapped", mapped}} {
		add("png "+one.name, ".png", func(w io.Writer) error { return png.Encode(w, one.m) })
		add("bmp "+one.name, ".bmp", func(w io.Writer) error { return bmp.Encode(w, one.m) })
		add("tiff "+one.name, ".tiff", func(w io.Writer) error { return tiff.Encode(w, one.m, nil) })
		add("tiff packed "+one.name, ".tiff", func(w io.Writer) error {
			return tiff.Encode(w, one.m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		})
	}
	var signed bytes.Buffer
	if err := tiff.Encode(&signed, wide, nil); err == nil {
		list = append(list, mediaFile{name: "made tiff signed", ext: ".tiff", data: withSignedSamples(signed.Bytes())})
	}
	for _, m := range []stdimage.Image{ycbcr, gray} {
		add("jpeg", ".jpeg", func(w io.Writer) error { return jpeg.Encode(w, m, nil) })
	}
	add("gif", ".gif", func(w io.Writer) error {
		return gif.EncodeAll(w, &gif.GIF{Image: []*stdimage.Paletted{mapped, mapped, mapped}, Delay: []int{0, 1, 2}})
	})
	solid := "RIFF\x18\x00\x00\x00WEBPVP8L\x0c\x00\x00\x00\x2f\x3f\xc0\x0f\x00\x88\x88\x08\x00\x00\x00\x00" // 64 x 64 of one color
	list = append(list, mediaFile{name: "made webp", ext: ".webp", data: []byte(solid)})
	return append(list, madeTGA(nrgba, gray)...)
}

// withSignedSamples declares the samples of a little-endian TIFF as signed. The image file
// directory must be at the end.
func withSignedSamples(data []byte) []byte {
	le := binary.LittleEndian
	dir := le.Uint32(data[4:])
	count := le.Uint16(data[dir:])
	end := dir + 2 + 12*uint32(count)
	entry := []byte{0x53, 1, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0}
	copied := append(le.AppendUint16(nil, count+1), data[dir+2:end]...)
	copied = append(append(copied, entry...), 0, 0, 0, 0)
	le.PutUint32(data[4:], uint32(len(data)))
	return append(data, copied...)
}

// madeTGA returns TGA images with and without run-length encoding: true-color, gray and
// color-mapped.
func madeTGA(nrgba *stdimage.NRGBA, gray *stdimage.Gray) []mediaFile {
	w, h := byte(nrgba.Rect.Dx()), byte(nrgba.Rect.Dy())
	head := func(kind, depth byte) []byte { return []byte{2: kind, 12: w, 14: h, 16: depth, 17: 8} }
	packets := head(10, 32)
	for n := 0; n < int(w)*int(h); n += 11 {
		packets = append(packets, 0x80|10, byte(n), 2, 3, 4)
	}
	colors := append([]byte{1: 1, 2: 1, 5: 2, 7: 24, 12: w, 14: h, 16: 8, 17: 0}, 1, 2, 3, 4, 5, 6)
	return []mediaFile{
		{name: "made tga", ext: ".tga", data: append(head(2, 32), nrgba.Pix...)},
		{name: "made tga without a number of alpha bits", ext: ".tga", data: append([]byte{2: 2, 12: w, 14: h, 16: 32}, nrgba.Pix...)},
		{name: "made tga gray", ext: ".tga", data: append(head(3, 8), gray.Pix...)},
		{name: "made tga packets", ext: ".tga", data: packets},
		{name: "made tga mapped", ext: ".tga", data: append(colors, make([]byte, int(w)*int(h))...)},
	}
}

// madeTexts are models, JSON and color tables.
func madeTexts() []mediaFile {
	return append(madeModels(),
		mediaFile{name: "made json", ext: ".json", data: []byte(`{"a": [1, 2.5e-7, "\ud83d\ude00", null, true, {}], "b": {"c": {"d": [[[]]]}}}`)},
		mediaFile{name: "made table", ext: ".cube", data: []byte("TITLE \"a\"\nDOMAIN_MAX 2 2 2\nLUT_3D_SIZE 2\n" + strings.Repeat("0 0.5 1e-1\n", 8))},
		mediaFile{name: "made curves", ext: ".cube", data: []byte("LUT_1D_SIZE 4\nLUT_1D_INPUT_RANGE 0 1\n" + strings.Repeat("-1 0 65504\n", 4))})
}

// textBombs are documents with extreme nesting, lists or names.
func textBombs() []mediaFile {
	const size = 1 << 20
	fill := func(head, unit, tail string) []byte {
		return []byte(head + strings.Repeat(unit, size/len(unit)) + tail)
	}
	asset := `{"asset": {"version": "2.0"}, `
	return []mediaFile{
		{name: "table of words", ext: ".cube", data: fill("LUT_3D_SIZE 64\n", "0 ", "")},
		{name: "table of titles", ext: ".cube", data: fill("", "TITLE\n", "LUT_3D_SIZE 256\n0 0 0")},
		{name: "json of open lists", ext: ".json", data: fill("", "[", "")},
		{name: "json of open objects", ext: ".json", data: fill("", `{"":`, "")},
		{name: "json of lists", ext: ".json", data: fill("[", "[],", "0]")},
		{name: "json of one key", ext: ".json", data: fill("{", `"a":0,`, `"b":0}`)},
		{name: "json of one number", ext: ".json", data: fill("", "1", "")},
		{name: "gltf of objects", ext: ".gltf", data: fill(asset+`"nodes": [`, "{},", "{}]}")},
		{name: "gltf of numbers for objects", ext: ".gltf", data: fill(asset+`"nodes": [`, "0,", "0]}")},
		{name: "gltf of one long number", ext: ".gltf", data: fill(asset+`"scene": `, "1", "}")},
		{name: "gltf of one long name", ext: ".gltf", data: fill(asset+`"buffers": [{"byteLength": 1, "uri": "`, "a", `"}]}`)},
		{name: "gltf of one long key", ext: ".gltf", data: fill(asset+`"nodes": [{"`, "a", `": 0, "mesh": ""}]}`)},
		{name: "gltf of keys", ext: ".gltf", data: fill(asset+`"meshes": [{"primitives": [{"attributes": {`, `"":0,`, `"b":0}}]}]}`)},
		{name: "gltf of children", ext: ".gltf", data: fill(asset+`"nodes": [{"children": [`, "0,", "0]}]}")},
		{name: "gltf of buffers", ext: ".gltf", data: fill(asset+`"buffers": [`, `{"uri":"a","byteLength":1},`, "{}]}")},
		{name: "gltf of directories", ext: ".gltf", data: fill(asset+`"buffers": [{"byteLength": 1, "uri": "`, "a/", `"}]}`)},
		{name: "gltf of escapes", ext: ".gltf", data: fill(asset+`"buffers": [{"byteLength": 1, "uri": "data:,`, "%41", `"}]}`)},
	}
}
