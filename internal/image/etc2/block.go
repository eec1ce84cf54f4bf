package etc2

// A block has the colors of a block, down its columns.
type block struct {
	pix [16][3]int32
	all [3]int32 // the sums of the channels
	// squares is the sum of the squares of all.
	squares int32
	halves  [4]half
}

// load takes pixels in. It reports whether any differs from the first.
func (b *block) load(pixels *[64]byte) bool {
	differ := byte(0)
	for i, at := range inColumns {
		p := pixels[4*at : 4*at+4]
		differ |= (p[0] ^ pixels[0]) | (p[1] ^ pixels[1]) | (p[2] ^ pixels[2])
		b.pix[i] = [3]int32{int32(p[0]), int32(p[1]), int32(p[2])}
	}
	return differ != 0
}

// measure adds up the sums of the halves.
func (b *block) measure() {
	var quarters [4]half
	for i := range quarters {
		q := &quarters[i]
		*q = half{}
		at := i>>1*8 + i&1*2
		for j := range 4 {
			from := at + j>>1*4 + j&1
			p := &b.pix[from]
			s := p[0] + p[1] + p[2]
			q.s[j] = s
			q.sum[0], q.sum[1], q.sum[2] = q.sum[0]+p[0], q.sum[1]+p[1], q.sum[2]+p[2]
			q.squares += p[0]*p[0] + p[1]*p[1] + p[2]*p[2]
			q.lumas += s * s
		}
	}
	// Quarters are in columns as well: upper left, lower left, upper right, lower right.
	b.halves[0].join(&quarters[0], &quarters[1])
	b.halves[1].join(&quarters[2], &quarters[3])
	b.halves[2].join(&quarters[0], &quarters[2])
	b.halves[3].join(&quarters[1], &quarters[3])
	for k := range 3 {
		b.all[k] = b.halves[0].sum[k] + b.halves[1].sum[k]
	}
	b.squares = b.halves[0].squares + b.halves[1].squares
}

// A half is what half a block needs for guesses: no order of pixels.
type half struct {
	s       [8]int32 // sums of red, green and blue of each pixel
	sum     [3]int32 // of each channel
	squares int32    // the sum of the squares of all channels
	lumas   int32    // the sum of the squares of s
}

func (h *half) join(a, b *half) {
	copy(h.s[:4], a.s[:4])
	copy(h.s[4:], b.s[:4])
	for k := range h.sum {
		h.sum[k] = a.sum[k] + b.sum[k]
	}
	h.squares, h.lumas = a.squares+b.squares, a.lumas+b.lumas
}

// The error of a pixel p of a half with the base color b and a modifier m is the sum of
// (p-b-m)^2 over the channels. Let s and t be the sums of the channels of p and of b.
// Thrice the error is then
//
//	3*|p-b|^2 - (s-t)^2 + (s-t-3m)^2,
//
// The first two terms, the chroma, do not depend on the modifier. The last, the luma,
// depends on nothing but s-t and the modifier. So the best table and the best indices of a
// base follow from its sum alone. Clamping of colors at 0 and 255 is not counted. It brings
// them nearer to the pixel, so the error is at most this.

// costs are the least lumas by the difference of the sums and by table: table 2i is in the
// low half of word i, table 2i+1 in its high half. They are shifted by three bits.
var costs = func() (all [1024][4]uint64) {
	for u := range int32(766) {
		for t, m := range &modifiers {
			near, far := u-3*m[0], u-3*m[1]
			all[u][t/2] |= uint64(min(near*near, far*far)) << (3 + t%2*32)
		}
	}
	return all
}()

// luma returns the least luma of a base whose channels add up to sum, and its table.
func (h *half) luma(sum int32) (cost int32, table uint8) {
	a, b, c, d := uint64(1<<32), uint64(2|3<<32), uint64(4|5<<32), uint64(6|7<<32)
	for _, s := range &h.s {
		u := s - sum
		row := &costs[max(u, -u)&1023]
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	least := min(uint32(a), uint32(a>>32), uint32(b), uint32(b>>32), uint32(c), uint32(c>>32), uint32(d), uint32(d>>32))
	return int32(least >> 3), uint8(least & 7)
}

// chroma returns the chroma of a base.
func (h *half) chroma(b *[3]int32) int32 {
	sum := b[0] + b[1] + b[2]
	s := h.sum[0] + h.sum[1] + h.sum[2]
	dot := b[0]*h.sum[0] + b[1]*h.sum[1] + b[2]*h.sum[2]
	return 3*(h.squares-2*dot+8*(b[0]*b[0]+b[1]*b[1]+b[2]*b[2])) - (h.lumas - 2*sum*s + 8*sum*sum)
}
