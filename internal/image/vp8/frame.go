package vp8

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/assetcook/assetcook/internal/detmath"
)

// MaxSide is the maximum width and height.
const MaxSide = 16383

// Limits of the format: the first partition has the header and the modes, the others have the tokens
// (9.3, 9.5).
const (
	maxFirst      = 1<<19 - 1
	maxPartition  = 1<<24 - 1
	maxPartitions = 8
)

// sendTokens passes the tokens of a macroblock to a sink, and changes the contexts above it and beside
// it to its own.
func (b *macroblock) sendTokens(to tokenSink, above, beside *contexts) {
	b.empty = true
	for i := range b.levels {
		if i != meansBlock || !b.split {
			b.empty = b.empty && b.levels[i].length() == 0
		}
	}
	if b.empty {
		means := [2]uint8{above[8], beside[8]}
		*above, *beside = contexts{}, contexts{}
		if b.split {
			above[8], beside[8] = means[0], means[1]
		}
		return
	}
	send := func(i, kind int, up, left *uint8) {
		filled := uint8(sendBlock(to, kind, int(*up+*left), &b.levels[i]))
		*up, *left = filled, filled
	}
	kind := lumaWhole
	if !b.split {
		kind = lumaRest
		send(meansBlock, lumaMeans, &above[8], &beside[8])
	}
	for i := range 16 {
		send(i, kind, &above[i%4], &beside[i/4])
	}
	for i := range 8 {
		send(16+i, chroma, &above[4+i/4*2+i%2], &beside[4+i/4*2+i/2%2])
	}
}

// The lengths of modes in 1/256 bit, with the decision whether luma is split.
var (
	modePrices = sync.OnceValue(func() *modeLengths {
		p, m := priceOf(), &modeLengths{}
		measure := func(send func(put func(bool, uint8))) (sum int64) {
			send(func(bit bool, chance uint8) { sum += int64(p.of(bit, chance)) })
			return sum
		}
		for mode := range uint8(macroblockModes) {
			m.whole[mode] = int64(p.of(true, splitChance)) + measure(func(put func(bool, uint8)) { putWholeMode(put, mode) })
			m.colors[mode] = measure(func(put func(bool, uint8)) { putColorsMode(put, mode) })
		}
		for above := range m.subblock {
			for left := range m.subblock[above] {
				for mode := range uint8(subblockModes) {
					m.subblock[above][left][mode] = measure(func(put func(bool, uint8)) { putSubblockMode(put, &subblockChances[above][left], mode) })
				}
			}
		}
		m.split = int64(p.of(false, splitChance))
		return m
	})
)

type modeLengths struct {
	whole, colors [macroblockModes]int64
	split         int64
	subblock      [subblockModes][subblockModes][subblockModes]int64
}

// splitChance is the probability that luma is split (11.2).
const splitChance = 145

// putWholeMode writes the mode of luma as a whole (11.2).
func putWholeMode(put func(bool, uint8), mode uint8) {
	horizontal := mode == horizontalMode || mode == trueMotionMode
	if put(horizontal, 156); horizontal {
		put(mode == trueMotionMode, 128)
	} else {
		put(mode == verticalMode, 163)
	}
}

// putColorsMode writes the mode of chroma (11.2).
func putColorsMode(put func(bool, uint8), mode uint8) {
	if put(mode != dcMode, 142); mode == dcMode {
		return
	}
	if put(mode != verticalMode, 114); mode == verticalMode {
		return
	}
	put(mode == trueMotionMode, 183)
}

// putSubblockMode writes the mode of a block of luma (11.2).
func putSubblockMode(put func(bool, uint8), chances *[9]uint8, mode uint8) {
	for i, m := range [...]uint8{dcMode, trueMotionMode, verticalMode} {
		if put(mode != m, chances[i]); mode == m {
			return
		}
	}
	switch mode {
	case horizontalMode, rightDownMode, verticalRightMode:
		put(false, chances[3])
		if put(mode != horizontalMode, chances[4]); mode != horizontalMode {
			put(mode == verticalRightMode, chances[5])
		}
		return
	}
	put(true, chances[3])
	for i, m := range [...]uint8{leftDownMode, verticalLeftMode} {
		if put(mode != m, chances[6+i]); mode == m {
			return
		}
	}
	put(mode == horizontalUpMode, chances[8])
}

// write returns the frame of an image of w by h pixels.
func (e *encoder) write(w, h, filter int) ([]byte, error) {
	model := e.counts.fit()
	partitions, err := e.writeTokens(model)
	if err != nil {
		return nil, err
	}
	first := e.writeFirst(model, len(partitions), filter)
	if len(first) > maxFirst {
		return nil, fmt.Errorf("the frame has %d bytes of modes, more than %d", len(first), maxFirst)
	}
	tag := uint32(len(first))<<5 | 1<<4 // a key frame that is shown
	out := []byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 0x01, 0x2a}
	out = binary.LittleEndian.AppendUint16(out, uint16(w))
	out = binary.LittleEndian.AppendUint16(out, uint16(h))
	out = append(out, first...)
	for _, p := range partitions[:len(partitions)-1] {
		out = append(out, byte(len(p)), byte(len(p)>>8), byte(len(p)>>16))
	}
	for _, p := range partitions {
		out = append(out, p...)
	}
	return out, nil
}

// writeTokens returns the partitions of tokens: as few as their limit allows.
func (e *encoder) writeTokens(model *tokenModel) ([][]byte, error) {
	for n := 1; n <= maxPartitions; n *= 2 {
		writers := make([]*boolWriter, n)
		for i := range writers {
			writers[i] = newBoolWriter()
		}
		above := make([]contexts, e.w)
		for y := range e.h {
			var beside contexts
			to := tokenWriter{writers[y%n], model}
			for x := range e.w {
				e.code[y*e.w+x].sendTokens(to, &above[x], &beside)
			}
		}
		partitions, fits := make([][]byte, n), true
		for i, w := range writers {
			partitions[i] = w.finish()
			fits = fits && len(partitions[i]) <= maxPartition
		}
		if fits {
			return partitions, nil
		}
	}
	return nil, fmt.Errorf("the frame has more than %d bytes of pixels", maxPartitions*maxPartition)
}

// writeFirst returns the first partition: the header and the modes (9.2 to 9.11).
func (e *encoder) writeFirst(model *tokenModel, partitions, filter int) []byte {
	w := newBoolWriter()
	w.putBits(0, 2) // the usual colors, and pixels that are clamped
	segments := e.writeSegments(w)
	w.put(false, 128) // the normal loop filter
	w.putBits(uint32(filter), 6)
	w.putBits(0, 3) // sharpness
	w.put(false, 128)
	for n := 1; n < maxPartitions; n *= 2 { // the exponent of the number of partitions
		if n == partitions {
			w.putBits(uint32(map[int]int{1: 0, 2: 1, 4: 2}[n]), 2)
		}
	}
	if partitions == maxPartitions {
		w.putBits(3, 2)
	}
	w.putBits(uint32(e.strength[0].index), 7)
	for _, delta := range [5]int{0, 0, 0, chromaDC, 0} {
		w.putSigned(delta, 4)
	}
	w.put(false, 128) // chances are for this frame only
	for kind := range model {
		for band := range model[kind] {
			for context := range model[kind][band] {
				for node, chance := range model[kind][band][context] {
					update := chance != defaultModel[kind][band][context][node]
					w.put(update, updateChances[kind][band][context][node])
					if update {
						w.putBits(uint32(chance), 8)
					}
				}
			}
		}
	}
	e.writeModes(w, segments)
	return w.finish()
}

// writeModes writes the modes of all macroblocks, and which are empty.
func (e *encoder) writeModes(w *boolWriter, segments *[3]uint8) {
	var full uint32
	for i := range e.code {
		if !e.code[i].empty {
			full++
		}
	}
	fullChance := chanceOf(full, uint32(len(e.code))-full)
	w.put(true, 128)
	w.putBits(uint32(fullChance), 8)
	above := make([]lumaModes, e.w)
	for y := range e.h {
		var beside lumaModes
		for x := range e.w {
			b := &e.code[y*e.w+x]
			if segments != nil {
				w.put(b.segment > 1, segments[0])
				w.put(b.segment&1 != 0, segments[1+b.segment/2])
			}
			w.put(b.empty, fullChance)
			w.put(!b.split, splitChance)
			if !b.split {
				putWholeMode(w.put, b.modes[0])
			}
			for i, mode := range b.modes {
				if b.split {
					putSubblockMode(w.put, &subblockChances[above[x][i%4]][beside[i/4]], mode)
				}
				above[x][i%4], beside[i/4] = mode, mode
			}
			putColorsMode(w.put, b.colors)
		}
	}
}

// writeSegments writes the segments and their strengths. It returns the chances of segments, or nil
// if there is only one.
func (e *encoder) writeSegments(w *boolWriter) *[3]uint8 {
	w.put(false, 128)
	return nil
}

// An effort limits the search for short codes.
type effort struct {
	modes     int  // number of modes that are tried for each block of luma
	search    bool // levels of the chosen modes are searched
	searchAll bool // levels of all tried modes are searched
	passes    int
	adapts    bool
}

var efforts = [3]effort{
	{modes: 2, passes: 1, adapts: true},
	{modes: 4, search: true, passes: 1, adapts: true},
	{modes: 10, search: true, searchAll: true, passes: 2, adapts: true},
}

// Options say how an image is encoded.
type Options struct {
	Quality int // from 1 to 100
	Effort  int // from 0, fast, to 2
	// ByAlpha says that alpha is transparency, so that hidden pixels may have any color.
	ByAlpha bool
}

// Encode returns a key frame of w by h pixels. Each pixel has four bytes: red, green, blue, and alpha,
// which the frame does not hold.
func Encode(ctx context.Context, pix []uint8, w, h int, o Options) ([]byte, error) {
	if w < 1 || h < 1 || w > MaxSide || h > MaxSide || len(pix) < 4*w*h {
		return nil, fmt.Errorf("%d x %d pixels cannot be a VP8 frame", w, h)
	}
	e := &encoder{planes: separate(pix, w, h, o.ByAlpha), effort: efforts[o.Effort], tariff: newTariff(), prices: modePrices()}
	e.code = make([]macroblock, e.w*e.h)
	index := quantizerIndex(o.Quality)
	e.strength[0] = newStrength(index)
	model := &defaultModel
	for range e.effort.passes {
		e.tariff.setModel(model)
		if err := e.encodeRows(ctx); err != nil {
			return nil, err
		}
		model = e.counts.fit()
	}
	filter := min(63, int(acSteps[index])*filterFactor/1024)
	return e.write(w, h, filter)
}

var filterFactor = 300

// quantizerIndex returns the index of the quantizer for a quality, as in libwebp: the cube root makes
// the size of files nearly proportional to the quality.
func quantizerIndex(quality int) int {
	c := float64(quality) / 100
	if quality < 75 {
		c = c * 2 / 3
	} else {
		c = float64(2*c) - 1
	}
	return int(float64(127 * (1 - detmath.Pow(c, 1.0/3))))
}
