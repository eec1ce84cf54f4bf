package vp8

import (
	"context"
	"math"
)

// A macroblock holds the encoding of 16 by 16 pixels.
type macroblock struct {
	// levels has 16 blocks of luma, four blocks of Cb, four of Cr, and the block of luma DC
	// coefficients.
	levels [25]levels
	modes  [16]uint8 // prediction modes of the 16 blocks of luma; all are equal unless split is set
	colors uint8     // prediction mode of chroma
	split  bool      // each block of luma has its own mode
	empty  bool      // all levels are 0
}

const meansBlock = 24

// A contexts records which blocks at one edge of a macroblock have nonzero levels: four of luma,
// two of Cb, two of Cr, and the block of luma DC coefficients.
type contexts [9]uint8

// lumaModes are the modes of the four luma blocks along one edge of a macroblock.
type lumaModes [4]uint8

// A column holds what a macroblock needs from the macroblock above it or to its left.
type column struct {
	luma     [16]uint8
	chroma   [2][8]uint8
	contexts contexts
	modes    lumaModes
}

// An encoder encodes one frame.
type encoder struct {
	*planes
	effort   effort
	strength strength
	filter   int // level of the loop filter, which grows with the quantizer step
	prices   *modeLengths
	tariff   *tariff
	columns  []column
	beside   column   // pixels and contexts of the macroblock to the left
	corners  [3]uint8 // corner pixel above and to the left of the macroblock: of luma, Cb and Cr
	code     []macroblock
	counts   *census
	lost     int64 // sum of squared errors of luma and chroma
	modeBits int64 // length of all prediction modes so far, in 1/256 bit
	// modeLimit limits the mean length of the modes per macroblock, in 1/256 bit. Above it, luma is
	// not split.
	modeLimit int64
}

// An attempt is a candidate encoding of the luma or the chroma of a macroblock.
type attempt struct {
	levels   [17]levels
	pixels   [16]tile
	modes    [16]uint8
	score    int64
	lost     int64
	modeBits int64 // length of the prediction modes, in 1/256 bit
}

func score(lost, bits, lambda int64) int64 { return lost<<16 + bits*lambda }

// refit is the number of macroblocks between updates of the token costs.
const refit = 96

// encodeRows chooses the encoding of all macroblocks.
func (e *encoder) encodeRows(ctx context.Context) error {
	e.counts, e.lost, e.modeBits = &census{}, 0, 0
	e.columns = make([]column, e.w+1)
	for i := range e.columns {
		c := &e.columns[i]
		fill(c.luma[:], pixelAbove)
		fill(c.chroma[0][:], pixelAbove)
		fill(c.chroma[1][:], pixelAbove)
	}
	since := 0
	for y := range e.h {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.beside = column{}
		fill(e.beside.luma[:], pixelBeside)
		fill(e.beside.chroma[0][:], pixelBeside)
		fill(e.beside.chroma[1][:], pixelBeside)
		corner := uint8(pixelBeside)
		if y == 0 {
			corner = pixelAbove
		}
		e.corners = [3]uint8{corner, corner, corner}
		for x := range e.w {
			e.encodeMacroblock(x, y)
			if since++; since >= refit {
				since = 0
				e.tariff.setModel(e.counts.fit())
			}
		}
	}
	return nil
}

func fill(s []uint8, v uint8) {
	for i := range s {
		s[i] = v
	}
}

// encodeMacroblock chooses the encoding of a macroblock, and counts its tokens.
func (e *encoder) encodeMacroblock(x, y int) {
	b := &e.code[y*e.w+x]
	*b = macroblock{}
	above := &e.columns[x]
	edges := e.edges(x, y)
	var src sourceTiles
	e.load(x, y, &src)
	s := &e.strength

	var whole, colors attempt
	if e.hidden[y*e.w+x] {
		edges[0].predictSquare(dcMode, 4, whole.pixels[:])
		edges[1].predictSquare(dcMode, 2, colors.pixels[:4])
		edges[2].predictSquare(dcMode, 2, colors.pixels[4:8])
	} else {
		e.tryWhole(&src, &edges[0], above, s, &whole)
		var split attempt
		if e.trySplit(x, y, &src, &edges[0], above, s, whole.score, &split) && e.modeBits+split.modeBits <= e.modeLimit*int64(y*e.w+x+1) {
			whole, b.split = split, true
		}
		e.tryColors(&src, &edges, above, s, &colors)
	}
	copy(b.levels[:16], whole.levels[:16])
	copy(b.levels[16:24], colors.levels[:8])
	b.levels[meansBlock] = whole.levels[16]
	b.modes, b.colors = whole.modes, colors.modes[0]
	e.lost += whole.lost + colors.lost
	e.modeBits += whole.modeBits + colors.modeBits
	e.leave(x, &whole, &colors)
	b.sendTokens(e.counts, &above.contexts, &e.beside.contexts)
}

// edges returns the pixels around a macroblock in luma, Cb and Cr.
func (e *encoder) edges(x, y int) (all [3]edge) {
	for i := range all {
		all[i].corner, all[i].hasAbove, all[i].hasLeft = e.corners[i], y > 0, x > 0
	}
	above := &e.columns[x]
	all[0].above, all[0].left = above.luma, e.beside.luma
	for i := range 2 {
		copy(all[1+i].above[:], above.chroma[i][:])
		copy(all[1+i].left[:], e.beside.chroma[i][:])
	}
	return all
}

// tryWhole finds the best prediction mode for luma that is not split.
func (e *encoder) tryWhole(src *sourceTiles, around *edge, above *column, s *strength, best *attempt) {
	best.score = math.MaxInt64
	var try attempt
	for mode := range uint8(macroblockModes) {
		fill(try.modes[:], mode)
		e.encodeWhole(src, around, above, s, e.effort.searchAll, &try)
		if try.score < best.score {
			*best = try
		}
	}
	if e.effort.search && !e.effort.searchAll {
		e.encodeWhole(src, around, above, s, true, best)
	}
}

// encodeWhole encodes luma with the prediction mode in out.modes[0].
func (e *encoder) encodeWhole(src *sourceTiles, around *edge, above *column, s *strength, search bool, out *attempt) {
	var pred [16]tile
	around.predictSquare(int(out.modes[0]), 4, pred[:])
	var all [16]spectrum
	var means, transformed, restored spectrum
	for i := range all {
		forwardDCT(&src.luma[i], &pred[i], &all[i])
		means[i] = all[i][0]
	}
	forwardWHT(&means, &transformed)
	context := int(above.contexts[8] + e.beside.contexts[8])
	bits := e.prices.whole[out.modes[0]]
	out.modeBits = bits
	bits += e.quantize(&transformed, s, lumaMeans, context, search, &out.levels[16])
	s.quantizer[lumaMeans].restore(&out.levels[16], &restored)
	inverseWHT(&restored, &means)
	out.lost = 0
	top, left := above.contexts, e.beside.contexts
	for i := range all {
		bits += e.quantize(&all[i], s, lumaRest, int(top[i%4]+left[i/4]), search, &out.levels[i])
		filled := isFilled(&out.levels[i], 1)
		top[i%4], left[i/4] = filled, filled
		s.quantizer[lumaRest].restore(&out.levels[i], &restored)
		restored[0] = means[i]
		addResidual(&restored, &pred[i], &out.pixels[i])
		out.lost += tileError(&src.luma[i], &out.pixels[i])
	}
	out.score = score(out.lost, bits, s.lambda[lumaRest])
}

// isFilled returns 1 if any level from index from on is not 0, and otherwise 0.
func isFilled(l *levels, from int) uint8 {
	if l.length() > from {
		return 1
	}
	return 0
}

// quantize chooses the levels of a block, and returns their length in 1/256 bit.
func (e *encoder) quantize(in *spectrum, s *strength, kind, context int, search bool, out *levels) int64 {
	q := &s.quantizer[kind]
	if search {
		q.search(in, e.tariff, kind, context, s.lambda[kind]*searchShare/4, out)
	} else {
		q.roundDown(in, kind, roundUp, out)
	}
	return e.tariff.block(kind, context, out)
}

// trySplit finds the best mode for each block of luma. It returns false if the total score reaches
// the limit.
func (e *encoder) trySplit(x, y int, src *sourceTiles, around *edge, above *column, s *strength, limit int64, out *attempt) bool {
	out.modeBits = e.prices.split
	out.score = score(0, e.prices.split, s.lambda[lumaRest])
	top, left := above.contexts, e.beside.contexts
	modesAbove, modesLeft := above.modes, e.beside.modes
	right := e.aboveRight(x, y)
	for i := range 16 {
		r := rimOf(i, around, &right, &out.pixels)
		context := int(top[i%4] + left[i/4])
		prices := &e.prices.subblock[modesAbove[i%4]][modesLeft[i/4]]
		one := e.trySubblock(&src.luma[i], &r, prices, context, s)
		if out.score += one.score; out.score >= limit {
			return false
		}
		out.lost += one.lost
		out.modeBits += prices[one.mode]
		out.levels[i], out.pixels[i], out.modes[i] = one.levels, one.pixels, one.mode
		modesAbove[i%4], modesLeft[i/4] = one.mode, one.mode
		filled := isFilled(&one.levels, 0)
		top[i%4], left[i/4] = filled, filled
	}
	return true
}

// aboveRight returns the next four pixels to the right in the row above a macroblock.
func (e *encoder) aboveRight(x, y int) (p [4]uint8) {
	if x+1 < e.w || y == 0 {
		copy(p[:], e.columns[x+1].luma[:])
	} else {
		fill(p[:], e.columns[x].luma[15])
	}
	return p
}

// rimOf returns the pixels around the i-th block of luma. The parameter done has the decoded blocks
// before it.
func rimOf(i int, around *edge, right *[4]uint8, done *[16]tile) (r rim) {
	x, y := i%4, i/4
	for j := range 4 {
		if x > 0 {
			r[3-j] = done[i-1][4*j+3]
		} else {
			r[3-j] = around.left[4*y+j]
		}
	}
	switch {
	case x > 0 && y > 0:
		r[4] = done[i-5][15]
	case x > 0:
		r[4] = around.above[4*x-1]
	case y > 0:
		r[4] = around.left[4*y-1]
	default:
		r[4] = around.corner
	}
	if y > 0 {
		copy(r[5:9], done[i-4][12:])
	} else {
		copy(r[5:9], around.above[4*x:])
	}
	switch {
	case x == 3:
		copy(r[9:], right[:])
	case y > 0:
		copy(r[9:], done[i-3][12:])
	default:
		copy(r[9:], around.above[4*x+4:][:4])
	}
	return r
}

// A subblock is a candidate encoding of a luma block of 4 by 4 pixels.
type subblock struct {
	mode   uint8
	levels levels
	pixels tile
	score  int64
	lost   int64
}

// trySubblock finds the best mode for a block of luma. The parameter prices has the lengths of the
// modes.
func (e *encoder) trySubblock(src *tile, r *rim, prices *[subblockModes]int64, context int, s *strength) (best subblock) {
	var pred [subblockModes]tile
	r.predictTile(&pred)
	var rough [subblockModes]int64
	for mode := range rough {
		rough[mode] = roughSize(src, &pred[mode])<<roughScale + prices[mode]*int64(s.quantizer[lumaWhole].step[1])/roughPrice
	}
	best.score = math.MaxInt64
	for range e.effort.modes {
		mode := 0
		for i, v := range rough {
			if v < rough[mode] {
				mode = i
			}
		}
		rough[mode] = math.MaxInt64
		try := subblock{mode: uint8(mode)}
		e.encodeSubblock(src, &pred[mode], prices[mode], context, s, e.effort.searchAll, &try)
		if try.score < best.score {
			best = try
		}
	}
	if e.effort.search && !e.effort.searchAll {
		e.encodeSubblock(src, &pred[best.mode], prices[best.mode], context, s, true, &best)
	}
	return best
}

func (e *encoder) encodeSubblock(src, pred *tile, price int64, context int, s *strength, search bool, out *subblock) {
	var c spectrum
	forwardDCT(src, pred, &c)
	bits := price + e.quantize(&c, s, lumaWhole, context, search, &out.levels)
	s.quantizer[lumaWhole].restore(&out.levels, &c)
	addResidual(&c, pred, &out.pixels)
	out.lost = tileError(src, &out.pixels)
	out.score = score(out.lost, bits, s.lambda[lumaRest])
}

// tryColors finds the best mode for chroma.
func (e *encoder) tryColors(src *sourceTiles, around *[3]edge, above *column, s *strength, best *attempt) {
	best.score = math.MaxInt64
	var try attempt
	for mode := range uint8(macroblockModes) {
		try.modes[0] = mode
		e.encodeColors(src, around, above, s, e.effort.searchAll, &try)
		if try.score < best.score {
			*best = try
		}
	}
	if e.effort.search && !e.effort.searchAll {
		e.encodeColors(src, around, above, s, true, best)
	}
}

// encodeColors encodes chroma with the prediction mode in out.modes[0].
func (e *encoder) encodeColors(src *sourceTiles, around *[3]edge, above *column, s *strength, search bool, out *attempt) {
	var pred [8]tile
	around[1].predictSquare(int(out.modes[0]), 2, pred[:4])
	around[2].predictSquare(int(out.modes[0]), 2, pred[4:])
	bits := e.prices.colors[out.modes[0]]
	out.modeBits = bits
	out.lost = 0
	top, left := above.contexts, e.beside.contexts
	for i := range pred {
		var c spectrum
		forwardDCT(&src.chroma[i], &pred[i], &c)
		column, row := 4+i/4*2+i%2, 4+i/4*2+i/2%2
		bits += e.quantize(&c, s, chroma, int(top[column]+left[row]), search, &out.levels[i])
		filled := isFilled(&out.levels[i], 0)
		top[column], left[row] = filled, filled
		s.quantizer[chroma].restore(&out.levels[i], &c)
		addResidual(&c, &pred[i], &out.pixels[i])
		out.lost += tileError(&src.chroma[i], &out.pixels[i])
	}
	out.score = score(out.lost, bits, s.lambda[chroma])
}

// leave records the pixels and modes that the macroblocks below and to the right need.
func (e *encoder) leave(x int, luma, colors *attempt) {
	above := &e.columns[x]
	e.corners = [3]uint8{above.luma[15], above.chroma[0][7], above.chroma[1][7]}
	for i := range 16 {
		above.luma[i] = luma.pixels[12+i/4][12+i%4]
		e.beside.luma[i] = luma.pixels[i/4*4+3][i%4*4+3]
	}
	for i := range 8 {
		for c := range 2 {
			above.chroma[c][i] = colors.pixels[4*c+2+i/4][12+i%4]
			e.beside.chroma[c][i] = colors.pixels[4*c+i/4*2+1][i%4*4+3]
		}
	}
	for i := range 4 {
		above.modes[i], e.beside.modes[i] = luma.modes[12+i], luma.modes[4*i+3]
	}
}
