package source

import (
	"context"

	"github.com/assetcook/assetcook/internal/image/pixmap"
)

// transposed is the first of the orientations whose rows are stored as columns.
const transposed = 5

// upright returns m turned so that it is seen as it was meant. Orientations are
// those of EXIF 2.3, tag 0x0112, which name the sides where the stored picture
// has its first row and its first column; what is not 2 to 8 changes nothing.
func upright(ctx context.Context, m *pixmap.Map, orientation int) (*pixmap.Map, error) {
	if orientation < 2 || orientation > 8 {
		return m, nil
	}
	w, h := m.W, m.H
	if orientation >= transposed {
		w, h = h, w
	}
	out := pixmap.New(w, h, m.Depth())
	// Pixel (0, 0) of out is pixel start of m; a step to the right or down is
	// so many pixels further in m.
	start, right, down := 0, 1, m.W
	last, bottom := m.W-1, (m.H-1)*m.W // of the first row, of the first column
	switch orientation {
	case 2: // top, right
		start, right = last, -1
	case 3: // bottom, right
		start, right, down = bottom+last, -1, -m.W
	case 4: // bottom, left
		start, down = bottom, -m.W
	case 5: // left, top
		right, down = m.W, 1
	case 6: // right, top
		start, right, down = bottom, -m.W, 1
	case 7: // right, bottom
		start, right, down = bottom+last, -m.W, -1
	case 8: // left, bottom
		start, right, down = last, m.W, -1
	}
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		from, to := start+y*down, y*w
		switch {
		case m.Pix8 != nil:
			turnRow(out.Pix8[4*to:4*(to+w)], m.Pix8, from, right)
		case m.Pix16 != nil:
			turnRow(out.Pix16[4*to:4*(to+w)], m.Pix16, from, right)
		default:
			turnRow(out.PixF[4*to:4*(to+w)], m.PixF, from, right)
		}
	}
	return out, nil
}

// turnRow fills dst with every step-th pixel of src, from the given one on.
func turnRow[T any](dst, src []T, from, step int) {
	for ; len(dst) > 0; dst = dst[4:] {
		copy(dst[:4], src[4*from:4*from+4])
		from += step
	}
}
