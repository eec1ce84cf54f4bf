package opus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/assetcook/assetcook/cook/recipe/audio/pcm"
)

// Numerics names the way in which this machine and this build round while they
// encode: the sum of what they make of a few sounds. Where it is the same, so are
// the bytes that Encode writes. It takes some hundredths of a second, once.
func Numerics() string { return numerics() }

var numerics = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, c := range []struct {
		channels int
		options  Options
	}{
		{1, Options{Complexity: 10}},
		{2, Options{Complexity: 10, Bitrate: 160_000}},
		{2, Options{Complexity: 5, Bitrate: 48_000}},
		{1, Options{Complexity: 10, Bitrate: 16_000, Application: Voice}},
	} {
		if err := Encode(context.Background(), sum, probe(c.channels), c.options); err != nil {
			// Nothing can be encoded here, so that no two results can differ.
			return "none"
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
})

// probe is half a second of notes that rise, over noise that comes and goes. It is
// integer arithmetic.
func probe(channels int) *pcm.Clip {
	clip := &pcm.Clip{Rate: Rate, Channels: channels, Samples: make([]float32, Rate/2*channels)}
	seed, phase := uint32(1), uint32(0)
	for i := range clip.Samples {
		frame, c := i/channels, i%channels
		seed = seed*1664525 + 1013904223
		noise := int32(seed) >> (17 + frame/3000%6)
		if c == 0 {
			phase += uint32(20_000_000 + 5_000_000*(frame/4000))
		}
		note := int32(phase*uint32(1+c)) >> 16
		note = max(note, -note) - 1<<14
		clip.Samples[i] = float32(note+noise) / (1 << 16)
	}
	return clip
}
