package qoa

import (
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Encode writes a clip as a QOA file. Samples are rounded to 16 bits; samples beyond full scale are
// clipped, and NaN becomes silence. Encode writes nothing if [Check] returns an error.
func Encode(ctx context.Context, w io.Writer, clip *pcm.Clip) error {
	if err := Check(clip); err != nil {
		return err
	}
	head := append(make([]byte, 0, fileHeader), magic...)
	head = binary.BigEndian.AppendUint32(head, uint32(clip.Frames()))
	if _, err := w.Write(head); err != nil {
		return err
	}
	e := encoder{channels: clip.Channels, rate: clip.Rate, tables: lookup()}
	for c := range e.states {
		e.states[c].predictor = newPredictor()
	}
	var buf []byte
	for rest := clip.Samples[:clip.Frames()*clip.Channels]; len(rest) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(frameSamples*clip.Channels, len(rest))
		buf = e.appendFrame(buf[:0], rest[:n])
		if _, err := w.Write(buf); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

type encoder struct {
	channels, rate int
	tables         *tables
	states         [MaxChannels]state
}

// A state is the encoder's state for one channel.
type state struct {
	predictor
	scale int // index of the scale factor of the previous slice
}

// appendFrame appends one frame of interleaved samples.
func (e *encoder) appendFrame(to []byte, samples []float32) []byte {
	count := len(samples) / e.channels
	to = binary.BigEndian.AppendUint64(to, uint64(e.channels)<<56|uint64(e.rate)<<32|
		uint64(count)<<16|uint64(frameSize(count, e.channels)))
	for c := range e.channels {
		var state [stateSize]byte
		e.states[c].putState(state[:])
		to = append(to, state[:]...)
		// The scale search starts at 0 in each frame, because frames must not depend on each other.
		e.states[c].scale = 0
	}
	for at := 0; at < count; at += sliceLen {
		n := min(sliceLen, count-at)
		for c := range e.channels {
			var slice [sliceLen]int32
			for i := range n {
				slice[i] = roundInt16(samples[(at+i)*e.channels+c])
			}
			to = binary.BigEndian.AppendUint64(to, e.encodeSlice(&e.states[c], slice[:n]))
		}
	}
	return to
}

// roundInt16 rounds a sample to 16 bits, ties to even.
func roundInt16(x float32) int32 {
	x *= 1 << 15
	switch {
	case x != x:
		return 0
	case x >= math.MaxInt16:
		return math.MaxInt16
	case x <= math.MinInt16:
		return math.MinInt16
	}
	return int32(math.RoundToEven(float64(x)))
}

// encodeSlice finds the best scale factor for up to 20 samples, advances the channel's state and
// returns the slice in the file's format.
//
// The search starts with the previous slice's scale factor, which tends to be nearly the best, and
// alternates to both sides. A good early result aborts later trials early. If several scale factors
// are equally good, the first one counting upwards (modulo 16) from the previous one wins, as in
// the reference.
func (e *encoder) encodeSlice(s *state, samples []int32) uint64 {
	best := trial{rank: math.MaxUint64}
	bestTurn := 16
	for i := range 16 {
		turn := (i + 1) / 2
		if i%2 == 0 {
			turn = (16 - i/2) % 16
		}
		scale := (s.scale + turn) % 16
		t := e.tryScale(&s.predictor, samples, scale, best.rank)
		if t.rank < best.rank || t.rank == best.rank && turn < bestTurn {
			best, bestTurn = t, turn
		}
	}
	s.predictor, s.scale = best.after, (s.scale+bestTurn)%16
	// The codes of a short slice are left-aligned in 64 bits.
	code := uint64(s.scale)<<(3*len(samples)) | best.codes
	return code << (3 * (sliceLen - len(samples)))
}

// A trial is the result of encoding a slice with one scale factor.
type trial struct {
	rank  uint64 // squared error plus penalties; above the limit if aborted
	codes uint64 // codes of three bits per sample, with the first sample in the highest bits
	after predictor
}

// tryScale encodes the samples with one scale factor. It stops when the rank of the trial exceeds
// the limit.
func (e *encoder) tryScale(p *predictor, samples []int32, scale int, limit uint64) trial {
	const heavy = 0x8ff // limit for the sum of the squared weights, in units of 2^18

	reciprocal, steps := e.tables.reciprocal[scale], &e.tables.steps[scale]
	// The state is copied to local variables, because registers are faster than an array.
	h0, h1, h2, h3 := p.history[0], p.history[1], p.history[2], p.history[3]
	w0, w1, w2, w3 := p.weights[0], p.weights[1], p.weights[2], p.weights[3]
	var t trial
	for _, sample := range samples {
		predicted := (w0*h0 + w1*h1 + w2*h2 + w3*h3) >> 13
		residual := sample - predicted
		// The quotient is rounded to nearest, but never to zero.
		q := (residual*reciprocal + 1<<15) >> 16
		q += signum(residual) - signum(q)
		st := steps[(min(max(q, -8), 8)+8)&31]
		got := clampInt16(predicted + st.value)

		miss := int64(sample - got)
		t.rank += uint64(miss * miss)
		weight := (int64(w0)*int64(w0)+int64(w1)*int64(w1)+int64(w2)*int64(w2)+int64(w3)*int64(w3))>>18 - heavy
		if weight > 0 {
			t.rank += uint64(weight * weight)
		}
		if t.rank > limit {
			return t
		}
		t.codes = t.codes<<3 | uint64(st.code)

		delta := st.value >> 4
		s0, s1, s2, s3 := h0>>31, h1>>31, h2>>31, h3>>31
		w0 += delta ^ s0 - s0
		w1 += delta ^ s1 - s1
		w2 += delta ^ s2 - s2
		w3 += delta ^ s3 - s3
		h0, h1, h2, h3 = h1, h2, h3, got
	}
	t.after = predictor{[4]int32{h0, h1, h2, h3}, [4]int32{w0, w1, w2, w3}}
	return t
}

// signum returns -1, 0 or 1.
func signum(x int32) int32 { return x>>31 | int32(uint32(-x)>>31) }
