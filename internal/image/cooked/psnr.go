package cooked

import (
	"context"
	"errors"
	"math"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// ErrSize is returned for pictures of different sizes, whose pixels cannot be compared.
var ErrSize = errors.New("source and texture differ in size")

// PSNR returns how like a decoded picture of t is to its source, in dB: infinite if they
// are the same, less the more was lost. Channels that t does not store are not compared,
// nor is alpha if both are opaque. Numbers are compared as they are stored, with 1 as the
// peak, except that light is compared as light with the brightest value of the source as
// the peak.
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
	compared := stored(t)
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

// A loss is what two pictures differ by.
type loss struct {
	sum  float64 // of squares
	n    int     // numbers that were compared
	peak float64
}

// lossOf compares the common channels of two pictures. peak is the least peak.
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

// stored reports which of the channels that a shader sees come from the texels.
func stored(t *texture.Texture) (yes [4]bool) {
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
