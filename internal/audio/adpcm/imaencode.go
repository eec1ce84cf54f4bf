package adpcm

import "encoding/binary"

// IMABlockSize returns the usual size of an IMA block in bytes: 256 a channel up
// to 11025 Hz, twice that for every doubling of the rate, 2048 at most.
func IMABlockSize(rate, channels int) int {
	size := 256
	for r := 2 * 11025; r <= rate && size < 2048; r *= 2 {
		size *= 2
	}
	return size * channels
}

// An IMAEncoder makes IMA blocks of one size. It belongs to one goroutine.
//
// To code each sample as well as can be is greedy: a small miss now may leave the
// step size right for what follows. The encoder follows the few best beginnings
// of a block at once, a beam search, and keeps the one whose squared error is
// least at the block's end. The step size that a block starts with is part of the
// search. For music that is about 1 dB better than greedy.
//
// There are two kinds of decoders. Some sum the parts of a step, as the
// recommendation does (SoX does), others multiply (ffmpeg does), and wander
// off from the first by some units in the last place until the next block, which is
// much for quiet sounds. The error that counts is that of both together: the codes
// that the search finds keep the two near each other.
type IMAEncoder struct {
	channels, frames int

	beams, next []beam
	// path holds, for each sample and each beam that survived it, the beam
	// before it and the code that led from there: beam<<4 | code.
	path []uint16
}

// The search follows width beams. For the first samples of a block, when little is
// known, it follows one for every third step size. Eight beams would gain 0.1 dB
// and take half as long again.
const (
	width     = 6
	indexStep = 3
	starts    = maxIndex/indexStep + 1
	startLen  = 8
)

// A beam is a beginning of a block.
type beam struct {
	miss       int64 // squared errors so far, of both kinds of decoders together
	summed     int32 // the last sample, as a decoder has it that sums parts of a step
	multiplied int32 // the same of one that multiplies
	index      uint8 // of the step size
	path       uint16
}

// NewIMAEncoder returns an encoder for blocks of so many bytes. Size has to be a
// multiple of four bytes a channel and hold a frame at least.
func NewIMAEncoder(blockSize, channels int) *IMAEncoder {
	frames := IMAFrames(blockSize, channels)
	return &IMAEncoder{
		channels: channels,
		frames:   frames,
		beams:    make([]beam, 0, starts),
		next:     make([]beam, 0, starts),
		path:     make([]uint16, frames*starts),
	}
}

// Frames returns how many frames a block holds.
func (e *IMAEncoder) Frames() int { return e.frames }

// Append appends a block of interleaved samples to a file. If they are fewer
// frames than a block holds, but one at least, the last is repeated.
func (e *IMAEncoder) Append(to []byte, samples []int16) []byte {
	size := e.channels * (imaHeader + (e.frames-1)/perGroup*imaGroup)
	to = append(to, make([]byte, size)...)
	for c := range e.channels {
		e.channel(to[len(to)-size:], samples, c)
	}
	return to
}

func (e *IMAEncoder) channel(block []byte, samples []int16, c int) {
	t, first, last := ima(), int32(samples[c]), len(samples)-e.channels+c
	e.beams = e.beams[:0]
	for i := range starts {
		e.beams = append(e.beams, beam{summed: first, multiplied: first, index: uint8(i * indexStep)})
	}
	for i := 1; i < e.frames; i++ {
		e.step(t, int32(samples[min(i*e.channels+c, last)]), i)
	}

	// Beams are sorted by error; the way back from the best gives the codes.
	best := 0
	for i := e.frames - 1; i > 0; i-- {
		path := e.path[i*starts+best]
		group, place := (i-1)/perGroup, (i-1)%perGroup
		at := imaHeader*e.channels + (group*e.channels+c)*imaGroup + place/2
		block[at] |= byte(path&15) << (4 * (place & 1))
		best = int(path >> 4)
	}
	head := block[imaHeader*c:]
	binary.LittleEndian.PutUint16(head, uint16(samples[c]))
	head[2] = byte(best * indexStep)
}

// step extends all beams by sample i of the block and keeps the best.
func (e *IMAEncoder) step(t *imaTables, target int32, i int) {
	limit := starts
	if i >= startLen {
		limit = width
	}
	e.next = e.next[:0]
	for from := range e.beams {
		b := &e.beams[from]
		distance, sign := target-(b.summed+b.multiplied)>>1, int32(0)
		if distance < 0 {
			distance, sign = -distance, 8
		}
		// The code that comes nearest and the next larger: the smaller one is
		// hardly ever on the best path. The other way may be, from full scale.
		code := min(4*distance/t.steps[b.index], 7)
		codes := [...]int32{code | sign, min(code+1, 7) | sign, sign ^ 8}
		offers := codes[:2]
		if code == 0 {
			offers = codes[:]
		}
		for _, code := range offers {
			summed := clamp16(b.summed + t.sums[b.index][code])
			multiplied := clamp16(b.multiplied + t.products[b.index][code])
			d1, d2 := int64(target-summed), int64(target-multiplied)
			miss := b.miss + d1*d1 + d2*d2
			if len(e.next) == limit && miss >= e.next[limit-1].miss {
				continue // as keep would find out, for most
			}
			n := beam{miss, summed, multiplied, t.next[b.index][code], uint16(from)<<4 | uint16(code)}
			e.next = keep(e.next, n, limit)
		}
	}
	for j, b := range e.next {
		e.path[i*starts+j] = b.path
	}
	e.beams, e.next = e.next, e.beams
}

// alike reports whether any future treats two beams alike.
func (b *beam) alike(o *beam) bool {
	return b.summed == o.summed && b.multiplied == o.multiplied && b.index == o.index
}

// keep puts a beam into a list that is sorted by error, if it is among the best.
// Of beams that any future treats alike only the best stays; among equals the one
// that came first.
func keep(list []beam, n beam, limit int) []beam {
	at := len(list)
	for at > 0 && list[at-1].miss > n.miss {
		at--
	}
	if at == limit {
		return list
	}
	for i := range list[:at] {
		if list[i].alike(&n) {
			return list
		}
	}
	end := at // the place that becomes free
	for end < len(list) && !list[end].alike(&n) {
		end++
	}
	switch {
	case end < len(list):
	case end < limit:
		list = append(list, beam{})
	default:
		end--
	}
	copy(list[at+1:end+1], list[at:end])
	list[at] = n
	return list
}
