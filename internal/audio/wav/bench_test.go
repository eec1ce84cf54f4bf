package wav

import (
	"fmt"
	"io"
	"testing"

	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// Ten seconds of stereo; B/op shows that Decode holds the clip and little more, and
// Encode next to nothing.
func BenchmarkTenSeconds(b *testing.B) {
	base := sound(44100, 2)
	clip := &pcm.Clip{Rate: 44100, Channels: 2}
	for len(clip.Samples) < 2*441_000 {
		clip.Samples = append(clip.Samples, base.Samples...)
	}
	for _, coding := range []Coding{PCM16, PCM24, Float32, IMA} {
		o := Options{Coding: coding}
		b.Run(fmt.Sprintf("encode/%v", coding), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := Encode(b.Context(), io.Discard, clip, o); err != nil {
					b.Fatal(err)
				}
			}
		})
		file := encode(b, clip, o)
		b.Run(fmt.Sprintf("decode/%v", coding), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Decode(b.Context(), file); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
