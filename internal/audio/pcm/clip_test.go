package pcm

import (
	"context"
	"fmt"
	"math"
	"testing"
)

func TestMix(t *testing.T) {
	const c = math.Sqrt2 / 2
	for _, test := range []struct {
		name     string
		channels int
		in       []float32
		to       int
		want     []float64
	}{
		{"mono to stereo", 1, []float32{0.5}, 2, []float64{0.5, 0.5}},
		{"stereo to mono", 2, []float32{0.5, -0.1}, 1, []float64{0.2}},
		{"full scale stereo to mono", 2, []float32{1, 1}, 1, []float64{1}},
		{"stays stereo", 2, []float32{0.5, -0.1}, 2, []float64{0.5, -0.1}},
		{"center", 3, []float32{0, 0, 1}, 2, []float64{c / (1 + c), c / (1 + c)}},
		{"quad", 4, []float32{0, 0, 1, 0}, 2, []float64{c / (1 + c), 0}},
		{"5.0", 5, []float32{0, 0, 0, 0, 1}, 2, []float64{0, c / (1 + 2*c)}},
		{"5.1 without effects", 6, []float32{0, 0, 0, 1, 0, 0}, 2, []float64{0, 0}},
		{"5.1", 6, []float32{1, 0, 0, 0, 0, 0}, 2, []float64{1 / (1 + 2*c), 0}},
		{"5.1 of full scale", 6, []float32{1, 1, 1, 1, 1, 1}, 2, []float64{1, 1}},
		{"5.1 to mono", 6, []float32{1, 1, 1, 1, 1, 1}, 1, []float64{1}},
		{"6.1", 7, []float32{0, 0, 0, 0, 1, 0, 0}, 2, []float64{0.5 / (1.5 + 2*c), 0.5 / (1.5 + 2*c)}},
		{"7.1", 8, []float32{0, 0, 0, 0, 1, 0, 1, 0}, 2, []float64{2 * c / (1 + 3*c), 0}},
		{"nine of them", 9, []float32{9, 0, 0, 0, 0, 0, 0, 0, 0}, 2, []float64{1, 1}},
	} {
		clip := &Clip{Rate: 1000, Channels: test.channels}
		for range 3 {
			clip.Samples = append(clip.Samples, test.in...)
		}
		if err := clip.Mix(t.Context(), test.to); err != nil {
			t.Fatal(err)
		}
		if clip.Channels != test.to || clip.Frames() != 3 {
			t.Errorf("%s: %d channels, %d frames", test.name, clip.Channels, clip.Frames())
			continue
		}
		for i, v := range clip.Samples {
			if want := test.want[i%test.to]; math.Abs(float64(v)-want) > 1e-7 {
				t.Errorf("%s: sample %d is %v, want %v", test.name, i, v, want)
			}
		}
	}
}

func TestMixedClipCanBeMixedAgain(t *testing.T) {
	c := &Clip{Channels: 2, Samples: []float32{1, 3, 5, 7, -2, -4}}
	if err := c.Mix(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float32{2, 6, -3} {
		if c.Samples[i] != want {
			t.Errorf("%v", c.Samples)
		}
	}
}

func TestMixStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &Clip{Channels: 2, Samples: make([]float32, 2)}
	if err := c.Mix(ctx, 1); err != context.Canceled {
		t.Error(err)
	}
}

func TestFrames(t *testing.T) {
	for channels, want := range []int{0, 7, 3} {
		c := &Clip{Channels: channels, Samples: make([]float32, 7)}
		if c.Frames() != want {
			t.Errorf("%d channels: %d frames, want %d", channels, c.Frames(), want)
		}
	}
}

// TestLoopIsKeptWithinTheSound expects that a loop beyond the end of the sound is shortened, or
// dropped if it would be empty. Both cause a warning.
func TestLoopIsKeptWithinTheSound(t *testing.T) {
	for _, c := range []struct {
		loop     Loop
		kept     string
		warnings int
	}{
		{Loop{Start: 10, End: 90, Count: 2, PingPong: true}, "[{10 90 2 true}]", 0},
		{Loop{Start: 0, End: 101}, "[{0 100 0 false}]", 0},
		{Loop{Start: 10, End: 200}, "[{10 100 0 false}]", 1},
		{Loop{Start: 5, End: 5}, "[]", 1},
		{Loop{Start: 6, End: 5}, "[]", 1},
		{Loop{Start: 100, End: 300}, "[]", 1},
		{Loop{Start: -4, End: 100}, "[]", 1},
	} {
		clip := &Clip{Rate: 8000, Channels: 2, Samples: make([]float32, 200)}
		clip.AddLoop(c.loop)
		if got := fmt.Sprint(clip.Loops); got != c.kept || len(clip.Warnings) != c.warnings {
			t.Errorf("%v: have %s and %q, want %s and %d warnings", c.loop, got, clip.Warnings, c.kept, c.warnings)
		}
	}
	clip := &Clip{Rate: 8000, Channels: 1}
	for range 1000 {
		clip.AddLoop(Loop{})
	}
	if len(clip.Warnings) != maxWarnings {
		t.Errorf("%d warnings", len(clip.Warnings))
	}
}
