package astc

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/image/bc6h"
	"github.com/assetcook/assetcook/internal/image/bc7"
	"github.com/assetcook/assetcook/internal/image/blockfit"
)

// EncodeUniversal writes the blocks of an image in UASTC HDR to dst, like EncodeHDR. A loader can
// transcode these blocks to BC6H. UASTC HDR is a subset of ASTC with 4x4 pixels per block. The
// blocks have a single color, or these properties:
//
//   - one part or two, and a partition that BC6H also has
//   - one weight per pixel
//   - the endpoint mode kindLightShift or kindLight, the same for both parts
//   - the weights of universalSpans
//   - finite endpoints
//
// The encoder minimizes the mean of two errors: before and after transcoding. Source: "UASTC HDR 4x4
// Texture Specification" of Basis Universal.
func EncodeUniversal(ctx context.Context, dst []byte, pix []uint16, w, h int, q blockfit.Quality) error {
	return newUniversalEncoder(q).encodeLights(ctx, dst, pix, w, h, q)
}

// newUniversalEncoder returns an encoder for blocks of UASTC HDR.
func newUniversalEncoder(q blockfit.Quality) *encoder {
	e := newLightEncoder(q, Size{4, 4})
	e.format = universalFormat()
	return e
}

// PairSeeds returns the seeds of the partitions into two parts that BC7 also has, for blocks of 4x4
// pixels. BC6H has all but the last three.
func PairSeeds() [30]int {
	return [...]int{
		28, 20, 16, 29, 91, 9, 107, 72, 149, 204, 50, 114, 496, 17, 78, 39,
		252, 828, 43, 156, 116, 210, 476, 273, 684, 359, 246, 195, 694, 524,
	}
}

// sharedPairs is the number of partitions into two parts that ASTC and BC6H have in common.
const sharedPairs = 27

// maxFinite is the largest endpoint value that is not infinite as a half-precision float.
const maxFinite = 0xf7f

// A universalShape is a number of parts and of endpoint values.
type universalShape struct{ parts, numbers int }

// universalSpans holds the range of endpoints for each range of weights that UASTC HDR allows, as
// numbers of levels.
var universalSpans = sync.OnceValue(func() map[universalShape]map[int]int {
	return map[universalShape]map[int]int{
		{1, 4}:  {3: 256, 4: 256, 5: 256, 6: 256, 8: 256, 10: 256, 12: 256, 16: 256},
		{1, 6}:  {3: 256, 4: 256, 5: 256, 6: 256, 8: 256, 10: 256, 12: 256, 16: 192},
		{2, 8}:  {3: 256, 4: 256, 5: 192, 6: 128, 8: 80},
		{2, 12}: {3: 64, 4: 40},
	}
})

// universalFormat returns the tables for UASTC HDR.
var universalFormat = sync.OnceValue(func() *format {
	all := formatOf(Size{4, 4})
	f := *all
	f.universal, f.plans = true, [shapes][]plan{}
	for s, ranges := range universalSpans() {
		i := shape{parts: s.parts, numbers: s.numbers}.shapeIndex()
		for _, p := range all.plans[i] {
			if p.weights() == f.pixels && ranges[spans[p.span].levels] == spans[p.colorSpan].levels {
				f.plans[i] = append(f.plans[i], p)
			}
		}
	}
	f.splits = [maxParts + 1]func() *splitTable{2: sync.OnceValue(func() *splitTable {
		t := &splitTable{parts: 2, words: 1}
		seeds := PairSeeds()
		for _, seed := range seeds[:sharedPairs] {
			p := partitionOf(seed, f.size, 2)
			t.seeds = append(t.seeds, uint16(seed))
			t.bits = append(t.bits, p[0][0], p[1][0])
		}
		return t
	})}
	return &f
})

// indicesOfLine and indicesOfPair hold the indices of BC6H for the ranks of weights, by index into
// spans. A line with eight weight levels becomes two lines.
var (
	indicesOfLine = [...][]uint8{
		1: {0, 8, 15}, 2: {0, 5, 10, 15}, 3: {0, 4, 7, 11, 15}, 4: {0, 3, 6, 9, 12, 15}, 5: {0, 1, 2, 3, 4, 5, 6, 7},
		6: {0, 2, 3, 5, 6, 9, 10, 12, 13, 15}, 7: {0, 1, 2, 4, 5, 6, 9, 10, 11, 13, 14, 15},
		8: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	}
	indicesOfPair = [...][]uint8{
		1: {0, 4, 7}, 2: {0, 2, 5, 7}, 3: {0, 2, 4, 5, 7}, 4: {0, 1, 3, 4, 6, 7}, 5: {0, 1, 2, 3, 4, 5, 6, 7},
	}
)

// A pairPattern is a partition of BC6H. It is swapped if its regions have the opposite order of the
// parts in ASTC.
type pairPattern struct {
	number  uint8
	swapped bool
}

// pairPatterns returns the partitions of BC6H by seed.
var pairPatterns = sync.OnceValue(func() map[uint16]pairPattern {
	all := map[uint16]pairPattern{}
	seeds := PairSeeds()
	for _, seed := range seeds[:sharedPairs] {
		p := partitionOf(seed, Size{4, 4}, 2)
		for number := range uint8(bc6h.Partitions) {
			if mask, _ := bc7.Pair(number); uint64(mask) == p[1][0] || uint64(mask) == p[0][0] {
				all[uint16(seed)] = pairPattern{number, uint64(mask) == p[0][0]}
			}
		}
	}
	return all
})

// transcodedLines returns the lines of a block of UASTC HDR after transcoding to BC6H. ends are the
// endpoints of each part, and ranks the ranks of the weights.
func transcodedLines(parts int, seed uint16, ends []pair, span int, ranks []uint8) (l bc6h.Lines) {
	var indices []uint8
	pattern := pairPattern{}
	if l.Regions, l.Levels = uint8(parts), 8; parts == 2 {
		indices, pattern = indicesOfPair[span], pairPatterns()[seed]
		l.Partition = pattern.number
	} else if indices = indicesOfLine[span]; spans[span].levels != 8 {
		l.Levels = 16
	}
	for part := range ends {
		region := part
		if pattern.swapped {
			region = 1 - part
		}
		for k := range 2 {
			for c := range 3 {
				l.Ends[2*region+k][c] = halfOfLight(int(ends[part][k][c]) << 4)
			}
		}
	}
	for i, rank := range ranks {
		l.Index[i] = indices[rank]
	}
	return l
}

// measureTranscoded returns the visible error of the trial after transcoding to BC6H.
func (e *encoder) measureTranscoded(h *hypothesis, p *plan) (visible float32) {
	t, l := &e.work, e.light
	lines := transcodedLines(h.parts, h.seed, t.ends[:h.parts], p.span, t.rank[0][:e.pixels])
	block := bc6h.BlockOf(&lines)
	for i, color := range block.Halves() {
		for c, got := range color {
			off := l.Level(got) - l.want[3*i+c]
			visible += float32(off * off)
			if l.colors[3*i+c] < halfOne && got > halfFour {
				visible += glow
			}
		}
	}
	return visible
}

// TranscodeUniversal transcodes a block of UASTC HDR to BC6H, as loaders do. It returns false for
// other blocks.
func TranscodeUniversal(block *[16]byte) (out [16]byte, ok bool) {
	prepare()
	s := stream{binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])}
	if s.bitsAt(0, 9) == voidExtent {
		if !s.isVoidExtent() || s.bitsAt(9, 1) == 0 {
			return out, false
		}
		color := s.singleHalves()
		lines := bc6h.Lines{Regions: 1, Levels: 16}
		lines.Ends[0] = [3]uint16(color[:])
		lines.Ends[1] = lines.Ends[0]
		b := bc6h.BlockOf(&lines)
		return b.Pack(), slices.Max(color[:]) <= halfMax
	}
	c, ok := unpack(&s, Size{4, 4})
	if !ok || c.parts > 2 || c.kinds[0] != c.kinds[c.parts-1] || c.dual || c.weights() != 16 {
		return out, false
	}
	n := endNumbers(c.kinds[0])
	ranges := universalSpans()[universalShape{int(c.parts), int(c.parts) * n}]
	if kind := c.kinds[0]; kind != kindLight && kind != kindLightShift || ranges[spans[c.span].levels] != spans[c.colorSpan].levels {
		return out, false
	}
	if _, shared := pairPatterns()[c.seed]; c.parts == 2 && !shared {
		return out, false
	}
	var ends [2]pair
	for part := range int(c.parts) {
		v := c.endValues(part*n, c.kinds[0])
		ends[part] = lightEnds(c.kinds[0], &v)
		for _, end := range ends[part] {
			if max(end[0], end[1], end[2]) > maxFinite {
				return out, false
			}
		}
	}
	var ranks [16]uint8
	for i, code := range c.weight[:16] {
		ranks[i] = uint8(slices.Index(weights[c.span].sorted, code))
	}
	lines := transcodedLines(int(c.parts), c.seed, ends[:c.parts], c.span, ranks[:])
	b := bc6h.BlockOf(&lines)
	return b.Pack(), true
}
