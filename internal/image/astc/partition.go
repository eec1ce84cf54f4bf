package astc

// maxPartitions is how many lines of colors a block may have.
const maxPartitions = 4

// Partition returns the part, of parts, of pixel x, y in a block; small says that the block
// has less than 31 pixels. Source: Khronos Data Format Specification 1.4, chapter 23,
// "Partition Pattern Generation".
func Partition(seed, x, y, parts int, small bool) int {
	if small {
		x, y = 2*x, 2*y
	}
	seed += (parts - 1) * 1024
	n := hash52(uint32(seed))
	var s [8]int
	for i := range s {
		v := int(n >> (4 * i) & 15)
		s[i] = v * v
	}
	first, second := 5, 5
	if seed&2 != 0 {
		first = 4
	}
	if parts == 3 {
		second = 6
	}
	if seed&1 == 0 {
		first, second = second, first
	}
	at := func(i, shift int) int {
		return (s[2*i]>>first*x + s[2*i+1]>>second*y + int(n>>shift)) & 63
	}
	a, b, c, d := at(0, 14), at(1, 10), 0, 0
	if parts >= 3 {
		c = at(2, 6)
	}
	if parts >= 4 {
		d = at(3, 2)
	}
	switch {
	case a >= b && a >= c && a >= d:
		return 0
	case b >= c && b >= d:
		return 1
	case c >= d:
		return 2
	}
	return 3
}

func hash52(p uint32) uint32 {
	p ^= p >> 15
	p -= p << 17
	p += p << 7
	p += p << 4
	p ^= p >> 5
	p += p << 16
	p ^= p >> 7
	p ^= p >> 3
	p ^= p << 6
	p ^= p >> 17
	return p
}

// parts returns the parts of a block's pixels, as a mask of pixels for each.
func parts(seed, side, n int) (masks [maxPartitions]uint64) {
	for y := range side {
		for x := range side {
			masks[Partition(seed, x, y, n, side*side < 31)] |= 1 << (y*side + x)
		}
	}
	return masks
}
