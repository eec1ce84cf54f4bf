package cook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
)

// While a watcher is at work, whoever cooks beside it gets what a run from
// scratch gives, whatever was edited before.
func TestWatcherEqualsFromScratch(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		defer os.RemoveAll(m.base)
		cache := filepath.Join(m.base, "cache")
		opt := cook.Options{Dir: m.assets, Out: m.out, Cache: cache, Workers: 2,
			// Cook must be able to ask the watcher about the same program.
			Now: time.Now}
		ctx, stop := context.WithCancel(context.Background())
		began := make(chan bool)
		var group sync.WaitGroup
		group.Go(func() {
			var once sync.Once
			err := cook.Watch(ctx, opt, func(cook.Round) { once.Do(func() { close(began) }) })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("watch: %v", err)
			}
		})
		defer group.Wait()
		defer stop()
		<-began
		actions := m.edits()
		for _, name := range []string{"lose the index", "damage the index", "lose the changes", "damage the changes", "lose the store", "damage the store"} {
			delete(actions, name) // the watcher may be reading them
		}
		actions[""] = func(t *rapid.T) {
			some, err := cook.Cook(t.Context(), opt)
			for tries := 0; err != nil && tries < 1000; tries++ { // the watcher may have the lock
				some, err = cook.Cook(t.Context(), opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			if some.Told {
				told++
			}
			m.fresh++
			scratch := filepath.Join(m.base, "scratch")
			all := m.cook(t, scratch, scratch+".cache", nil)
			defer os.RemoveAll(scratch)
			if d := sameTree(readTree(t, scratch), readTree(t, m.out)); d != "" {
				t.Fatalf("told %v: cook beside a watcher differs from one from scratch:\n%s", some.Told, d)
			}
			if all.Failed.Assets != some.Failed.Assets || all.Found.Assets != some.Found.Assets {
				t.Fatalf("told %v\nfrom scratch: %s\nbeside:       %s", some.Told, all.Line(), some.Line())
			}
		}
		t.Repeat(actions)
	})
	if told == 0 {
		t.Error("the watcher was never asked")
	}
	t.Logf("the watcher answered %d times", told)
}
