package source

import (
	"bytes"
	"encoding/binary"
	"errors"
	stdimage "image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"image/gif"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/internal/image/imagetest"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/webp"
)

// A drawnFrame is a frame of an animation that a test draws.
type drawnFrame struct {
	m        stdimage.Image // pixels of the frame; their bounds are its position on the canvas
	over     bool
	disposal disposal
	delay    int // duration in the unit of the format
}

// randomFrames draws frames at random positions of a canvas of w by h pixels. Positions are even,
// as WebP requires. The first frame fills the canvas.
func randomFrames(r *rand.Rand, n, w, h int, wide bool) (all []drawnFrame) {
	for i := range n {
		x, y := 0, 0
		fw, fh := w, h
		if i > 0 {
			x, y = r.IntN(w)&^1, r.IntN(h)&^1
			fw, fh = 1+r.IntN(w-x), 1+r.IntN(h-y)
		}
		f := drawnFrame{over: r.IntN(3) > 0, disposal: disposal(r.IntN(3)), delay: r.IntN(30)}
		if i == 0 && f.disposal == restoreFrame { // formats interpret restoreFrame differently in the first frame
			f.disposal = clearFrame
		}
		bounds := stdimage.Rect(x, y, x+fw, y+fh)
		if wide {
			m := stdimage.NewNRGBA64(bounds)
			for i := range m.Pix {
				m.Pix[i] = byte(r.Uint32())
			}
			m.Pix[6] = 99 // one translucent pixel, because encoders write opaque images without alpha
			f.m = m
		} else {
			m := stdimage.NewNRGBA(bounds)
			for i := range m.Pix {
				m.Pix[i] = byte(r.Uint32())
			}
			for i := 3; i < len(m.Pix); i += 4 { // makes many pixels opaque or invisible
				if v := r.IntN(3); v < 2 {
					m.Pix[i] = byte(255 * v)
				}
			}
			m.Pix[3] = 99
			f.m = m
		}
		all = append(all, f)
	}
	return all
}

// compose draws the frames with package image/draw, and returns the canvas after each frame.
func compose(w, h int, frames []drawnFrame) (all []*stdimage.RGBA64) {
	canvas := stdimage.NewRGBA64(stdimage.Rect(0, 0, w, h))
	for _, f := range frames {
		before := stdimage.NewRGBA64(canvas.Rect)
		copy(before.Pix, canvas.Pix)
		op := draw.Src
		if f.over {
			op = draw.Over
		}
		draw.Draw(canvas, f.m.Bounds(), f.m, f.m.Bounds().Min, op)
		shown := stdimage.NewRGBA64(canvas.Rect)
		copy(shown.Pix, canvas.Pix)
		all = append(all, shown)
		switch f.disposal {
		case clearFrame:
			draw.Draw(canvas, f.m.Bounds(), stdimage.Transparent, stdimage.Point{}, draw.Src)
		case restoreFrame:
			canvas = before
		}
	}
	return all
}

// apngOf returns an animated PNG. If cover is set, the first image of the file is not a frame.
func apngOf(t testing.TB, w, h, plays int, frames []drawnFrame, cover bool) []byte {
	be := binary.BigEndian
	var file []byte
	number := uint32(0)
	if cover {
		still := encodePNG(t, stdimage.NewNRGBA(stdimage.Rect(0, 0, w, h)))
		if _, wide := frames[0].m.(*stdimage.NRGBA64); wide {
			still = encodePNG(t, stdimage.NewNRGBA64(stdimage.Rect(0, 0, w, h)))
		}
		file = still[:len(still)-12]
		file = withChunk(file, "acTL", string(be.AppendUint32(be.AppendUint32(nil, uint32(len(frames))), uint32(plays))))
	}
	for i, f := range frames {
		still := encodePNG(t, f.m)
		if file == nil {
			file = withChunk(still[:33], "acTL", string(be.AppendUint32(be.AppendUint32(nil, uint32(len(frames))), uint32(plays))))
		}
		b := f.m.Bounds()
		control := be.AppendUint32(nil, number)
		for _, v := range []int{b.Dx(), b.Dy(), b.Min.X, b.Min.Y} {
			control = be.AppendUint32(control, uint32(v))
		}
		control = be.AppendUint16(be.AppendUint16(control, uint16(f.delay)), 100)
		control = append(control, byte(f.disposal), 0)
		if f.over {
			control[25] = 1
		}
		file = appendPNGChunk(file, "fcTL", control)
		number++
		for at := 8; at < len(still); {
			length := int(be.Uint32(still[at:]))
			body := still[at+8 : at+8+length]
			switch {
			case string(still[at+4:at+8]) != "IDAT":
			case i == 0 && !cover:
				file = appendPNGChunk(file, "IDAT", body)
			default:
				// The pixels of a frame are in two chunks.
				for _, part := range [][]byte{body[:length/2], body[length/2:]} {
					file = appendPNGChunk(file, "fdAT", be.AppendUint32(nil, number), part)
					number++
				}
			}
			at += 12 + length
		}
	}
	return appendPNGChunk(file, "IEND")
}

// webpOf returns a lossless animated WebP file.
func webpOf(t testing.TB, w, h, plays int, frames []drawnFrame) []byte {
	le := binary.LittleEndian
	put24 := func(b []byte, v int) []byte { return append(b, byte(v), byte(v>>8), byte(v>>16)) }
	file := append([]byte("RIFF____WEBPVP8X"), 10, 0, 0, 0, webpAnimated|1<<4, 0, 0, 0)
	file = put24(put24(file, w-1), h-1)
	file = append(append(file, "ANIM\x06\x00\x00\x00\xff\x00\xff\xff"...), byte(plays), byte(plays>>8))
	for _, f := range frames {
		b := f.m.Bounds()
		m := &pixmap.Map{W: b.Dx(), H: b.Dy(), Pix8: f.m.(*stdimage.NRGBA).Pix}
		var still bytes.Buffer
		if err := webp.Encode(t.Context(), &still, m, false); err != nil {
			t.Fatal(err)
		}
		var body []byte
		for _, v := range []int{b.Min.X / 2, b.Min.Y / 2, b.Dx() - 1, b.Dy() - 1, f.delay} {
			body = put24(body, v)
		}
		flags := byte(0)
		if !f.over {
			flags |= 2
		}
		if f.disposal == clearFrame {
			flags |= 1
		}
		body = append(append(body, flags), still.Bytes()[12:]...)
		file = append(append(le.AppendUint32(append(file, "ANMF"...), uint32(len(body))), body...), make([]byte, len(body)&1)...)
	}
	le.PutUint32(file[4:], uint32(len(file)-8))
	return file
}

// checkFrames compares the frames of a file with the expected canvases. Both have premultiplied
// colors.
func checkFrames(t *testing.T, a Animation, want []*stdimage.RGBA64, slack int) {
	t.Helper()
	if len(a.Frames) != len(want) {
		t.Fatalf("%d frames, want %d", len(a.Frames), len(want))
	}
	for i, f := range a.Frames {
		m := a.Images[f.Image]
		for p := range m.W * m.H {
			var got color.NRGBA64
			if m.Pix16 != nil {
				got = color.NRGBA64{R: m.Pix16[4*p], G: m.Pix16[4*p+1], B: m.Pix16[4*p+2], A: m.Pix16[4*p+3]}
			} else {
				r := [4]uint16{}
				for c := range r {
					r[c] = uint16(m.Pix8[4*p+c]) * 257
				}
				got = color.NRGBA64{R: r[0], G: r[1], B: r[2], A: r[3]}
			}
			gr, gg, gb, ga := got.RGBA()
			wr, wg, wb, wa := want[i].At(p%m.W, p/m.W).RGBA()
			for c, d := range []int{int(gr) - int(wr), int(gg) - int(wg), int(gb) - int(wb), int(ga) - int(wa)} {
				if d < -slack || d > slack {
					t.Fatalf("frame %d, pixel %d, %d: channel %d differs by %d of 65535", i, p%m.W, p/m.W, c, d)
				}
			}
		}
	}
}

// TestFramesAreComposedAsTheFormatSays checks that each decoded frame equals the canvas after all
// frames up to this one are drawn. Disposal and blending must follow the format.
func TestFramesAreComposedAsTheFormatSays(t *testing.T) {
	const w, h = 14, 10
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		// Values are rounded to 8 bits after each frame, so errors accumulate to a few 8-bit steps.
		// A step is 257 in 16 bits.
		const narrow, wide = 4 * 257, 16
		frames := randomFrames(r, 6, w, h, false)
		decode := func(data []byte, slack int) {
			t.Helper()
			a, info, err := DecodeAnimation(t.Context(), data, "", maxSide, 100, false)
			if err != nil || info.Frames != 6 || a.Plays != 3 {
				t.Fatalf("seed %d: %d frames, %d plays, error %v", seed, info.Frames, a.Plays, err)
			}
			checkFrames(t, a, compose(w, h, frames), slack)
			for i, f := range frames {
				unit := 10
				if info.Format == "WebP" {
					unit = 1
				}
				if got := a.Frames[i].Milliseconds; got != shownMilliseconds(f.delay*unit) {
					t.Errorf("%s: frame %d takes %d ms, want %d", info.Format, i, got, f.delay*unit)
				}
			}
		}
		decode(apngOf(t, w, h, 3, frames, seed%2 == 0), narrow)
		for i := range frames {
			if frames[i].disposal == restoreFrame { // WebP does not have this disposal
				frames[i].disposal = clearFrame
			}
		}
		decode(webpOf(t, w, h, 3, frames), narrow)
		frames = randomFrames(r, 6, w, h, true)
		decode(apngOf(t, w, h, 3, frames, seed%2 == 1), wide)
	}
}

// randomGIF returns a GIF with frames at random positions, with all disposals and with transparent
// pixels.
func randomGIF(t testing.TB, r *rand.Rand, w, h int) []byte {
	g := gif.GIF{LoopCount: 2, Config: stdimage.Config{Width: w, Height: h}}
	colors := append(color.Palette{color.RGBA{}}, palette.WebSafe[:200]...)
	for range 6 {
		x, y := r.IntN(w), r.IntN(h)
		m := stdimage.NewPaletted(stdimage.Rect(x, y, x+1+r.IntN(w-x), y+1+r.IntN(h-y)), colors)
		for i := range m.Pix {
			m.Pix[i] = byte(r.IntN(len(colors)))
			if r.IntN(2) == 0 {
				m.Pix[i] = 0
			}
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, m), append(g.Delay, r.IntN(30)), append(g.Disposal, byte(r.IntN(4)))
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFramesOfGIFAgreeWithItsDecoder compares the frames of a GIF with frames of package image/gif
// that are drawn over each other.
func TestFramesOfGIFAgreeWithItsDecoder(t *testing.T) {
	for seed := range uint64(60) {
		data := randomGIF(t, rand.New(rand.NewPCG(seed, 2)), 13, 9)
		a, _, err := DecodeAnimation(t.Context(), data, "", maxSide, 100, false)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := gif.DecodeAll(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var frames []drawnFrame
		for i, m := range decoded.Image {
			frames = append(frames, drawnFrame{m: m, over: true, disposal: map[byte]disposal{2: clearFrame, 3: restoreFrame}[decoded.Disposal[i]]})
			if got := a.Frames[i].Milliseconds; got != shownMilliseconds(10*decoded.Delay[i]) {
				t.Errorf("frame %d takes %d ms, want %d", i, got, 10*decoded.Delay[i])
			}
		}
		if a.Plays != decoded.LoopCount+1 {
			t.Errorf("%d plays, want %d", a.Plays, decoded.LoopCount+1)
		}
		checkFrames(t, a, compose(13, 9, frames), 0)
	}
}

func TestEqualFramesShareAnImage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	frames := randomFrames(r, 2, 8, 8, false)
	for i := range frames {
		frames[i].m, frames[i].over, frames[i].disposal = randomFrames(r, 1, 8, 8, false)[0].m, false, leaveFrame
	}
	frames = append(frames, frames[0], frames[1], frames[1])
	a, _, err := DecodeAnimation(t.Context(), apngOf(t, 8, 8, 0, frames, false), "", maxSide, 2, false)
	if err != nil || len(a.Images) != 2 || a.Plays != 0 {
		t.Fatalf("%d images, %d plays, error %v", len(a.Images), a.Plays, err)
	}
	for i, want := range []int{0, 1, 0, 1, 1} {
		if a.Frames[i].Image != want {
			t.Errorf("frame %d has image %d, want %d", i, a.Frames[i].Image, want)
		}
	}
	var many *ImagesError
	if _, _, err := DecodeAnimation(t.Context(), apngOf(t, 8, 8, 0, frames, false), "", maxSide, 1, false); !errors.As(err, &many) || many.Frames != 5 {
		t.Errorf("error %v, want an ImagesError of 5 frames", err)
	}
}

// TestStillImageHasOneFrame checks that a file without an animation has one frame, which is the
// image that Decode returns.
func TestStillImageHasOneFrame(t *testing.T) {
	for _, s := range samples(t) {
		a, info, err := DecodeAnimation(t.Context(), s.data, s.ext, maxSide, 1, true)
		m, want, err2 := Decode(t.Context(), s.data, s.ext, maxSide)
		if err != nil || err2 != nil || len(a.Images) != 1 || len(a.Frames) != 1 || !equalMaps(a.Images[0], m) || info.Format != want.Format {
			t.Errorf("%s: %d images, %d frames, errors %v, %v", s.name, len(a.Images), len(a.Frames), err, err2)
		}
	}
}

func TestDamagedAnimationsAreRefused(t *testing.T) {
	frames := randomFrames(rand.New(rand.NewPCG(5, 5)), 3, 8, 8, false)
	good := apngOf(t, 8, 8, 0, frames, false)
	at := func(name string, last bool) int {
		if last {
			return bytes.LastIndex(good, []byte(name))
		}
		return bytes.Index(good, []byte(name))
	}
	edit := func(i int, b byte) []byte {
		bad := bytes.Clone(good)
		bad[i] ^= b
		return bad
	}
	animated := webpOf(t, 8, 8, 0, frames)
	off := bytes.Clone(animated)
	off[bytes.LastIndex(off, []byte("ANMF"))+8] = 9
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"checksum", edit(at("fdAT", true)+9, 1), "the checksum of a chunk fdAT is wrong"},
		{"cut off", good[:len(good)-40], "truncated"},
		{"one frame is missing", withoutLastFrame(good), "declares 3 frames but has 2"},
		{"off the canvas", off, "does not fit on the canvas of 8 x 8"},
		{"many frames", imagetest.GIFFrames(maxFrames + 1), "more than 16384 frames"},
	} {
		if _, _, err := DecodeAnimation(t.Context(), c.data, "", maxSide, 100, false); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// withoutLastFrame removes the last frame from an animated PNG.
func withoutLastFrame(data []byte) []byte {
	i := bytes.LastIndex(data, []byte("fcTL")) - 4
	return appendPNGChunk(bytes.Clone(data[:i]), "IEND")
}

// FuzzDecodeAnimation checks that any input gives an error, or frames of one size that use all
// images.
func FuzzDecodeAnimation(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 7))
	frames := randomFrames(r, 4, 8, 6, false)
	f.Add(apngOf(f, 8, 6, 1, frames, true))
	f.Add(apngOf(f, 8, 6, 1, randomFrames(r, 3, 8, 6, true), false))
	f.Add(webpOf(f, 8, 6, 1, frames))
	f.Add(randomGIF(f, r, 8, 6))
	f.Fuzz(func(t *testing.T, data []byte) {
		const side, limit = 64, 50
		a, info, err := DecodeAnimation(t.Context(), data, "", side, limit, true)
		if err != nil {
			return
		}
		if _, err := Probe(data, "", int64(len(data)), side); err != nil {
			t.Errorf("decoded, but Probe says %v", err)
		}
		used := map[int]bool{}
		for _, f := range a.Frames {
			used[f.Image] = true
			if m := a.Images[f.Image]; m.W != info.W || m.H != info.H || m.Depth() != info.Depth {
				t.Errorf("%d x %d pixels, info %+v", m.W, m.H, info)
			}
		}
		if len(used) != len(a.Images) || len(used) == 0 || len(used) > limit {
			t.Errorf("%d images, of which %d are used", len(a.Images), len(used))
		}
	})
}
