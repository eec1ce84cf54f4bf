package vp8

import "sync"

// modePrices returns the lengths of modes in 1/256 bit, including the flag whether luma is split.
var modePrices = sync.OnceValue(func() *modeLengths {
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

type modeLengths struct {
	whole, colors [macroblockModes]int64
	split         int64
	subblock      [subblockModes][subblockModes][subblockModes]int64
}

// splitChance/256 is the probability that luma is split (11.2).
const splitChance = 145

// putWholeMode writes the mode of luma that is not split (11.2).
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
