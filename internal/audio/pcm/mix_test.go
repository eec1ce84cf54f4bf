package pcm

import (
	"context"
	"math"
	"testing"
)

func TestMix(t *testing.T) {
	const c = math.Sqrt2 / 2
	for _, test := range []struct {
		name     string
		channels int
		in       []float32 // a frame
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

// What was mixed down can be mixed down again: the frames lie one behind the
// other.
func TestMixMovesFrames(t *testing.T) {
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

func TestMixCancel(t *testing.T) {
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
