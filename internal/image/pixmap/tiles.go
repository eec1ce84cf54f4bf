package pixmap

import (
	"context"
	"fmt"
)

// Faces cuts the six faces of a cube out of one image, in the order +X -X +Y -Y +Z -Z. The
// image's proportions determine the layout:
//
//	4:3           3:4         6:1 and 1:6
//	 .  +Y  .  .   .  +Y  .   in that order
//	-X  +Z +X -Z  -X  +Z +X
//	 .  -Y  .  .   .  -Y  .
//	               .  -Z  .
//
// In the vertical cross, the -Z face below -Y is rotated by 180 degrees. Faces are oriented as seen
// from the center of the cube, as textures require.
func Faces(ctx context.Context, m *Map) ([]*Map, error) {
	side, cells, turned := crossLayout(m.W, m.H)
	if side == 0 {
		return nil, fmt.Errorf("the image has %d x %d pixels; want a cross (4:3 or 3:4) or a strip (6:1 or 1:6) of six square faces", m.W, m.H)
	}
	faces := make([]*Map, 6)
	for i, cell := range cells {
		f := New(side, side, m.Depth())
		for y := range side {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			from, to := 4*(m.W*(cell[1]*side+y)+cell[0]*side), 4*side*y
			copyPixels(f, to, m, from, side)
		}
		faces[i] = f
	}
	if turned {
		return faces, Flip(ctx, faces[5], true, true)
	}
	return faces, nil
}

// crossLayout returns the side of the faces in an image of w by h pixels, and the column and row of
// each face. The side is 0 if the image has no such layout.
func crossLayout(w, h int) (side int, cells [6][2]int, turned bool) {
	switch {
	case w%4 == 0 && w/4*3 == h:
		return w / 4, [6][2]int{{2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}, {3, 1}}, false
	case h%4 == 0 && h/4*3 == w:
		return h / 4, [6][2]int{{2, 1}, {0, 1}, {1, 0}, {1, 2}, {1, 1}, {1, 3}}, true
	case w == 6*h:
		return h, [6][2]int{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}, false
	case h == 6*w:
		return w, [6][2]int{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}, false
	}
	return 0, cells, false
}

// FaceSide returns the side in pixels of the faces that Faces finds in an image of w by h pixels,
// or 0.
func FaceSide(w, h int) int {
	side, _, _ := crossLayout(w, h)
	return side
}

// copyPixels copies n pixels from src to dst. The parameters to and from are indices into the pixel
// values of dst and src.
func copyPixels(dst *Map, to int, src *Map, from, n int) {
	switch src.Depth() {
	case Float:
		copy(dst.PixF[to:to+4*n], src.PixF[from:])
	case Bits16:
		copy(dst.Pix16[to:to+4*n], src.Pix16[from:])
	default:
		copy(dst.Pix8[to:to+4*n], src.Pix8[from:])
	}
}

// Stack returns the tiles of m, each w by h pixels, one below the other. It starts with the first
// row of tiles from left to right, then the next row.
func Stack(ctx context.Context, m *Map, w, h int) (*Map, error) {
	if w < 1 || h < 1 || m.W%w != 0 || m.H%h != 0 {
		return nil, fmt.Errorf("an image of %d x %d pixels cannot be cut into tiles of %d x %d", m.W, m.H, w, h)
	}
	out, to := New(w, m.W/w*m.H, m.Depth()), 0
	for y := 0; y < m.H; y += h {
		for x := 0; x < m.W; x += w {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for row := y; row < y+h; row++ {
				copyPixels(out, 4*w*to, m, 4*(m.W*row+x), w)
				to++
			}
		}
	}
	return out, nil
}
