package main

// fontPoint is a corner of a letter's outline in units of the font, y up.
type fontPoint struct{ x, y int }

// The ways to go along the border of a pixel, each a turn to the right from the one
// before; south is down.
const (
	east uint8 = iota
	south
	west
	north
)

// contours returns the outline of a bitmap letter: closed lines along the border
// of what is filled, which they have to their right, as TrueType wants it; holes
// go round the other way. Pixels that meet at a corner only belong to lines of
// their own.
func contours(g glyph) [][]fontPoint {
	filled := func(x, y int) bool { return x >= 0 && x < 5 && y >= 0 && y < 7 && g[y]>>(4-x)&1 == 1 }
	// leaves has a bit for each direction in which the border leaves a corner of
	// the grid.
	var leaves [8][6]uint8
	eachPixel(g, func(x, y int) {
		if !filled(x, y-1) {
			leaves[y][x] |= 1 << east
		}
		if !filled(x+1, y) {
			leaves[y][x+1] |= 1 << south
		}
		if !filled(x, y+1) {
			leaves[y+1][x+1] |= 1 << west
		}
		if !filled(x-1, y) {
			leaves[y+1][x] |= 1 << north
		}
	})
	var all [][]fontPoint
	for y := range leaves {
		for x := range leaves[y] {
			for leaves[y][x] != 0 {
				all = append(all, walk(&leaves, x, y))
			}
		}
	}
	return all
}

// walk follows the border from a corner back to it, takes away the edges that it
// goes, and returns where it turned. The corner is the first of its line from the
// top and from the left, so the line turns there.
func walk(leaves *[8][6]uint8, x, y int) []fontPoint {
	heading := north // as a line arrives there that goes on to the right
	if leaves[y][x]&(1<<east) == 0 {
		heading = west // round a hole
	}
	var line []fontPoint
	for leaves[y][x] != 0 {
		// Where two lines meet, a turn to the right stays with the same pixel.
		for _, turned := range [...]uint8{1, 0, 3} {
			to := (heading + turned) % 4
			if leaves[y][x]&(1<<to) == 0 {
				continue
			}
			if turned != 0 {
				line = append(line, fontPoint{x * pixelUnits, (7 - y) * pixelUnits})
			}
			leaves[y][x] &^= 1 << to
			heading = to
			break
		}
		x += [4]int{1, 0, -1, 0}[heading]
		y += [4]int{0, 1, 0, -1}[heading]
	}
	return line
}

// fontBox is the smallest rectangle around points.
type fontBox struct{ xMin, yMin, xMax, yMax int }

func (b fontBox) with(c fontBox) fontBox {
	return fontBox{min(b.xMin, c.xMin), min(b.yMin, c.yMin), max(b.xMax, c.xMax), max(b.yMax, c.yMax)}
}

// outlineData is an entry of the table glyf, padded to four bytes, and its bounds.
// A letter without lines takes no bytes.
func outlineData(lines [][]fontPoint) ([]byte, fontBox) {
	if len(lines) == 0 {
		return nil, fontBox{}
	}
	first := lines[0][0]
	box := fontBox{first.x, first.y, first.x, first.y}
	var ends, xs, ys []int
	last := fontPoint{}
	for _, line := range lines {
		for _, p := range line {
			box = box.with(fontBox{p.x, p.y, p.x, p.y})
			xs, ys = append(xs, p.x-last.x), append(ys, p.y-last.y)
			last = p
		}
		ends = append(ends, len(xs)-1)
	}
	out := be16(nil, len(lines), box.xMin, box.yMin, box.xMax, box.yMax)
	out = be16(be16(out, ends...), 0) // no instructions
	for range xs {
		out = append(out, 1) // on the line, both steps of 16 bits
	}
	out = be16(be16(out, xs...), ys...)
	return append(out, make([]byte, -len(out)&3)...), box
}
