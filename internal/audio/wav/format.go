package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/assetcook/assetcook/internal/audio/adpcm"
)

// A format holds the checked contents of the fmt chunk.
type format struct {
	coding         Coding
	rate, channels int
	// block is the size in bytes of a frame or of an ADPCM block. blockFrames is the number of
	// frames in it.
	block, blockFrames int
	predictors         []adpcm.Predictor // predictors of Microsoft ADPCM, as declared in the file
}

// These are the format codes of the fmt chunk.
const (
	tagPCM        = 0x0001
	tagMS         = 0x0002
	tagFloat      = 0x0003
	tagALaw       = 0x0006
	tagMuLaw      = 0x0007
	tagIMA        = 0x0011
	tagMP3        = 0x0055
	tagExtensible = 0xfffe
)

// subFormat is the end of a GUID that starts with one of the format codes.
const subFormat = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// maxFormat is the maximum number of bytes of the fmt chunk that are read, which includes all
// predictors of Microsoft ADPCM.
const maxFormat = 22 + 4*256

func readFormat(p []byte) (format, error) {
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(p[at:])) }
	if len(p) < 16 {
		return format{}, fmt.Errorf("the \"fmt \" chunk has %d bytes, want at least 16; export the file again", len(p))
	}
	tag, channels, bits := u16(0), u16(2), u16(14)
	rate := binary.LittleEndian.Uint32(p[4:])
	f := format{channels: channels, rate: int(min(rate, math.MaxInt32)), block: u16(12), blockFrames: 1}
	switch {
	case channels < 1 || channels > MaxChannels:
		return format{}, fmt.Errorf("the file has %d channels, want 1 to %d", channels, MaxChannels)
	case f.rate < 1 || f.rate > MaxRate:
		return format{}, fmt.Errorf("the file has %d frames a second, want 1 to %d", rate, MaxRate)
	}
	if tag == tagExtensible {
		if len(p) < 40 || string(p[26:40]) != subFormat {
			return format{}, errors.New("the extensible format has an unknown subformat; save the sound as PCM")
		}
		tag = u16(24)
		if err := checkSpeakers(channels, binary.LittleEndian.Uint32(p[20:])); err != nil {
			return format{}, err
		}
	}
	switch tag {
	case tagPCM:
		return f, f.setPCM(bits)
	case tagFloat:
		f.coding = Float32
		if bits == 64 {
			f.coding = Float64
		}
		return f, f.checkFrameSize(bits == 32 || bits == 64, bits)
	case tagALaw, tagMuLaw:
		f.coding = ALaw
		if tag == tagMuLaw {
			f.coding = MuLaw
		}
		return f, f.checkFrameSize(bits == 8, bits)
	case tagIMA, tagMS:
		f.coding = IMA
		if tag == tagMS {
			f.coding = MS
		}
		if bits != 4 {
			return format{}, fmt.Errorf("%v has %d bits per sample, want 4; export the file again", f.coding, bits)
		}
		return f, f.setADPCM(p)
	case tagMP3:
		return format{}, errors.New("MP3 in a WAV file is not supported; use the .mp3 itself, or save the sound as PCM")
	}
	return format{}, fmt.Errorf("coding 0x%04x is not supported; save the sound as PCM", tag)
}

// setPCM sets the PCM coding. The frame size determines the bytes per sample, because some programs
// declare 0 bits, and others fewer bits than they store. Missing low bits of a sample are 0.
func (f *format) setPCM(bits int) error {
	size := f.block / f.channels
	if size < 1 || size > 4 || f.block%f.channels != 0 || bits > 8*size {
		return fmt.Errorf("PCM has samples of %d bits in frames of %d bytes for %d channels, want 1 to 32 bits", bits, f.block, f.channels)
	}
	f.coding = [...]Coding{PCM8, PCM16, PCM24, PCM32}[size-1]
	return nil
}

// checkFrameSize checks the frame size of codings with a fixed sample size.
func (f *format) checkFrameSize(bitsFit bool, bits int) error {
	if !bitsFit || f.block != f.channels*f.coding.sampleBytes() {
		return fmt.Errorf("%v with samples of %d bits, frames of %d bytes and %d channels is inconsistent; export the file again", f.coding, bits, f.block, f.channels)
	}
	return nil
}

func (f *format) setADPCM(p []byte) error {
	full := f.framesOf(f.block)
	if full < 2 {
		return fmt.Errorf("%v has blocks of %d bytes, too small for %d channels; export the file again", f.coding, f.block, f.channels)
	}
	f.blockFrames = full
	if len(p) >= 20 {
		// The header may declare fewer frames per block than the block can hold.
		if n := int(binary.LittleEndian.Uint16(p[18:])); n > 0 {
			f.blockFrames = min(n, full)
		}
	}
	if f.coding == IMA {
		return nil
	}
	f.predictors = adpcm.MSPredictors()
	if len(p) < 22 {
		return nil
	}
	if n := int(binary.LittleEndian.Uint16(p[20:])); n > 0 {
		if n > 256 || len(p) < 22+4*n {
			return fmt.Errorf("%v has %d predictors, which do not fit in the \"fmt \" chunk of %d bytes; export the file again", f.coding, n, len(p))
		}
		f.predictors = f.predictors[:0]
		for i := range n {
			at := p[22+4*i:]
			f.predictors = append(f.predictors, adpcm.Predictor{
				Last:   int16(binary.LittleEndian.Uint16(at)),
				Before: int16(binary.LittleEndian.Uint16(at[2:])),
			})
		}
	}
	return nil
}

// framesOf returns the number of frames in an ADPCM block of the given size.
func (f *format) framesOf(size int) int {
	if f.coding == IMA {
		return adpcm.IMAFrames(size, f.channels)
	}
	return adpcm.MSFrames(size, f.channels)
}

// usualSpeakers returns the usual speakers for a number of channels, as the mask of
// WAVEFORMATEXTENSIBLE: FL FR FC LFE BL BR FLC FRC BC SL SR.
func usualSpeakers(channels int) uint32 {
	usual := [...]uint32{3: 0x7, 4: 0x33, 5: 0x37, 6: 0x3f, 7: 0x70f, 8: 0x63f}
	if channels < len(usual) {
		return usual[channels]
	}
	return 0
}

// Either pair of surround speakers is accepted if the other pair is absent.
const (
	backPair = 0x030
	sidePair = 0x600
)

// checkSpeakers returns an error if a file with more than two channels has unusual speakers,
// because channels would be played in the wrong position. It ignores a mask that does not have
// exactly one speaker per channel.
func checkSpeakers(channels int, mask uint32) error {
	usual := usualSpeakers(channels)
	switch {
	case usual == 0 || bits.OnesCount32(mask) != channels || mask == usual:
		return nil
	case mask&(backPair|sidePair) == sidePair && mask^(backPair|sidePair) == usual:
		return nil
	}
	return fmt.Errorf("a sound of %d channels for the speakers %s is not supported; export it for %s, or as stereo",
		channels, speakers(mask), speakers(usual))
}

// speakers returns the names of a mask's speakers, lowest bit first.
func speakers(mask uint32) string {
	names := [...]string{"FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR",
		"TC", "TFL", "TFC", "TFR", "TBL", "TBC", "TBR"}
	var list []string
	for ; mask != 0; mask &= mask - 1 {
		if bit := bits.TrailingZeros32(mask); bit < len(names) {
			list = append(list, names[bit])
		} else {
			list = append(list, fmt.Sprintf("0x%x", uint32(1)<<bit))
		}
	}
	return strings.Join(list, " ")
}
