package cooked

import (
	"context"
	"errors"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// A Prepared is the input of an encoder: the images and their role.
type Prepared struct {
	Role   role.Role
	Why    string        // the reason for the role
	Images []*pixmap.Map // images of the first level, resized, with the values that are encoded
	Test   float64       // lowest alpha that passes the alpha test; 0 if there is no test
}

// A Measure is the similarity of a texture to its source. Values that do not apply are NaN.
type Measure struct {
	PSNR     float64 // PSNR of the first level, in dB
	Angle    float64 // mean angle in degrees between the unit vectors of the first level
	Coverage float64 // largest change of the fraction of pixels that pass the alpha test
}

// Unmeasured returns a Measure without any values.
func Unmeasured() Measure { return Measure{math.NaN(), math.NaN(), math.NaN()} }

// Measure compares a texture of one image with its source.
func (p *Prepared) Measure(ctx context.Context, t *texture.Texture) (Measure, error) {
	found := Unmeasured()
	want := p.Images[0]
	m, err := Level(ctx, t, 0, 0)
	if err != nil {
		return found, err
	}
	if m.PixF != nil && !p.Role.Treatment().Colors { // PSNR would convert integers as sRGB colors
		if want, err = pixmap.Convert(ctx, want, pixmap.Float, pixmap.Data); err != nil {
			return found, err
		}
	}
	db, err := PSNR(ctx, t, m, want)
	if err != nil {
		return found, err
	}
	found.PSNR = db
	if yes := storedChannels(t); p.Role == role.Normal && yes[0] && yes[1] {
		if found.Angle, err = meanVectorAngle(ctx, m, want, yes[2]); err != nil {
			return found, err
		}
	}
	if p.Test > 0 && storedChannels(t)[3] {
		found.Coverage, err = p.coverageChange(ctx, t)
	}
	return found, err
}

// meanVectorAngle returns the mean angle in degrees between the unit vectors of two images. The z
// of the first image is computed as in shaders, unless whole is set. Pixels of the second image
// whose vector has length 0 are skipped.
func meanVectorAngle(ctx context.Context, m, want *pixmap.Map, whole bool) (float64, error) {
	got, err := pixmap.Convert(ctx, m, pixmap.Float, pixmap.Data)
	if err != nil {
		return 0, err
	}
	if want, err = pixmap.Convert(ctx, want, pixmap.Float, pixmap.Data); err != nil {
		return 0, err
	}
	sum, n := 0.0, 0
	for i := 0; i < len(want.PixF); i += 4 {
		if i&0xfffff == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		a, b := storedVector(got.PixF[i:], whole), storedVector(want.PixF[i:], whole)
		long := math.Sqrt(dotVectors(a, a) * dotVectors(b, b))
		if long == 0 {
			continue
		}
		sum += math.Acos(min(1, max(-1, dotVectors(a, b)/long)))
		n++
	}
	return sum / float64(max(1, n)) * 180 / math.Pi, nil
}

// storedVector returns the direction that a pixel encodes. It computes z unless whole is set.
func storedVector(pixel []float32, whole bool) [3]float64 {
	v := [3]float64{float64(2*float64(pixel[0])) - 1, float64(2*float64(pixel[1])) - 1, float64(2*float64(pixel[2])) - 1}
	if !whole {
		v[2] = math.Sqrt(max(0, 1-float64(v[0]*v[0])-float64(v[1]*v[1])))
	}
	return v
}

func dotVectors(a, b [3]float64) float64 {
	return float64(a[0]*b[0]) + float64(a[1]*b[1]) + float64(a[2]*b[2])
}

// coverageChange compares the fraction of pixels that pass the alpha test between each level and
// the image. It returns the largest difference. It skips levels of fewer pixels than
// coverageFewest, which cannot preserve the fraction.
func (p *Prepared) coverageChange(ctx context.Context, t *texture.Texture) (float64, error) {
	want, err := passing(ctx, p.Images[0], p.Test)
	if err != nil {
		return 0, err
	}
	most := 0.0
	for level := range t.Levels {
		if w, h := texture.LevelSize(t.W, t.H, level); level > 0 && w*h < coverageFewest {
			break
		}
		m, err := Level(ctx, t, level, 0)
		if err != nil {
			return 0, err
		}
		got, err := passing(ctx, m, p.Test)
		if err != nil {
			return 0, err
		}
		most = max(most, math.Abs(got-want))
	}
	return most, nil
}

// coverageFewest is the smallest number of pixels with a meaningful fraction. With 256 pixels, each
// pixel changes the fraction by 0.4 %.
const coverageFewest = 256

// passing returns the fraction of pixels whose alpha is at least the threshold of the test.
func passing(ctx context.Context, m *pixmap.Map, test float64) (float64, error) {
	m, err := pixmap.Convert(ctx, m, pixmap.Bits16, pixmap.Data)
	if err != nil {
		return 0, err
	}
	n, least := 0, math.Ceil(float64(test*65535)-1e-6) // the tolerance absorbs rounding errors, so that a test of 0.2 means 51/255
	for i := 3; i < len(m.Pix16); i += 4 {
		if float64(m.Pix16[i]) >= least {
			n++
		}
	}
	return float64(n) / float64(max(1, len(m.Pix16)/4)), nil
}

// ErrSize is returned for images of different sizes, whose pixels cannot be compared.
var ErrSize = errors.New("the source and the texture have different sizes")

// PSNR returns the similarity of a decoded image of t to its source, in dB. It is infinite for
// equal images. PSNR ignores channels that t does not store, and alpha if both images are opaque.
// Values are compared as stored, with a peak of 1. Floating-point colors are compared as linear
// light, with the brightest value of the source as the peak.
func PSNR(ctx context.Context, t *texture.Texture, m, source *pixmap.Map) (float64, error) {
	if m.W != source.W || m.H != source.H {
		return 0, ErrSize
	}
	light := pixmap.Data
	if t.SRGB {
		light = pixmap.SRGB
	}
	var err error
	if m.PixF != nil && source.PixF == nil {
		light = pixmap.SRGB
		if source, err = pixmap.Convert(ctx, source, pixmap.Float, light); err != nil {
			return 0, err
		}
	} else if m.PixF == nil && source.PixF != nil {
		if source, err = pixmap.Convert(ctx, source, m.Depth(), light); err != nil {
			return 0, err
		}
	}
	compared := storedChannels(t)
	if compared[3] {
		seen, err := pixmap.Opaque(ctx, m)
		is, err2 := pixmap.Opaque(ctx, source)
		if err := errors.Join(err, err2); err != nil {
			return 0, err
		}
		compared[3] = !seen || !is
	}
	var e loss
	switch {
	case m.PixF != nil:
		e, err = lossOf(ctx, m.PixF, source.PixF, compared, 1)
	case m.Pix8 != nil && source.Pix8 != nil:
		e, err = lossOf(ctx, m.Pix8, source.Pix8, compared, 255)
	default:
		if m, err = pixmap.Convert(ctx, m, pixmap.Bits16, light); err != nil {
			return 0, err
		}
		if source, err = pixmap.Convert(ctx, source, pixmap.Bits16, light); err != nil {
			return 0, err
		}
		e, err = lossOf(ctx, m.Pix16, source.Pix16, compared, 65535)
	}
	if err != nil || e.sum == 0 || e.n == 0 {
		return math.Inf(1), err
	}
	return 10 * math.Log10(e.peak*e.peak*float64(e.n)/e.sum), nil
}

// A loss is the difference of two images.
type loss struct {
	sum  float64 // sum of the squared differences
	n    int     // number of compared values
	peak float64
}

// lossOf compares the common channels of two images. The peak of the result is at least the given
// peak.
func lossOf[T uint8 | uint16 | float32](ctx context.Context, got, want []T, compared [4]bool, peak float64) (e loss, err error) {
	const piece = 1 << 16
	e.peak = peak
	for at := 0; at < len(want); at += piece {
		if err := ctx.Err(); err != nil {
			return e, err
		}
		end := min(at+piece, len(want))
		for k, yes := range compared {
			if !yes {
				continue
			}
			for i := at + k; i < end; i += 4 {
				v := float64(want[i])
				d := float64(got[i]) - v
				e.sum += float64(d * d)
				e.peak = max(e.peak, v)
			}
			e.n += (end - at) / 4
		}
	}
	return e, nil
}

// storedChannels reports which of the channels that a shader sees are stored in the texels.
func storedChannels(t *texture.Texture) (yes [4]bool) {
	channels := t.Format.Channels()
	from := t.Swizzle
	if from == "" {
		from = "rgba"
	}
	for i := range yes {
		for k := range channels {
			yes[i] = yes[i] || from[i] == channels[k]
		}
	}
	return yes
}
