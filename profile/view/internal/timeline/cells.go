package timeline

import "math"

// A cell is one scope, or several of one row and depth that are narrower than a bin.
type cell struct {
	start, end   int64
	took         int64  // total time
	most         uint32 // nanoseconds of the longest, capped at 32 bits
	name, detail uint32 // from the longest
	count        uint32
	pos          uint32 // position of one of them in its block
	level        int32  // 0: instants; else 1 + depth among short scopes
}

func (c *cell) narrower(width int64) bool { return c.end-c.start < width }

// A joiner merges cells that begin in the same bin and are narrower than bins. Cells of a level
// must come from the last to the first.
type joiner struct {
	width, origin int64
	levels        []joined
	out           []cell
}

// A joined is the current cell of a level, which others may join.
type joined struct {
	cell
	from int64 // start of its bin; maximal if nothing can join
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

// flush ends all cells, so that later ones do not join them.
func (j *joiner) flush() {
	for i := range j.levels {
		if at := &j.levels[i]; at.count > 0 {
			j.out = append(j.out, at.cell)
			at.count = 0
		}
	}
}
