package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"math"
	"os"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/source"
)

// A picture is an image of RGBA pixels with straight alpha. 65535 represents 1.0; only Radiance
// files have larger values.
type picture struct {
	w, h int
	pix  []float32
}

// A pictureTolerance is the allowed difference of an image from its reference, in units of
// 1/255.
type pictureTolerance struct{ most, mean float64 }

// imagesDiffer describes how an image differs from the reference; "" if it does not. The colors of
// pixels that are fully transparent in both are ignored.
func (p picture) imagesDiffer(want picture, t pictureTolerance) string {
	if p.w != want.w || p.h != want.h {
		return fmt.Sprintf("size: %d x %d, want %d x %d", p.w, p.h, want.w, want.h)
	}
	names := [4]string{"red", "green", "blue", "alpha"}
	var most, sum [4]float64
	n, first := 0, -1
	for i := 0; i < len(p.pix); i += 4 {
		if p.pix[i+3] == 0 && want.pix[i+3] == 0 {
			continue
		}
		over := false
		for c := range 4 {
			w := float64(want.pix[i+c])
			d := math.Abs(float64(p.pix[i+c])-w) / 257
			d /= max(1, w/65535) // the difference is relative above 1.0
			most[c] = max(most[c], d)
			sum[c] += d
			over = over || d > t.most
		}
		if over {
			if n++; first < 0 {
				first = i / 4
			}
		}
	}
	pixels := float64(p.w * p.h)
	for c := range 4 {
		if most[c] > t.most || sum[c]/pixels > t.mean {
			return fmt.Sprintf("%s differs by up to %.4g of 255, %.3g on average, %d of %d pixels beyond %.4g, the first at x %d y %d",
				names[c], most[c], sum[c]/pixels, n, p.w*p.h, t.most, max(0, first)%p.w, max(0, first)/p.w)
		}
	}
	return ""
}

// largest is the limit for the longer side of a decoded image.
const largest = 1 << 15

// see decodes a file with our decoders and returns the stored values, without applying gamma.
func see(ctx context.Context, file string) (picture, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return picture{}, err
	}
	m, _, err := source.DecodeData(ctx, data, recipe.Ext(file), largest)
	if err != nil {
		return picture{}, err
	}
	p := picture{w: m.W, h: m.H, pix: make([]float32, 4*m.W*m.H)}
	for i := range p.pix {
		switch {
		case m.PixF != nil:
			p.pix[i] = 65535 * m.PixF[i]
		case m.Pix16 != nil:
			p.pix[i] = float32(m.Pix16[i])
		default:
			p.pix[i] = 257 * float32(m.Pix8[i])
		}
	}
	return p, nil
}

// readPNG reads a suite's reference image.
func readPNG(file string) (picture, error) {
	f, err := os.Open(file)
	if err != nil {
		return picture{}, err
	}
	defer f.Close()
	m, err := png.Decode(f)
	if err != nil {
		return picture{}, fmt.Errorf("%s: %w", file, err)
	}
	r := m.Bounds()
	p := picture{w: r.Dx(), h: r.Dy(), pix: make([]float32, 4*r.Dx()*r.Dy())}
	flat := image.NewNRGBA64(r)
	draw.Draw(flat, r, m, r.Min, draw.Src)
	if n, ok := m.(*image.NRGBA); ok { // a conversion of NRGBA images would round premultiplied colors
		for i, v := range n.Pix {
			p.pix[i] = 257 * float32(v)
		}
		return p, nil
	}
	for i := range p.pix {
		p.pix[i] = float32(binary.BigEndian.Uint16(flat.Pix[2*i:]))
	}
	return p, nil
}

// viewers are the programs that decode each kind of image, and write PAM or PFM. Each program has
// its own bugs. If the output of the first program differs from ours, the next program is tried.
var viewers = map[string][][]string{
	"PNG":  {{"convert-im6.q16", "png:FILE[0]", "-depth", "16", "PAM:-"}},
	"GIF":  {{"convert-im6.q16", "gif:FILE[0]", "-coalesce", "-depth", "16", "PAM:-"}},
	"BMP":  {{"convert-im6.q16", "bmp:FILE", "-depth", "16", "PAM:-"}, {"gm", "convert", "bmp:FILE", "-depth", "16", "PAM:-"}},
	"TGA":  {{"convert-im6.q16", "tga:FILE", "-auto-orient", "-depth", "16", "PAM:-"}, {"gm", "convert", "tga:FILE", "-depth", "16", "PAM:-"}, ffmpegPicture},
	"TIFF": {{"convert-im6.q16", "tiff:FILE[0]", "-auto-orient", "-colorspace", "sRGB", "-depth", "16", "PAM:-"}, {"gm", "convert", "tiff:FILE[0]", "-auto-orient", "-colorspace", "RGB", "-depth", "16", "PAM:-"}, ffmpegPicture},
	"JPEG": {{"convert-im6.q16", "-define", "jpeg:dct-method=islow", "jpeg:FILE", "-auto-orient", "-colorspace", "sRGB", "-depth", "16", "PAM:-"}},
	"WebP": {{"dwebp", "-quiet", "-pam", "FILE", "-o", "-"}, uprightWebP},
	"QOI":  {ffmpegPicture},
	"HDR":  {{"convert-im6.q16hdri", "hdr:FILE", "-strip", "+set", "comment", "-set", "colorspace", "sRGB", "PFM:-"}},
}

var ffmpegPicture = []string{"ffmpeg", "-nostdin", "-v", "error", "-i", "FILE", "-frames:v", "1", "-pix_fmt", "rgba", "-c:v", "pam", "-f", "image2pipe", "-"}

// uprightWebP rotates the output of dwebp upright, because dwebp ignores the orientation.
var uprightWebP = []string{"sh", "-c", `dwebp -quiet -pam "$0" -o - | convert-im6.q16 PAM:- -orient "$(identify-im6.q16 -format '%[orientation]' "$0")" -auto-orient -depth 16 PAM:-`, "FILE"}

// view decodes a file with a viewer. The complaint is empty if the viewer accepts the file as
// valid.
func view(ctx context.Context, viewer []string, file string) (p picture, complaint string, err error) {
	ref := runProgram(ctx, viewer, file)
	if ref.missing != nil {
		return p, "", ref.missing
	}
	p, err = readAny(ref.out)
	return p, ref.complaintWith(err), nil
}

// readAny reads the output of a viewer.
func readAny(b []byte) (picture, error) {
	if bytes.HasPrefix(b, []byte("PF\n")) {
		return readPFM(b)
	}
	return readPAM(b)
}

// readPFM reads big-endian floats, with the bottom row first.
func readPFM(b []byte) (picture, error) {
	var p picture
	var scale string
	r := bytes.NewReader(b)
	if _, err := fmt.Fscanf(r, "PF\n%d %d\n%s\n", &p.w, &p.h, &scale); err != nil {
		return p, err
	}
	b = b[len(b)-r.Len():]
	if p.w < 1 || p.h < 1 || len(b) < 12*p.w*p.h || scale != "1.0" {
		return p, fmt.Errorf("PFM of %d x %d and scale %s with %d bytes", p.w, p.h, scale, len(b))
	}
	p.pix = make([]float32, 4*p.w*p.h)
	for y := range p.h {
		for x := range p.w {
			to, from := p.pix[4*(y*p.w+x):], b[12*((p.h-1-y)*p.w+x):]
			for c := range 3 {
				to[c] = 65535 * math.Float32frombits(binary.BigEndian.Uint32(from[4*c:]))
			}
			to[3] = 65535
		}
	}
	return p, nil
}

// readPAM reads PAM files with 1 to 4 channels.
func readPAM(b []byte) (picture, error) {
	r := bufio.NewReader(bytes.NewReader(b))
	var p picture
	var magic string
	depth, most := 0, 0
	if _, err := fmt.Fscanln(r, &magic); err != nil || magic != "P7" {
		return p, errors.New("no PAM")
	}
	for {
		var key string
		if _, err := fmt.Fscan(r, &key); err != nil {
			return p, err
		}
		var err error
		switch key {
		case "WIDTH":
			_, err = fmt.Fscan(r, &p.w)
		case "HEIGHT":
			_, err = fmt.Fscan(r, &p.h)
		case "DEPTH":
			_, err = fmt.Fscan(r, &depth)
		case "MAXVAL":
			_, err = fmt.Fscan(r, &most)
		case "ENDHDR":
			_, err = r.ReadByte()
		}
		if err != nil {
			return p, err
		}
		if key == "ENDHDR" {
			break
		}
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		return p, err
	}
	size := 1
	if most > 255 {
		size = 2
	}
	if depth < 1 || depth > 4 || p.w < 1 || p.h < 1 || len(rest) < p.w*p.h*depth*size {
		return p, fmt.Errorf("PAM of %d x %d x %d with %d bytes", p.w, p.h, depth, len(rest))
	}
	p.pix = make([]float32, 4*p.w*p.h)
	at := func(i int) float32 {
		if size == 2 {
			return float32(float64(binary.BigEndian.Uint16(rest[2*i:])) * 65535 / float64(most))
		}
		return float32(float64(rest[i]) * 65535 / float64(most))
	}
	for i := range p.w * p.h {
		to, from := p.pix[4*i:4*i+4], i*depth
		to[3] = 65535
		switch depth {
		case 2:
			to[3] = at(from + 1)
			fallthrough
		case 1:
			to[0], to[1], to[2] = at(from), at(from), at(from)
		case 4:
			to[3] = at(from + 3)
			fallthrough
		case 3:
			to[0], to[1], to[2] = at(from), at(from+1), at(from+2)
		}
	}
	return p, nil
}
