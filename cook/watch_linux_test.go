package cook_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// While a watcher runs, each cook gives the outputs of a run from scratch, whatever was
// edited before.
func TestWatcherEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-oracle.seed=%d", first)
	// A watcher does not answer if assets fail: the cook has to report why. In about six
	// scripts of ten it never answers, so more are played until one has.
	answered := 0
	for i := uint64(0); i < 8 || answered == 0; i++ {
		if i == 64 {
			t.Fatal("the watcher never answered")
		}
		answered += playWithWatcher(t, first+i, i%4 > 0)
	}
	t.Logf("the watcher answered %d times", answered)
}

// playWithWatcher plays a random script while a watcher runs, and returns how often the
// watcher answered for a cook.
func playWithWatcher(t *testing.T, seed uint64, copied bool) (answered int) {
	place := newPlace(t)
	cooker := func(ctx context.Context, f oracle.Folders, mode oracle.Mode) (oracle.Result, error) {
		result, err := cookInProcess(ctx, f, mode)
		var locked *cook.LockedError
		for tries := 0; errors.As(err, &locked) && tries < 1000; tries++ { // the watcher may have the lock
			result, err = cookInProcess(ctx, f, mode)
		}
		if result.FromWatcher {
			answered++
		}
		return result, err
	}
	p, err := oracle.NewPlayer(place, cooker)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	began := false
	script := oracle.Random(seed, oracle.Options{Rounds: 6, SourcesOnly: true, Plain: true, Copied: copied, Twins: copied && seed%2 == 0})
	for i, step := range script {
		if step.Mode == nil {
			err = p.Edit(step.Edit)
		} else {
			err = p.Cook(t.Context(), *step.Mode)
		}
		if err != nil {
			t.Fatalf("seed %d: step %d: %v\n%s", seed, i, err, script[:i+1].Txtar())
		}
		if step.Mode != nil && !began {
			began = true
			watching := make(chan bool)
			group.Go(func() {
				var once sync.Once
				_, opt := oracle.Mode{}.Options(ctx, p.Folders())
				err := opt.Watch(ctx, func(cook.Round) { once.Do(func() { close(watching) }) })
				if !errors.Is(err, context.Canceled) {
					t.Errorf("seed %d: watch: %v", seed, err)
				}
			})
			<-watching
		}
	}
	return answered
}
