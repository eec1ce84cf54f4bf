package opus

import "github.com/assetcook/assetcook/internal/audio/pcm"

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
