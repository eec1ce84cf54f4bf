package timeline

import "math"

// A cell is one scope, or several scopes of one row and depth that are narrower than a bin.
type cell struct {
	start, end   int64
	took         int64  // total time of the scopes
	most         uint32 // nanoseconds of the longest scope, at most MaxUint32
	name, detail uint32 // name and detail of the longest scope
	count        uint32
	pos          uint32 // position of one of the scopes in its block
	level        int32  // depth of scopes among the block's short scopes, plus 1; 0 for instants
}

func (c *cell) narrower(width int64) bool { return c.end-c.start < width }

// A joiner merges cells that begin in the same bin and are narrower than the bin. The cells of each
// level must be added from last to first.
type joiner struct {
	width, origin int64
	levels        []joined
	out           []cell
}

// A joined is the current cell of a level, into which further scopes may be merged.
type joined struct {
	cell
	from int64 // start of the cell's first bin; MaxInt64 if nothing can be merged into the cell
}

func (j *joiner) reset(origin, width int64) {
	j.origin, j.width = origin, max(width, 1)
	j.levels, j.out = j.levels[:0], j.out[:0]
}

func (j *joiner) joinCell(c *cell) {
	for int(c.level) >= len(j.levels) {
		j.levels = append(j.levels, joined{})
	}
	at := &j.levels[c.level]
	narrow := c.narrower(j.width)
	if at.count > 0 {
		if narrow && c.start >= at.from {
			at.join(c)
			return
		}
		j.out = append(j.out, at.cell)
	}
	at.cell, at.from = *c, math.MaxInt64
	if narrow {
		since := (c.start - j.origin) % j.width
		if since < 0 {
			since += j.width
		}
		at.from = c.start - since
	}
}

func (c *cell) join(other *cell) {
	c.start, c.end = min(c.start, other.start), max(c.end, other.end)
	c.took += other.took
	c.count += min(other.count, math.MaxUint32-c.count)
	if other.most > c.most {
		c.most, c.name, c.detail = other.most, other.name, other.detail
	}
}

// flush ends all current cells, so that later scopes are not merged into them.
func (j *joiner) flush() {
	for i := range j.levels {
		if at := &j.levels[i]; at.count > 0 {
			j.out = append(j.out, at.cell)
			at.count = 0
		}
	}
}
