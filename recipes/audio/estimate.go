package audio

import (
	"errors"

	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/resample"
	"github.com/assetcook/assetcook/internal/audio/source"
)

// estimateMemory implements Traits.Estimate.
func (o *Audio) estimateMemory(head []byte, size int64) (int64, error) {
	info, err := o.probe(head, size)
	if errors.Is(err, source.ErrOpus) && o.leavesOpus() {
		return fixedMemory + size, nil
	}
	if err != nil {
		return 0, err
	}
	return o.peak(info, size), nil
}

// probe describes a source, and refuses one that cannot be cooked with the options.
func (o *Audio) probe(head []byte, size int64) (source.Info, error) {
	info, err := source.Probe(head, size)
	if err == nil && o.Loudness != 0 {
		err = loudness.CheckRate(o.rate(info.Rate))
	}
	return info, err
}

// The measured memory of buffers and tables, and of an encoder.
const (
	fixedMemory   = 2 << 20
	encoderMemory = 1 << 20
)

// peak returns the maximal number of bytes that Cook holds at once, in one of these stages:
// decoding, with the file; mixing, with the sound before and after; resampling, with the sound
// before and after, and the later steps.
func (o *Audio) peak(info source.Info, size int64) int64 {
	clip := func(channels int) int64 { return 4 * info.Frames * int64(channels) }
	channels := info.Channels
	mixing := int64(0)
	switch o.Channels {
	case "mono":
		channels = 1 // in place
	case "stereo":
		if channels = 2; info.Channels == 1 {
			mixing = clip(1) + clip(2)
		}
	}
	// Mixing down in place keeps the memory of all channels.
	held := max(clip(info.Channels), clip(channels))
	measuring := int64(0)
	if o.Loudness != 0 {
		measuring = loudness.Memory(info.Frames, info.Rate)
	}
	resampling := resample.Memory(info.Frames, channels, info.Rate, o.rate(info.Rate))
	return fixedMemory + max(size+info.Memory, mixing, held+resampling+measuring+encoderMemory)
}
