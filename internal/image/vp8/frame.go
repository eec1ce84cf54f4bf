package vp8

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// Limits of the format: the first partition has the header and the modes, the others have the tokens
// (9.3, 9.5).
const (
	maxFirst      = 1<<19 - 1
	maxPartition  = 1<<24 - 1
	maxPartitions = 8
)

// sendTokens passes the tokens of a macroblock to a sink, and updates the contexts above the
// macroblock and to its left.
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

// write returns the frame of an image of w by h pixels. Each partition of tokens has at most limit
// bytes.
func (e *encoder) write(w, h, limit int) ([]byte, error) {
	model := e.counts.fit()
	partitions, err := e.writeTokens(model, limit)
	if err != nil {
		return nil, err
	}
	first := e.writeFirst(model, len(partitions))
	if len(first) > maxFirst {
		return nil, tooLarge("modes", len(first), maxFirst)
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

// tooLarge returns the error for a frame that exceeds a limit of the format.
func tooLarge(part string, size, limit int) error {
	return fmt.Errorf("the image is too large for lossy WebP: its %s take %d bytes, but the format allows at most %d; scale the image down, or store it without loss", part, size, limit)
}

// writeTokens returns the tokens, divided into as few partitions as the limit per partition allows.
func (e *encoder) writeTokens(model *tokenModel, limit int) ([][]byte, error) {
	size := 0
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
		size = 0
		for i, w := range writers {
			partitions[i] = w.finish()
			size += len(partitions[i])
			fits = fits && len(partitions[i]) <= limit
		}
		if fits {
			return partitions, nil
		}
	}
	return nil, tooLarge("pixels", size, maxPartitions*limit)
}

// writeFirst returns the first partition: the header and the modes (9.2 to 9.11).
func (e *encoder) writeFirst(model *tokenModel, partitions int) []byte {
	w := newBoolWriter()
	w.putBits(0, 2)   // YUV color space; the decoder must clamp pixels
	w.put(false, 128) // no segmentation
	w.put(false, 128) // the normal loop filter
	w.putBits(uint32(e.filter), 6)
	w.putBits(0, 3) // sharpness
	w.put(false, 128)
	w.putBits(uint32(bits.Len(uint(partitions))-1), 2)
	w.putBits(uint32(e.strength.index), 7)
	for _, delta := range [5]int{0, 0, 0, -chromaFiner, -chromaFiner} {
		w.putSigned(delta, 4)
	}
	w.put(false, 128) // token probabilities apply to this frame only
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
	e.writeModes(w)
	return w.finish()
}

// writeModes writes the prediction modes of all macroblocks, and which macroblocks are empty.
func (e *encoder) writeModes(w *boolWriter) {
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
