package cook_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

var (
	troubleRuns   = flag.Int("trouble.runs", 10, "how many runs TestTroubledServers makes")
	troubleSeed   = flag.Uint64("trouble.seed", 1, "seed of the first run")
	troubleBeside = flag.Int("trouble.beside", 10, "how many runs go side by side")
)

// With any fault of a server, of the way to it, or of credentials, a cook has the outputs and the
// failures of a cook without a server, and leaves a store that restores the same outputs.
func TestTroubledServers(t *testing.T) {
	alone := sampleProject(t)
	alone.write("data/broken.json", "{")
	want := alone.cook()
	if want.Failed.Assets == 0 || want.Cooked.Assets < 10 {
		t.Fatal(want.String())
	}
	outputs := alone.outputs()

	kinds := remotetest.Troubles()
	var restored, given atomic.Int64
	var players sync.WaitGroup
	runs := make(chan int)
	for range *troubleBeside {
		players.Go(func() {
			for n := range runs {
				t.Run(kinds[n%len(kinds)], func(t *testing.T) {
					w := &troubledPlay{T: t, assets: alone.run.Dir, want: &want, outputs: outputs}
					r, g := w.play(kinds[n%len(kinds)], *troubleSeed+uint64(n))
					restored.Add(int64(r))
					given.Add(int64(g))
				})
			}
		})
	}
	for n := range *troubleRuns {
		runs <- n
	}
	close(runs)
	players.Wait()
	t.Logf("%d runs: %d results given, %d assets restored, 0 wrong", *troubleRuns, given.Load(), restored.Load())
	// A machine that is so busy that it reaches no server in time takes nothing.
	if given.Load() == 0 || restored.Load() == 0 && *troubleRuns > 10 {
		t.Error("the troubles are too hard")
	}
}

type troubledPlay struct {
	*testing.T
	assets  string
	want    *cook.Summary
	outputs oracle.Tree
	dir     string
}

// play has a machine give its results to a server and another one take them.
func (w *troubledPlay) play(kind string, seed uint64) (restored, given int) {
	r := rand.New(rand.NewPCG(seed, 3))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	dir, err := os.MkdirTemp("", "troubled")
	if err != nil {
		w.Fatal(err)
	}
	w.dir = dir
	defer os.RemoveAll(dir)
	server := remotetest.StartTroubled(w, kind, draw)
	from := server.Faulty
	if draw(2) == 0 { // the fault begins later
		server.Calm.Store(true)
		from = server.Direct
	}
	w.cook("giver", "giver", &from)
	given = int(server.Server.Calls("UpdateActionResult") + server.Server.Calls("PUT ac"))
	server.Calm.Store(false)
	s := w.cook("taker", "taker", &server.Faulty)
	w.cook("taker", "again", nil)
	return s.Restored.Assets, given
}

// cook cooks with a store into a new directory, and compares the outputs.
func (w *troubledPlay) cook(store, out string, at *remotetest.Address) cook.Summary {
	run := oracle.Run{Dir: w.assets, Out: filepath.Join(w.dir, "out-"+out), Cache: filepath.Join(w.dir, "store-"+store), Workers: 2}
	if at != nil {
		token, ca := filepath.Join(w.dir, out+".token"), ""
		if err := os.WriteFile(token, []byte(strings.TrimPrefix(at.Authorization, "Bearer ")), 0o600); err != nil {
			w.Fatal(err)
		}
		if at.CA != nil {
			ca = filepath.Join(w.dir, "ca.pem")
			if err := os.WriteFile(ca, at.CA, 0o600); err != nil {
				w.Fatal(err)
			}
		}
		run.Adjust = func(p *cook.Project) {
			p.Remote = cook.Remote{URL: at.URL, Upload: "always", TokenFile: token, CA: ca, Program: os.Args[0]}
		}
	}
	s, err := run.Cook(context.Background())
	if err != nil {
		w.Errorf("%s: %v", out, err)
	}
	if s.Failed.Assets != w.want.Failed.Assets || s.Found.Assets != w.want.Found.Assets || s.Cooked.Assets+s.Restored.Assets+s.NotShipped.Assets+s.Failed.Assets != s.Found.Assets {
		w.Errorf("%s: %s, alone: %s", out, s.String(), w.want.String())
	}
	if diff := w.outputs.Diff(readTree(w, run.Out)); diff != "" {
		w.Errorf("%s: %s", out, diff)
	}
	return s
}
