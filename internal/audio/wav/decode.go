package wav

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// piece is about the number of samples between two checks of the context.
const piece = 1 << 16

// Decode decodes a file. Integers of up to 24 bits, floats of 32, A-law, mu-law and ADPCM keep
// their exact values; others are rounded to nearest.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, Info, error) {
	l, err := readLayout(data, int64(len(data)), false)
	if err != nil {
		return nil, Info{}, err
	}
	info := l.info()
	if info.Frames > math.MaxInt/8/int64(info.Channels) {
		return nil, info, fmt.Errorf("wav: %d frames do not fit in the memory of this machine", info.Frames)
	}
	clip := &pcm.Clip{Rate: info.Rate, Channels: info.Channels}
	clip.Samples = make([]float32, int(info.Frames)*info.Channels)
	sound := data[l.dataAt:][:l.dataLen]
	if info.Coding == IMA || info.Coding == MS {
		err = l.format.blocks(ctx, clip.Samples, sound)
	} else {
		err = l.format.frames(ctx, clip.Samples, sound)
	}
	if err != nil {
		return nil, info, err
	}
	l.loops.AddTo(clip)
	return clip, info, nil
}

// frames decodes codings that store single samples.
func (f *format) frames(ctx context.Context, to []float32, from []byte) error {
	size := f.coding.bytes()
	for at := 0; at < len(to); at += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(piece, len(to)-at)
		samples(to[at:at+n], from[at*size:], f.coding)
		if f.coding != Float32 && f.coding != Float64 {
			continue
		}
		for i, x := range to[at : at+n] {
			if x-x != 0 {
				return fmt.Errorf("wav: frame %d is %v, an invalid sample; export the file again", (at+i)/f.channels, x)
			}
		}
	}
	return nil
}

// samples decodes len(to) samples of codings that store single samples.
func samples(to []float32, from []byte, coding Coding) {
	le := binary.LittleEndian
	switch coding {
	case PCM8:
		for i := range to {
			to[i] = float32(int(from[i])-128) / (1 << 7)
		}
	case PCM16:
		for i := range to {
			to[i] = float32(int16(le.Uint16(from[2*i:]))) / (1 << 15)
		}
	case PCM24:
		for i := range to {
			p := from[3*i : 3*i+3]
			to[i] = float32(int32(uint32(p[0])<<8|uint32(p[1])<<16|uint32(p[2])<<24)>>8) / (1 << 23)
		}
	case PCM32:
		for i := range to {
			to[i] = float32(int32(le.Uint32(from[4*i:]))) / (1 << 31)
		}
	case Float32:
		for i := range to {
			to[i] = math.Float32frombits(le.Uint32(from[4*i:]))
		}
	case Float64:
		for i := range to {
			to[i] = float32(math.Float64frombits(le.Uint64(from[8*i:])))
		}
	case ALaw:
		for i := range to {
			to[i] = float32(alaw(from[i])) / (1 << 15)
		}
	case MuLaw:
		for i := range to {
			to[i] = float32(mulaw(from[i])) / (1 << 15)
		}
	}
}

// blocks decodes ADPCM.
func (f *format) blocks(ctx context.Context, to []float32, from []byte) error {
	block := make([]int16, f.blockFrames*f.channels)
	work := 0
	for number := 0; len(to) > 0; number++ {
		if work -= len(block); work <= 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			work = piece
		}
		n := min(len(block), len(to))
		stored := from[:min(f.block, len(from))]
		var err error
		if f.coding == IMA {
			err = adpcm.DecodeIMA(block[:n], stored, f.channels)
		} else {
			err = adpcm.DecodeMS(block[:n], stored, f.channels, f.predictors)
		}
		if err != nil {
			return fmt.Errorf("wav: block %d: %w", number, err)
		}
		for i, x := range block[:n] {
			to[i] = float32(x) / (1 << 15)
		}
		to, from = to[n:], from[len(stored):]
	}
	return nil
}

// alaw expands a sample by ITU-T G.711, A-law, to the upper 13 of 16 bits. Every second bit is
// stored inverted.
func alaw(code byte) int16 {
	code ^= 0x55
	x := int16(code&15)<<4 + 8
	if segment := code >> 4 & 7; segment > 0 {
		x = (x + 0x100) << (segment - 1)
	}
	if code&0x80 == 0 {
		return -x
	}
	return x
}

// mulaw expands a sample by ITU-T G.711, mu-law, to the upper 14 of 16 bits. All bits are stored
// inverted.
func mulaw(code byte) int16 {
	const bias = 0x84
	code = ^code
	x := (int16(code&15)<<3+bias)<<(code>>4&7) - bias
	if code&0x80 != 0 {
		return -x
	}
	return x
}
