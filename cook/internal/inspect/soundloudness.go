package inspect

import (
	"context"
	"fmt"
	"math"

	"github.com/assetcook/assetcook/internal/audio/loudness"
	"github.com/assetcook/assetcook/internal/audio/pcm"
)

// A soundLoudness has the loudness of a sound.
type soundLoudness struct {
	Integrated figure `json:"integrated"` // LUFS
	Momentary  figure `json:"momentary"`  // LUFS, the loudest 400 ms
	ShortTerm  figure `json:"shortTerm"`  // LUFS, the loudest 3 s
	TruePeak   figure `json:"truePeak"`   // dBTP
}

// A figure is a number, or why there is none.
type figure struct {
	Value *float64 `json:"value"`
	Why   string   `json:"why,omitempty"`
}

// figureOf returns a figure that is measurable unless it is minus infinity.
func figureOf(v float64, why string) figure {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return figure{Why: why}
	}
	return figure{Value: &v}
}

func unmeasured(why string) soundLoudness {
	f := figure{Why: why}
	return soundLoudness{f, f, f, f}
}

// loudnessOf measures a clip. The only error is the error of ctx.
func loudnessOf(ctx context.Context, c *pcm.Clip) (soundLoudness, error) {
	l := unmeasured(fmt.Sprintf("%d Hz is too low a rate to measure loudness, which takes %d", c.Rate, loudness.MinRate))
	if c.Rate >= loudness.MinRate {
		r, err := loudness.Measure(ctx, c)
		if err != nil {
			return l, err
		}
		// Frames against milliseconds: floats would misjudge a sound of just a window.
		silent := "nothing is above -70 LUFS"
		ifLong := func(ms int64) string {
			if int64(c.Frames())*1000 < ms*int64(c.Rate) {
				return fmt.Sprintf("the sound is shorter than %d ms", ms)
			}
			return "the sound is silent"
		}
		l.Integrated = figureOf(r.Integrated, silent)
		l.Momentary = figureOf(r.MaxMomentary, ifLong(400))
		l.ShortTerm = figureOf(r.MaxShortTerm, ifLong(3000))
	}
	peak, err := loudness.TruePeak(ctx, c)
	l.TruePeak = figureOf(peak, "the sound is silent")
	return l, err
}
