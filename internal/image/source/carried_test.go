package source

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	stdimage "image"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/notcarried"
)

// A carried is a file with some content in addition to its pixels, and the same file without this
// content.
type carried struct {
	notcarried.Row
	ext        string
	with, bare []byte
	message    string // part of the expected warning, or "" for no warning
}

// carriedSamples returns a file for each row of the table in docs/not-carried-over.md.
func carriedSamples(t *testing.T) (all []carried) {
	m := stdimage.NewNRGBA(stdimage.Rect(0, 0, 3, 2))
	noise(m.Pix, true)
	still, photo := encodePNG(t, m), encodeJPEG(t, m)
	bare := map[string][]byte{"PNG": still, "JPEG": photo, "TIFF": encodeTIFF(t, m, nil), "WebP": webpSamples(t)[1].data}
	for _, s := range samples(t) {
		if bare[s.name] == nil {
			bare[s.name] = s.data
		}
	}
	const kept, warned, noMeaning = notcarried.Kept, notcarried.Warned, notcarried.NoMeaning
	add := func(part string, fate notcarried.Fate, why, ext, message string, with, without []byte) {
		all = append(all, carried{notcarried.Row{Part: part, Fate: fate, Why: why}, ext, with, without, message})
	}
	png := func(content string, fate notcarried.Fate, why, chunk, body, message string) {
		add("PNG: "+content, fate, why, ".png", message, withChunk(still, chunk, body), still)
	}
	gray := encodePNG(t, stdimage.NewGray(stdimage.Rect(0, 0, 3, 2)))
	add("PNG: `tRNS`", kept, "as alpha", ".png", "", withChunk(gray, "tRNS", "\x00\x00"), gray)
	png("`gAMA`", kept, "converted to sRGB, unless the image is data or a glTF names it", "gAMA", long(100000), "")
	png("`eXIf`: orientation", kept, "", "eXIf", string(exifBlock('M', 3)[6:]), "")
	png("`iCCP`", warned, "unless it is sRGB", "iCCP", "Wide\x00\x00", "ICC profile")
	png("`cICP`", warned, "unless it is sRGB", "cICP", "\x09\x10\x00\x01", "cICP")
	png("`cHRM`", warned, "unless it has the primaries of sRGB", "cHRM", long(31270, 32900, 70800, 29200, 17000, 79700, 13100, 4600), "cHRM")
	png("`cHRM` of zeros, which has no meaning", noMeaning, "", "cHRM", string(make([]byte, 32)), "")
	png("`acTL`: frames", warned, "the texture has the first frame. Kept with [`frames = \"sheet\"`](recipes/image.md#animations)", "acTL", long(4, 0), "4 frames")
	png("`sBIT`, `pHYs`, `bKGD`, `tIME`, texts", noMeaning, "", "pHYs", long(2835, 2835)+"\x01", "")

	segment := func(content string, fate notcarried.Fate, why string, marker byte, body []byte, message string) {
		add("JPEG: "+content, fate, why, ".jpg", message, withSegment(photo, marker, body), photo)
	}
	segment("Exif: orientation", kept, "", 0xe1, exifBlock('I', 3), "")
	segment("ICC profile", warned, "unless it is sRGB", 0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), profile("desc", "Wide")...), `ICC profile "Wide"`)
	segment("more images (MPF)", warned, "the texture has the first image", 0xe2, []byte("MPF\x00II*\x00\x08\x00\x00\x00\x01\x00\x01\xb0\x04\x00\x01\x00\x00\x00\x02\x00\x00\x00"), "2 frames")
	segment("comment, XMP, thumbnail", noMeaning, "", 0xfe, []byte("made by hand"), "")

	gif := bare["gif"]
	frame := gif[bytes.IndexByte(gif, 0x2c) : len(gif)-1]
	add("GIF: frames", warned, "the texture has the first frame. Kept with `frames = \"sheet\"`", ".gif", "2 frames", append(append(bytes.Clone(gif[:len(gif)-1]), frame...), ';'), gif)
	add("GIF: comment, loop count", noMeaning, "the count is kept with `frames = \"sheet\"`", ".gif", "", append(append(bytes.Clone(gif[:len(gif)-1]), "\x21\xfe\x02hi\x00"...), ';'), gif)

	bmp := make([]byte, 138)
	copy(bmp, bare["bmp"][:54])
	copy(bmp[10:], "\x8a\x00\x00\x00\x7c")
	bmp = append(bmp, bare["bmp"][54:]...)
	wide := bytes.Clone(bmp)
	copy(wide[70:], "DEBM")
	binary.LittleEndian.PutUint32(wide[126:], uint32(len(wide)-14))
	icc := profile("desc", "Wide")
	binary.LittleEndian.PutUint32(wide[130:], uint32(len(icc)))
	add("BMP: ICC profile", warned, "unless it is sRGB", ".bmp", `ICC profile "Wide"`, append(wide, icc...), bmp)

	tiff := bare["TIFF"]
	at, le := binary.LittleEndian.Uint32(tiff[4:]), binary.LittleEndian
	chained := func(tag uint16) []byte { // file with a second directory, which has one more tag
		second := addTIFFTag(tiff, tag, 1)
		out := bytes.Clone(second)
		le.PutUint32(out[4:], at)
		le.PutUint32(out[int(at)+2+12*int(le.Uint16(out[at:])):], le.Uint32(second[4:]))
		return out
	}
	add("TIFF: pages", warned, "the texture has the first page", ".tif", "2 frames", chained(0xfff0), tiff)
	add("TIFF: preview (a directory of reduced size)", noMeaning, "", ".tif", "", chained(254), tiff)
	add("TIFF: orientation", kept, "", ".tif", "", addTIFFTag(tiff, 274, 3), tiff)
	extra := append(bytes.Clone(tiffOf(6, 8, 1)), make([]byte, 6)...)
	add("TIFF: samples beyond alpha", warned, "", ".tif", "2 samples", extra, nil)
	add("TIFF: whole numbers of 32 bits: the lower 16", warned, "", ".tif", "only the upper 16 bits are kept", append(tiffOf(1, 32, 1), make([]byte, 4)...), nil)
	add("TIFF: resolution, texts, coordinates of maps", noMeaning, "", ".tif", "", addTIFFTag(tiff, 0xfff0, 1), tiff)

	webp := bare["WebP"]
	add("WebP: frames", warned, "the texture has the first frame. Kept with `frames = \"sheet\"`", ".webp", "3 frames", animatedWebP(t, 8, 8, 0, 0, 0), nil)
	add("WebP: ICC profile", warned, "unless it is sRGB", ".webp", `ICC profile "Wider"`, webpWithNotes(webp), webp)
	add("WebP: EXIF: orientation", kept, "", ".webp", "", webpWithNotes(webp), webp)

	tga := bare["tga"]
	area := append(bytes.Clone(tga), make([]byte, 495)...)
	area = append(le.AppendUint32(area, uint32(len(tga))), "\x00\x00\x00\x00TRUEVISION-XFILE.\x00"...)
	premultiplied := bytes.Clone(area)
	premultiplied[len(tga)+494] = 4
	add("TGA: colors that are multiplied by alpha", kept, "made straight", ".tga", "", premultiplied, tga)
	add("TGA: extension and developer area", noMeaning, "", ".tga", "", area, tga)

	linear := bytes.Clone(bare["qoi"])
	linear[13] = 1
	add("QOI: linear light", warned, "", ".qoi", "linear light", linear, bare["qoi"])

	light := func(line string) []byte {
		return []byte("#?RADIANCE\n" + line + "\n-Y 1 +X 1\n\x80\x80\x80\x81")
	}
	add("HDR: `EXPOSURE`, `COLORCORR`, `GAMMA`", kept, "", ".hdr", "", light("EXPOSURE=2\n"), light(""))
	add("HDR: `PRIMARIES`", warned, "unless they are the primaries of sRGB", ".hdr", "primaries", light("PRIMARIES=0.7 0.3 0.2 0.7 0.1 0.1 0.3 0.3\n"), light(""))
	add("HDR: comments", noMeaning, "", ".hdr", "", light("# made by hand\n"), light(""))

	add("EXR: `chromaticities`", warned, "unless they are the primaries of sRGB", ".exr", "chromaticities", exrHead("BGR", 0, "chromaticities"), nil)
	add("EXR: channels of other layers", warned, "", ".exr", "2 other channels", exrHead("BGRYZ", 0, ""), nil)
	add("EXR: parts", warned, "the texture has the first part", ".exr", "2 parts", exrHead("BGR", 2, ""), nil)
	add("EXR: numbers below 0, infinite ones, NaN", warned, "for data; for colors, `cook why` counts them", ".exr", "1 values below 0 were set to 0", encodeEXR(2, 1, 0, 0, 0x3800, 0, 0x4000, 0x3c00, 0xbc00), nil)

	psd := func(channels byte) []byte {
		head := append([]byte("8BPS\x00\x01\x00\x00\x00\x00\x00\x00\x00"), channels)
		head = append(head, "\x00\x00\x00\x01\x00\x00\x00\x02\x00\x08\x00\x03"...)
		return append(append(head, make([]byte, 14)...), make([]byte, 2*int(channels))...)
	}
	add("PSD: channels beyond alpha", warned, "", ".psd", "2 channels", psd(6), nil)

	sprite := onePixelHigh()
	frames := bytes.Clone(sprite)
	frames[6] = 3
	add("Aseprite: frames", warned, "the texture has the first frame", ".aseprite", "3 frames", frames, sprite)
	ratio := bytes.Clone(sprite)
	ratio[34], ratio[35] = 2, 1
	add("Aseprite: pixels that are not square", warned, "", ".aseprite", "2:1", ratio, sprite)
	tags := append(bytes.Clone(sprite), "\x0c\x00\x00\x00\x18\x20\x00\x00\x00\x00\x00\x00"...)
	tags[128], tags[134] = 74+12, 3
	add("Aseprite: tags, slices, user data", noMeaning, "", ".aseprite", "", tags, sprite)
	return all
}

// tiffOf returns the start of a TIFF file of one pixel, up to its strip.
func tiffOf(samples, bits, format uint32) []byte {
	le := binary.LittleEndian
	tags := [][3]uint32{{256, 3, 1}, {257, 3, 1}, {258, 3, bits}, {262, 3, 1}, {273, 4, 0}, {277, 3, samples}, {278, 3, 1}, {279, 4, samples * bits / 8}, {339, 3, format}}
	if samples > 1 {
		tags[3][2] = 2
	}
	data := le.AppendUint32([]byte("II*\x00"), 8)
	data = le.AppendUint16(data, uint16(len(tags)))
	tags[4][2] = uint32(8 + 2 + 12*len(tags) + 4)
	for _, tag := range tags {
		data = le.AppendUint16(le.AppendUint16(data, uint16(tag[0])), uint16(tag[1]))
		data = le.AppendUint32(le.AppendUint32(data, 1), tag[2])
	}
	return append(data, 0, 0, 0, 0)
}

// exrHead returns the header of an image of one pixel, with the given number of parts and an extra
// attribute. Each letter of channels names a channel.
func exrHead(channels string, parts int, extra string) []byte {
	le := binary.LittleEndian
	file := []byte("\x76\x2f\x31\x01\x02\x00\x00\x00")
	if parts > 1 {
		file[5] = 0x10
	}
	for part := range max(1, parts) {
		attribute := func(name, kind string, value []byte) {
			file = append(le.AppendUint32(append(file, name+"\x00"+kind+"\x00"...), uint32(len(value))), value...)
		}
		var list []byte
		for _, c := range channels {
			list = append(list, string(c)+"\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00"...)
		}
		attribute("channels", "chlist", append(list, 0))
		attribute("compression", "compression", []byte{0})
		attribute("dataWindow", "box2i", make([]byte, 16))
		attribute("displayWindow", "box2i", make([]byte, 16))
		attribute("lineOrder", "lineOrder", []byte{0})
		attribute("pixelAspectRatio", "float", le.AppendUint32(nil, math.Float32bits(1)))
		attribute("screenWindowCenter", "v2f", make([]byte, 8))
		attribute("screenWindowWidth", "float", le.AppendUint32(nil, math.Float32bits(1)))
		if parts > 1 {
			attribute("name", "string", []byte{'a' + byte(part)})
			attribute("type", "string", []byte("scanlineimage"))
			attribute("chunkCount", "int", le.AppendUint32(nil, 1))
		}
		if extra != "" {
			var values []byte
			for _, v := range []float32{0.7, 0.3, 0.2, 0.7, 0.1, 0.1, 0.3, 0.3} {
				values = le.AppendUint32(values, math.Float32bits(v))
			}
			attribute(extra, extra, values)
		}
		file = append(file, 0)
	}
	if parts > 1 {
		file = append(file, 0)
	}
	return append(file, make([]byte, 100)...)
}

// TestContentBesidePixelsIsKeptOrWarnedOf checks the table in the documentation that says how
// content of a file other than pixels is treated. There is a sample file for each row.
func TestContentBesidePixelsIsKeptOrWarnedOf(t *testing.T) {
	var rows []notcarried.Row
	for _, c := range carriedSamples(t) {
		rows = append(rows, c.Row)
		checkCarried(t, c)
	}
	notcarried.CheckTable(t, "../../../docs/not-carried-over.md", "images", rows)
}

// checkCarried checks that the content is kept, or that a warning is printed.
func checkCarried(t *testing.T, c carried) {
	t.Helper()
	row := c.Part
	probed, err := Probe(c.with, c.ext, int64(len(c.with)), maxSide)
	if err != nil {
		t.Errorf("%s: %v", row, err)
		return
	}
	m, info, err := DecodeData(t.Context(), c.with, c.ext, maxSide)
	if err != nil {
		info = probed // some samples consist of only a header
	}
	said := strings.Join(append(append([]string{info.Profile}, info.Notes...), info.Lost...), "\n")
	if info.Frames > 1 {
		said += "\n" + strings.TrimSpace(strings.Join([]string{itoa(info.Frames), "frames"}, " "))
	}
	same := func() bool {
		plain, was, err := DecodeData(t.Context(), c.bare, c.ext, maxSide)
		return err == nil && m != nil && was.Gamma == info.Gamma && equalMaps(plain, m)
	}
	switch c.Fate {
	case notcarried.Warned:
		if c.message == "" || !strings.Contains(said, c.message) {
			t.Errorf("%s: it says %q, want %q", row, said, c.message)
		}
	case notcarried.Kept:
		if same() {
			t.Errorf("%s: it changes no pixel", row)
		}
	case notcarried.NoMeaning:
		if !same() || strings.TrimSpace(said) != "" {
			t.Errorf("%s: it is not without effect; it says %q", row, said)
		}
	default:
		t.Errorf("%s: unknown fate %q", row, c.Fate)
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

func equalMaps(a, b *pixmap.Map) bool {
	return a.W == b.W && a.H == b.H && slices.Equal(a.Pix8, b.Pix8) && slices.Equal(a.Pix16, b.Pix16) && slices.Equal(a.PixF, b.PixF)
}
