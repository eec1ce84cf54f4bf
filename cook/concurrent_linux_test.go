package cook_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// TestConcurrentRuns runs cooks of two output directories, Trim and Clean at the same time, with
// one store. Runs may fail only because of the lock, and each output directory must equal a cook
// from scratch. proof/reliability does the same with processes.
func TestConcurrentRuns(t *testing.T) {
	opt := fewAssets(t).run
	other := opt
	other.Out += "2"
	rng := rand.New(rand.NewPCG(5, 5))
	for round := range 12 {
		for _, name := range []string{"plain.txt", "notes/readme.txt", fmt.Sprintf("new%d.json", rng.IntN(3))} {
			text := fmt.Appendf(nil, "[%d]", rng.IntN(4))
			if err := os.WriteFile(filepath.Join(opt.Dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cooks := func(o oracle.Run, wait, force bool) func() error {
			o.Wait, o.Force = wait, force
			return func() error {
				o.Observer = failOnFailure(t)
				_, err := o.Cook(context.Background())
				return err
			}
		}
		all := []func() error{
			cooks(opt, true, rng.IntN(2) == 0), cooks(opt, false, false), cooks(opt, true, false), cooks(other, true, rng.IntN(2) == 0),
			func() error { o := opt; o.CacheSize = 100; _, err := o.Trim(context.Background()); return err },
			func() error { _, err := opt.Clean(t.Context()); return err },
		}
		if round == 0 {
			all = all[:4] // the store does not exist yet
		}
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var group sync.WaitGroup
		for _, do := range all[:3+rng.IntN(len(all)-2)] {
			group.Go(func() {
				var locked *cook.LockedError
				if err := do(); err != nil && !errors.As(err, &locked) {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		group.Wait()
		want := fromScratch(t, opt)
		for _, o := range []oracle.Run{opt, other} {
			if err := cooks(o, false, false)(); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if d := want.Diff(readTree(t, o.Out)); d != "" {
				t.Fatalf("round %d: %s", round, d)
			}
		}
	}
}
