package cook_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
)

// While a watcher is at work, whoever cooks beside it gets what a run from
// scratch gives, whatever was edited before.
func TestWatcherEqualsFromScratch(t *testing.T) {
	first := *seed
	if first == 0 {
		first = uint64(time.Now().UnixNano()) >> 10
	}
	t.Logf("-cooktest.seed=%d", first)
	told := 0
	for i := range uint64(8) {
		// A watcher leaves it to others to say what fails, and why.
		told += playBeside(t, first+i, i%4 > 0)
	}
	if told == 0 {
		t.Error("the watcher was never asked")
	}
	t.Logf("the watcher answered %d times", told)
}

// playBeside plays a random script beside a watcher and returns how often the
// watcher told what there was to tell.
func playBeside(t *testing.T, seed uint64, copied bool) (told int) {
	place := newPlace(t)
	beside := func(ctx context.Context, f cooktest.Folders, w cooktest.Way) (cooktest.Meal, error) {
		meal, err := inKitchen(ctx, f, w)
		var locked *cook.LockedError
		for tries := 0; errors.As(err, &locked) && tries < 1000; tries++ { // the watcher may have the lock
			meal, err = inKitchen(ctx, f, w)
		}
		if meal.Told {
			told++
		}
		return meal, err
	}
	p, err := cooktest.NewPlayer(place, beside)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	began := false
	script := cooktest.Random(seed, cooktest.Options{Rounds: 6, SourcesOnly: true, Plain: true, Copied: copied})
	for i, step := range script {
		if step.Way == nil {
			err = p.Edit(step.Edit)
		} else {
			err = p.Cook(t.Context(), *step.Way)
		}
		if err != nil {
			t.Fatalf("seed %d: step %d: %v\n%s", seed, i, err, script[:i+1].Txtar())
		}
		if step.Way != nil && !began {
			began = true
			watching := make(chan bool)
			group.Go(func() {
				var once sync.Once
				_, opt := cooktest.Way{}.Options(ctx, p.Folders())
				err := cook.Watch(ctx, opt, func(cook.Round) { once.Do(func() { close(watching) }) })
				if !errors.Is(err, context.Canceled) {
					t.Errorf("seed %d: watch: %v", seed, err)
				}
			})
			<-watching
		}
	}
	return told
}
