package cook_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
)

var (
	sequences = flag.Int("cooktest.sequences", 150, "how many random scripts to play")
	rounds    = flag.Int("cooktest.rounds", 2, "how many rounds of edits each of them has")
	seed      = flag.Uint64("cooktest.seed", 0, "of the first script; 0 is another one each time")
)

// inKitchen cooks in this process, also by ways that only this package has.
func inKitchen(ctx context.Context, f cooktest.Folders, w cooktest.Way) (cooktest.Meal, error) {
	ctx, opt := w.Options(ctx, f)
	if w.List {
		opt = cook.ListAll(opt)
	}
	return cooktest.Cook(ctx, opt)
}

// After any edits, cooking what changed gives what cooking everything gives, and
// what did not change is not cooked. bench/reliability has more of the same.
func TestIncrementalEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-cooktest.seed=%d", first)
	var next atomic.Uint64
	var players sync.WaitGroup
	for range 4 {
		players.Go(func() {
			for i := next.Add(1) - 1; i < uint64(*sequences) && !t.Failed(); i = next.Add(1) - 1 {
				play(t, first+i, cooktest.Options{Rounds: *rounds, Tools: true})
			}
		})
	}
	players.Wait()
}

// newPlace makes a place in memory, where there is such a file system: most of the
// time would go into waiting for the disk.
func newPlace(t *testing.T) cooktest.Place {
	dir, err := os.MkdirTemp("/dev/shm", "law")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return cooktest.Place{Dir: filepath.Join(dir, "place"), Scratch: filepath.Join(dir, "scratch")}
}

// play plays one random script. If it fails, a shorter one is printed that fails.
func play(t *testing.T, seed uint64, opt cooktest.Options) {
	script := cooktest.Random(seed, opt)
	once := func(s cooktest.Script) (d *cooktest.Difference) {
		place := newPlace(t)
		defer os.RemoveAll(filepath.Dir(place.Dir))
		if err := cooktest.Play(t.Context(), place, s, inKitchen); err != nil && !errors.As(err, &d) {
			t.Errorf("seed %d: %v", seed, err)
		}
		return d
	}
	if d := once(script); d != nil {
		t.Errorf("seed %d: %v", seed, d)
		t.Logf("run again with -cooktest.seed=%d -cooktest.sequences=1; in short:\n%s", seed,
			cooktest.Shrink(script[:d.Step+1], func(s cooktest.Script) bool { return once(s) != nil }).Txtar())
	}
}
