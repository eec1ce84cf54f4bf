package share_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/faultlink"
)

var (
	troubleRuns   = flag.Int("trouble.runs", 20, "how many runs TestTroubles makes; at most that many are quick")
	troubleKind   = flag.String("trouble.kind", "", "the only kind of trouble; all in turn if empty")
	troubleSeed   = flag.Uint64("trouble.seed", 1, "seed of the first run")
	troubleBeside = flag.Int("trouble.beside", 40, "how many runs go side by side: most of them wait")
	troubleServer = flag.String("trouble.server", "", "address of a server to use, at the other end of links that are bad")
	troubleFolder = flag.String("trouble.folder", "", "directory of that server's files, which vanish while it is used")
)

// TestTroubles simulates faults of the server, the network, the clock or the credentials. The run
// must end without an error. Everything that it fetches must be right.
func TestTroubles(t *testing.T) {
	t.Parallel()
	kinds := remotetest.Troubles()
	if *troubleServer != "" {
		kinds = faultlink.Kinds()
	}
	if *troubleFolder != "" {
		kinds = append(kinds, vanishing)
	}
	if *troubleKind != "" {
		kinds = []string{*troubleKind}
	}
	type tally struct{ runs, given, fetched, full atomic.Int64 }
	tallies := make([]tally, len(kinds))
	var players sync.WaitGroup
	runs := make(chan int)
	for range *troubleBeside {
		players.Go(func() {
			for n := range runs {
				of := &tallies[n%len(kinds)]
				given, fetched, all := playTrouble(t, kinds[n%len(kinds)], *troubleSeed+uint64(n))
				of.runs.Add(1)
				of.given.Add(given)
				of.fetched.Add(int64(fetched))
				if fetched == all {
					of.full.Add(1)
				}
			}
		})
	}
	for n := range *troubleRuns {
		runs <- n
	}
	close(runs)
	players.Wait()
	var given, fetched, full int64
	for i, kind := range kinds {
		of := &tallies[i]
		t.Logf("%-10s %5d runs: %6d results given, %6d fetched; in %d runs all", kind, of.runs.Load(), of.given.Load(), of.fetched.Load(), of.full.Load())
		given, fetched, full = given+of.given.Load(), fetched+of.fetched.Load(), full+of.full.Load()
	}
	// A busy machine may fail to reach the server in time, and fetch nothing.
	if given == 0 || fetched == 0 && *troubleRuns > 20 || full == int64(*troubleRuns) {
		t.Errorf("%d given, %d fetched, all in %d of %d runs: the troubles are too hard or too soft", given, fetched, full, *troubleRuns)
	}
}

// A scope is a test that ends before its parent test.
type scope struct {
	t    *testing.T
	ends []func()
}

func (s *scope) Fatal(args ...any)  { s.t.Error(args...) }
func (s *scope) Cleanup(end func()) { s.ends = append(s.ends, end) }

func (s *scope) end() {
	for _, end := range slices.Backward(s.ends) {
		end()
	}
}

// playTrouble uploads results from one machine and downloads them on another machine with a fault.
// It returns the numbers of uploaded results, fetched results, and all results.
func playTrouble(t *testing.T, kind string, seed uint64) (given int64, fetched, most int) {
	r := rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	during := &scope{t: t}
	defer during.end()
	dir, err := os.MkdirTemp("", "trouble")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(dir)
	all := smallJobs(8)
	bad, direct := remotetest.Address{URL: *troubleServer}, remotetest.Address{URL: *troubleServer}
	calm := func(bool) {}
	if bad.URL == "" {
		server := remotetest.StartTroubled(during, kind, draw)
		bad, direct, calm = server.Faulty, server.Direct, server.Calm.Store
	} else {
		all = smallJobs(seed)
		if kind == vanishing {
			vanish := newVanisher(*troubleFolder, draw)
			calm = vanish.calm.Store
			during.Cleanup(vanish.stop)
		} else {
			bad.URL = remotetest.Over(during, bad.URL, faultlink.Draw(kind, draw))
		}
	}
	giver, taker := troubled(t, dir, "giver"), troubled(t, dir, "taker")
	if giver == nil || taker == nil {
		return
	}
	from := bad
	if draw(2) == 0 { // the fault begins after the first uploads
		calm(true)
		from = direct
	}
	c := giver.runOver(reach(from))
	for _, j := range all {
		giver.keep(c, j)
	}
	given = c.Close(t.Context()).Uploaded
	calm(false)
	c = taker.runOver(reach(bad))
	if draw(2) == 0 {
		taker.expect(c, firstKeys(all)...)
	}
	for _, j := range all {
		if taker.has(c, j) {
			fetched++
		}
	}
	c.Close(t.Context())
	for _, m := range []*machine{giver, taker} {
		m.verifyStore(fmt.Sprintf("%s, seed %d", kind, seed))
	}
	return given, fetched, len(all)
}

// vanishing is a kind of fault: the files of the server disappear.
const vanishing = "vanishing"

// A vanisher removes the files in a directory one after another.
type vanisher struct {
	calm    atomic.Bool
	stopped chan struct{}
	done    sync.WaitGroup
}

func newVanisher(dir string, draw func(int) int) *vanisher {
	v := &vanisher{stopped: make(chan struct{})}
	pace := time.NewTicker(time.Duration(1+draw(100)) * time.Millisecond)
	v.done.Go(func() {
		defer pace.Stop()
		for {
			select {
			case <-pace.C:
			case <-v.stopped:
				return
			}
			var files []string
			filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					files = append(files, name)
				}
				return nil
			})
			if len(files) > 0 && !v.calm.Load() {
				os.Remove(files[draw(len(files))])
			}
		}
	})
	return v
}

func (v *vanisher) stop() {
	close(v.stopped)
	v.done.Wait()
}

func troubled(t *testing.T, dir, name string) *machine {
	s, err := store.Open(filepath.Join(dir, name))
	if err != nil {
		t.Error(err)
		return nil
	}
	return &machine{t: t, store: s, url: "server", down: make(chan struct{}, 1), silence: briefSilence}
}

// reach returns a function that opens the server at the given address.
func reach(at remotetest.Address) func(context.Context, *share.Meter) (share.Server, error) {
	return func(ctx context.Context, meter *share.Meter) (share.Server, error) {
		u, err := url.Parse(at.URL)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(u.Scheme, "http") {
			return webcache.Open(ctx, u, webcache.Options{TLS: at.TLS, Authorization: at.Authorization, Meter: meter})
		}
		return reapi.Open(ctx, u, reapi.Options{TLS: at.TLS, Authorization: at.Authorization, Meter: meter})
	}
}

// smallJobs are jobs with small blobs. They still use every kind of transfer.
func smallJobs(seed uint64) []job {
	all := jobs(seed)
	for i := range all {
		for k, content := range all[i].contents {
			if len(content) > 300_000 {
				content = content[:300_000] // too large for a shared request
				all[i].contents[k] = content
				all[i].result.Artifacts[k] = store.Artifact{Blob: store.BlobID(hashing.DigestOf(content)), Size: int64(len(content))}
			}
		}
	}
	return all
}

// verifyStore checks that each blob of the store matches its ID, that no temporary files are
// left, and that each note was sent once.
func (m *machine) verifyStore(of string) {
	_, err := m.store.Usage(context.Background(), func(id store.BlobID, size int64) {
		f, err := m.store.OpenBlob(id, size)
		if err != nil {
			m.t.Errorf("%s: %v", of, err)
			return
		}
		defer f.Close()
		if content, err := io.ReadAll(f); err != nil || store.BlobID(hashing.DigestOf(content)) != id {
			m.t.Errorf("%s: blob %v is another one (%v)", of, id, err)
		}
	})
	if err != nil {
		m.t.Errorf("%s: %v", of, err)
	}
	left, err := os.ReadDir(filepath.Join(m.store.Root(), "tmp"))
	if err != nil || len(left) > 0 {
		m.t.Errorf("%s: %d files left (%v)", of, len(left), err)
	}
	for i, note := range m.notes {
		if slices.Contains(m.notes[:i], note) || strings.ContainsAny(note, "\n\x1b") {
			m.t.Errorf("%s: notes: %q", of, m.notes)
			break
		}
	}
}
