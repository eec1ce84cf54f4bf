// Package wav reads and writes RIFF WAVE files.
//
// [Decode] reads integer PCM of up to 32 bits, floats, A-law, mu-law, IMA and Microsoft ADPCM, each
// also as WAVE_FORMAT_EXTENSIBLE, and RF64, the variant for long files (EBU Tech 3306). [Encode]
// writes PCM, floats and IMA ADPCM. Both preserve loops.
//
// # Unusual files
//
// Chunks may come in any order, and a missing padding byte after a chunk of odd size is detected. A
// file that ends within a chunk is an error, with one exception: programs that write into a pipe do
// not know the size of the data. So a data chunk extends to the end of the file if its declared
// size is about 2 or 4 GiB. The same is true of an empty data chunk at the end that the RIFF header
// declares. A truncated PCM frame at the end is dropped. ADPCM blocks of the wrong length are
// decoded as far as they have frames, and the fact chunk determines where the sound ends in the
// last block.
//
// If there are more than two channels and the channel mask of the extensible format lists unusual
// speakers, this is an error; the mask for one or two channels is ignored.
//
// Floats may exceed full scale. NaN and infinity are errors, because no later stage could process
// them.
//
// # Loops
//
// Loops are read from the smpl chunk. If it has none, they are read from regions of the cue list
// (ltxt) with "loop" in their label, and from pairs of points labeled as the start and the end of a
// loop. A loop that ends beyond the sound is shortened. Empty loops, loops that only play
// backwards, and loops in wsmp and plst chunks are dropped with a warning. A clip lists other
// markers, the tempo, and a root note as lost. Fractions of a frame are dropped.
//
// Sources: "Multimedia Programming Interface and Data Specifications 1.0", IBM and Microsoft 1991;
// "New Multimedia Data Types and Data Techniques", Microsoft 1994; "Multiple Channel Audio Data and
// WAVE Files", Microsoft 2001.
package wav

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// These are limits for reading and writing.
const (
	MaxChannels    = 64
	MaxIMAChannels = 2 // limit for writing: the codec has none, but most players do
	MaxRate        = 10_000_000
	maxChunks      = 10_000
	maxLoops       = 1000
)

// Coding is the format of stored samples.
type Coding int

// These are the supported codings. Integers are little-endian; in 8-bit integers, 128 means zero.
// Encode writes PCM8 to Float32 and IMA.
const (
	PCM8 Coding = iota + 1
	PCM16
	PCM24
	PCM32
	Float32
	Float64
	ALaw
	MuLaw
	IMA
	MS
)

// String returns the usual name of a coding, such as "16-bit PCM".
func (c Coding) String() string {
	return map[Coding]string{
		PCM8: "8-bit PCM", PCM16: "16-bit PCM", PCM24: "24-bit PCM", PCM32: "32-bit PCM",
		Float32: "32-bit float", Float64: "64-bit float", ALaw: "A-law", MuLaw: "mu-law",
		IMA: "IMA ADPCM", MS: "Microsoft ADPCM",
	}[c]
}

// Bits returns the number of bits per stored sample, or 0 for ADPCM.
func (c Coding) Bits() int { return 8 * c.sampleBytes() }

// sampleBytes returns the size of a stored sample in bytes, or 0 for ADPCM.
func (c Coding) sampleBytes() int {
	switch c {
	case PCM8, ALaw, MuLaw:
		return 1
	case PCM16:
		return 2
	case PCM24:
		return 3
	case PCM32, Float32:
		return 4
	case Float64:
		return 8
	}
	return 0
}

// Info describes a WAV file.
type Info struct {
	Coding   Coding
	Rate     int // frames per second
	Channels int
	// Frames is the length of the data in frames. Probe may overestimate it, because it may not
	// read the fact chunk, which can shorten the last ADPCM block.
	Frames int64
}

// Probe describes a file of the given size that starts with head. If head is too short, the error
// is fileformat.ErrShortHead. A clip takes 4 * Frames * Channels bytes; no other allocation depends
// on the file's length.
func Probe(head []byte, size int64) (Info, error) {
	l, err := readLayout(head, size, true)
	if err != nil {
		return Info{}, err
	}
	return l.describeLayout(), nil
}

// describeLayout returns the Info of a file with this layout.
func (l *layout) describeLayout() Info {
	return Info{Coding: l.format.coding, Rate: l.format.rate, Channels: l.format.channels, Frames: l.soundFrames()}
}

// soundFrames returns the length of the sound in frames.
func (l *layout) soundFrames() int64 {
	f := &l.format
	if f.coding.sampleBytes() > 0 {
		return l.dataLen / int64(f.block)
	}
	n := l.dataLen/int64(f.block)*int64(f.blockFrames) +
		int64(min(f.blockFrames, f.framesOf(int(l.dataLen%int64(f.block)))))
	if l.fact > 0 && l.fact < n {
		return l.fact
	}
	return n
}

// piece is the approximate number of samples between two checks of the context.
const piece = 1 << 16

// Decode decodes a file. Integers of up to 24 bits, 32-bit floats, A-law, mu-law and ADPCM keep
// their exact values. Other samples are rounded to nearest.
func Decode(ctx context.Context, data []byte) (*pcm.Clip, Info, error) {
	l, err := readLayout(data, int64(len(data)), false)
	if err != nil {
		return nil, Info{}, err
	}
	info := l.describeLayout()
	if info.Frames > math.MaxInt/8/int64(info.Channels) {
		return nil, info, fmt.Errorf("wav: %d frames do not fit in the memory of this machine", info.Frames)
	}
	clip := &pcm.Clip{Rate: info.Rate, Channels: info.Channels}
	clip.Samples = make([]float32, int(info.Frames)*info.Channels)
	sound := data[l.dataAt:][:l.dataLen]
	if info.Coding == IMA || info.Coding == MS {
		err = l.format.decodeADPCM(ctx, clip.Samples, sound)
	} else {
		err = l.format.decodeSamples(ctx, clip.Samples, sound)
	}
	if err != nil {
		return nil, info, err
	}
	l.loops.AddTo(clip)
	return clip, info, nil
}

// decodeSamples decodes codings that store single samples.
func (f *format) decodeSamples(ctx context.Context, to []float32, from []byte) error {
	size := f.coding.sampleBytes()
	for at := 0; at < len(to); at += piece {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(piece, len(to)-at)
		decodePCM(to[at:at+n], from[at*size:], f.coding)
		if f.coding != Float32 && f.coding != Float64 {
			continue
		}
		for i, x := range to[at : at+n] {
			if x-x != 0 {
				return fmt.Errorf("wav: frame %d has the invalid sample %v; export the file again", (at+i)/f.channels, x)
			}
		}
	}
	return nil
}

// decodePCM decodes len(to) samples of codings that store single samples.
func decodePCM(to []float32, from []byte, coding Coding) {
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

func (f *format) decodeADPCM(ctx context.Context, to []float32, from []byte) error {
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

// alaw expands an A-law code (ITU-T G.711) to the upper 13 of 16 bits. Every second bit is stored
// inverted.
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

// mulaw expands a mu-law code (ITU-T G.711) to the upper 14 of 16 bits. All bits are stored
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
