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

	"github.com/assetcook/assetcook/proof/oracle"
)

var (
	sequences = flag.Int("oracle.sequences", 150, "how many random scripts to play")
	rounds    = flag.Int("oracle.rounds", 2, "rounds of edits in each script")
	seed      = flag.Uint64("oracle.seed", 0, "seed of the first script; 0 picks one by the time")
)

// cookInProcess is oracle.InProcess that supports Mode.List.
func cookInProcess(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
	ctx, opt := mode.Options(ctx, f)
	if mode.List {
		opt = listAll(opt)
	}
	return oracle.Cook(ctx, opt)
}

// After any edits, an incremental cook gives the outputs of a cook from scratch and does no
// needless work. proof/reliability does the same for longer.
func TestIncrementalEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-oracle.seed=%d", first)
	var next atomic.Uint64
	var players sync.WaitGroup
	for range 4 {
		players.Go(func() {
			for i := next.Add(1) - 1; i < uint64(*sequences) && !t.Failed(); i = next.Add(1) - 1 {
				play(t, first+i, oracle.Options{Rounds: *rounds, Tools: true})
			}
		})
	}
	players.Wait()
}

// newPlace makes a place on tmpfs if there is one: most of the time would be spent waiting
// for the disk.
func newPlace(t *testing.T) oracle.Place {
	dir, err := os.MkdirTemp("/dev/shm", "law")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return oracle.Place{Dir: filepath.Join(dir, "place"), Scratch: filepath.Join(dir, "scratch")}
}

// play plays a random script. If it fails, a shorter failing script is printed.
func play(t *testing.T, seed uint64, opt oracle.Options) {
	script := oracle.Random(seed, opt)
	once := func(s oracle.Script) (d *oracle.Difference) {
		place := newPlace(t)
		defer os.RemoveAll(filepath.Dir(place.Dir))
		if err := oracle.Play(t.Context(), place, s, cookInProcess); err != nil && !errors.As(err, &d) {
			t.Errorf("seed %d: %v", seed, err)
		}
		return d
	}
	if d := once(script); d != nil {
		t.Errorf("seed %d: %v", seed, d)
		t.Logf("run again with -oracle.seed=%d -oracle.sequences=1; shrunk:\n%s", seed,
			oracle.Shrink(script[:d.Step+1], func(s oracle.Script) bool { return once(s) != nil }).Txtar())
	}
}
