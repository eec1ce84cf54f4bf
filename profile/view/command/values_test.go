package command

import (
	"bytes"
	"math"
	"testing"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// record returns a recording with values of two workers.
func record(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	rec := events.New(&out, events.Options{})
	a, b := rec.Worker("a"), rec.Worker("b")
	for i := range 10 {
		a.Value(rec.Symbol("frame_ms"), float64(i))
		b.Vector(rec.Symbol("camera"), 1, 2, float64(-i))
	}
	b.Release() // its values come first
	a.Release()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func last(set *counters.Set, name string) float64 {
	history := set.History(name)
	if len(history) == 0 {
		return -1
	}
	return history[len(history)-1]
}

// The history of a recording begins with its first values and ends with its last.
func TestReplay(t *testing.T) {
	stream := record(t)
	set := counters.New(counters.Options{Frames: maxFrames + 1})
	if err := replay(set, events.OpenTape(stream)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"frame_ms": 9, "camera/x": 1, "camera/y": 2, "camera/z": -9} {
		if got := last(set, name); got != want {
			t.Errorf("%s ends at %v, want %v", name, got, want)
		}
	}
	history := set.History("frame_ms")
	if n := len(history); n == 0 || n > maxFrames+1 {
		t.Errorf("%d frames", n)
	}
	before := math.Inf(-1)
	for i, v := range history {
		if v < before || math.IsNaN(v) && i > 0 && !math.IsNaN(history[i-1]) {
			t.Errorf("frame %d has %v after %v: values were recorded in rising order", i, v, before)
		}
		if !math.IsNaN(v) {
			before = v
		}
	}
}

// What was read of a torn recording is there.
func TestReplayTorn(t *testing.T) {
	stream := record(t)
	set := counters.New(counters.Options{Frames: maxFrames + 1})
	if err := replay(set, events.OpenTape(stream[:len(stream)-10])); err != nil || last(set, "camera/z") != -9 {
		t.Errorf("error %v, and camera/z ends at %v", err, last(set, "camera/z"))
	}
}

func TestFollow(t *testing.T) {
	stream := record(t)
	set := counters.New(counters.Options{})
	set.WatchAll()
	if err := follow(set, events.Read(bytes.NewReader(stream))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"frame_ms": 9, "camera/z": -9} {
		if got := last(set, name); got != want {
			t.Errorf("%s ends at %v, want %v", name, got, want)
		}
	}
}
