package webp

import (
	"context"
	"slices"
)

// An effort holds the limits of the searches.
type effort struct {
	probes int   // number of earlier positions to compare for each copy
	rounds int   // number of times that tokens are chosen again, with costs from the previous choice
	groups []int // maximum numbers of code groups to try
	best   bool
}

func effortOf(best bool) effort {
	if best {
		return effort{256, 3, []int{8, 24, 64, 160}, true}
	}
	return effort{24, 1, []int{24}, false}
}

// These are the numbers that identify transforms in the format.
const (
	predictorTransform = iota
	colorTransform
	greenTransform
	paletteTransform
)

// A plan is a sequence of transforms for an image.
type plan struct {
	green     bool // true to subtract green from red and blue
	predicted uint // log2 of the width and height of predictor tiles; 0 for no prediction
	shifted   bool // true to predict colors from each other
	palette   bool
	colors    []uint32 // colors of the palette
}

// plans returns the plans to try. colors is the number of colors in the image, or 257 if there
// are more than 256.
func plans(colors, width, height int, e effort) (list []plan) {
	tile := uint(4)
	if width*height <= 1<<12 {
		tile = 3
	}
	if colors <= 256 {
		list = append(list, plan{palette: true})
		if e.best {
			list = append(list, plan{palette: true, predicted: tile})
		}
		if colors <= 16 && !e.best {
			return list
		}
	}
	list = append(list, plan{green: true, predicted: tile, shifted: true}, plan{green: true})
	if !e.best {
		return list
	}
	for bits := uint(2); bits <= 5; bits++ {
		if bits != tile {
			list = append(list, plan{green: true, predicted: bits, shifted: true})
		}
	}
	return append(list, plan{}, plan{predicted: tile}, plan{green: true, predicted: tile})
}

// smallest encodes the pixels with several plans, and returns the smallest stream.
func smallest(ctx context.Context, pix []uint32, width int, e effort) ([]byte, error) {
	palette := paletteOf(pix)
	all := plans(len(palette), width, len(pix)/width, e)
	return smallestStream(ctx, pix, width, e, palette, all, func(w *bitWriter) { writeHeader(w, pix, width) })
}

// smallestAlpha encodes pixels that use only the green channel, and omits the header. With few
// distinct pixels, most earlier positions match, so a normal effort compares fewer of them; this
// makes the alpha of 199 sprites 0.5 % larger.
func smallestAlpha(ctx context.Context, pix []uint32, width int, e effort) ([]byte, error) {
	const tile = 4
	all := []plan{{predicted: tile}, {palette: true}}
	if e.best {
		all = append(all, plan{palette: true, predicted: tile})
	} else {
		e.probes = 8
	}
	return smallestStream(ctx, pix, width, e, paletteOf(pix), all, func(*bitWriter) {})
}

// smallestStream encodes the pixels with each plan, and returns the smallest stream. Each stream
// begins with the header.
func smallestStream(ctx context.Context, pix []uint32, width int, e effort, palette []uint32, all []plan, header func(*bitWriter)) (least []byte, err error) {
	for _, p := range all {
		w := &bitWriter{}
		header(w)
		p.colors = palette
		if err := p.write(ctx, w, pix, width, e); err != nil {
			return nil, err
		}
		if out := w.finish(); least == nil || len(out) < len(least) {
			least = out
		}
	}
	return least, nil
}

// writeHeader writes the signature, the width and height, and whether any pixel is not opaque.
func writeHeader(w *bitWriter, pix []uint32, width int) {
	w.write(0x2f, 8)
	w.write(uint32(width-1), 14)
	w.write(uint32(len(pix)/width-1), 14)
	alpha := uint32(0)
	if slices.ContainsFunc(pix, func(v uint32) bool { return v < opaque }) {
		alpha = 1
	}
	w.write(alpha, 1)
	w.write(0, 3) // version of the format
}

// write writes the transforms of p, followed by the pixels.
func (p plan) write(ctx context.Context, w *bitWriter, pix []uint32, width int, e effort) (err error) {
	if p.palette {
		if pix, width, err = p.writePalette(ctx, w, pix, width, e); err != nil {
			return err
		}
	}
	if p.green {
		beginTransform(w, greenTransform)
		pix = withoutGreen(pix)
	}
	if p.predicted > 0 {
		residuals, modes, err := predictTiles(ctx, pix, width, p.predicted)
		if err != nil {
			return err
		}
		pix = residuals
		if err := writeTileTransform(ctx, w, predictorTransform, p.predicted, modes, width, e); err != nil {
			return err
		}
	}
	if p.shifted {
		tileBits := p.predicted + 1
		shifted, shifts, err := shiftColors(ctx, pix, width, tileBits)
		if err != nil {
			return err
		}
		if shifted != nil {
			pix = shifted
			if err := writeTileTransform(ctx, w, colorTransform, tileBits, shifts, width, e); err != nil {
				return err
			}
		}
	}
	w.write(0, 1) // end of the transforms
	return writePixels(ctx, w, pix, width, false, e)
}

func beginTransform(w *bitWriter, number uint32) {
	w.write(1, 1)
	w.write(number, 2)
}

// writeTileTransform writes a transform whose data is one pixel per tile.
func writeTileTransform(ctx context.Context, w *bitWriter, number uint32, tileBits uint, tiles []uint32, width int, e effort) error {
	beginTransform(w, number)
	w.write(uint32(tileBits-2), 3)
	return writePixels(ctx, w, tiles, tilesOf(width, tileBits), true, e)
}

// withoutGreen subtracts green from red and blue.
func withoutGreen(pix []uint32) []uint32 {
	out := make([]uint32, len(pix))
	for i, v := range pix {
		green := v >> 8 & 0xff
		out[i] = minus(v, green<<16|green)
	}
	return out
}

// paletteOf returns the colors in ascending order. If there are more than 256, it returns 257
// of them.
func paletteOf(pix []uint32) []uint32 {
	seen := map[uint32]bool{}
	for i, v := range pix {
		if i > 0 && v == pix[i-1] {
			continue
		}
		seen[v] = true
		if len(seen) > 256 {
			break
		}
	}
	palette := make([]uint32, 0, len(seen))
	for v := range seen {
		palette = append(palette, v)
	}
	slices.Sort(palette)
	return palette
}

// writePalette writes the palette as differences between neighbors. It returns an image of
// palette indexes, with as many indexes per pixel as fit in its green channel, and the width of
// this image.
func (p plan) writePalette(ctx context.Context, w *bitWriter, pix []uint32, width int, e effort) (packed []uint32, columns int, err error) {
	beginTransform(w, paletteTransform)
	w.write(uint32(len(p.colors)-1), 8)
	differences := make([]uint32, len(p.colors))
	position := map[uint32]uint32{}
	before := uint32(0)
	for i, v := range p.colors {
		differences[i], before = minus(v, before), v
		position[v] = uint32(i)
	}
	if err := writePixels(ctx, w, differences, len(differences), true, e); err != nil {
		return nil, 0, err
	}
	perPixel := 1
	switch {
	case len(p.colors) <= 2:
		perPixel = 8
	case len(p.colors) <= 4:
		perPixel = 4
	case len(p.colors) <= 16:
		perPixel = 2
	}
	columns = (width + perPixel - 1) / perPixel
	packed = make([]uint32, columns*(len(pix)/width))
	for i := range packed {
		packed[i] = opaque
	}
	for i, v := range pix {
		x := i % width
		packed[i/width*columns+x/perPixel] |= position[v] << (8 + x%perPixel*(8/perPixel))
	}
	return packed, columns, nil
}
