package cookone

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/fastclock"
)

// TestStepsReadWhatEarlierStepsMade checks that a step of a chain can read the output of an earlier
// step under the path of that output.
func TestStepsReadWhatEarlierStepsMade(t *testing.T) {
	c := &chain{made: map[string]madeFile{"b": {file: contents.File{Path: "b", How: contents.Unreadable, Err: errors.New("the step's")}}}}
	sums, _ := hashing.Lookup("xxh3")
	_, err := New(Env{Checksum: sums}, 0, hashing.NewSummer(sums)).Dependencies(t.Context(), Task{Action: &plan.Action{Path: "a"}, chain: c}, store.ReadSet{dependency.OfFile("b")})
	if err == nil || err.Error() != "the step's" {
		t.Errorf("error %v", err)
	}
}

// spin uses d of processor time on its thread.
func spin(d time.Duration) {
	begin, _ := fastclock.Thread()
	for now := begin; now-begin < d; now, _ = fastclock.Thread() {
	}
}

// TestProcessorTime checks that the cook time is processor time: it excludes waiting, and includes
// other goroutines and programs.
func TestProcessorTime(t *testing.T) {
	if _, known := fastclock.Thread(); !known {
		t.Skip("this system does not tell the processor time of a thread")
	}
	var stop atomic.Bool
	var busy sync.WaitGroup
	for range 8 {
		busy.Go(func() {
			for !stop.Load() {
			}
		})
	}
	defer busy.Wait()
	defer stop.Store(true)
	const piece = 5 * time.Millisecond
	var elsewhere processorTime
	each := elsewhere.eachOnProcessor(func(_ context.Context, n int, do func(int) error) error {
		var helpers sync.WaitGroup
		for i := range n - 1 {
			helpers.Go(func() { do(i) })
		}
		do(n - 1)
		helpers.Wait()
		return nil
	})
	begin := time.Now()
	used, known := onProcessor(func() {
		spin(piece)
		each(t.Context(), 4, func(int) error { spin(piece); return nil })
		time.Sleep(10 * piece)
		elsewhere.addProcessorTime(piece)
	})
	passed := time.Since(begin)
	if total := used + elsewhere.sumProcessorTime(); !known || total < 6*piece || total > 8*piece || passed < 10*piece {
		t.Errorf("%v and %v elsewhere of %v, want about %v", used, elsewhere.sumProcessorTime(), passed, 6*piece)
	}
}
