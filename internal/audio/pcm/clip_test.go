package pcm

import (
	"fmt"
	"testing"
)

// A loop is kept within the sound; one that is left out or shortened gives a warning.
func TestAddLoop(t *testing.T) {
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
