package share

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

var (
	linkRuns = flag.Int("link.runs", 40, "how many runs TestRandomLinkIsUsed makes")
	linkSeed = flag.Uint64("link.seed", 1, "seed of the first run")
)

// A linkTrial is a run over a random link, with random troubles, to a server that has lost some
// blobs and falsified others.
type linkTrial struct {
	server   *slowServer
	bad      map[int]bool  // indices of the results that the server cannot provide
	own      time.Duration // time of the bytes of all results
	troubles []linkTrouble
}

// A linkTrouble is a pause of a link, or a cut of its connections.
type linkTrouble struct {
	at    time.Duration
	pause time.Duration // 0 for a cut
}

// magnitude returns a random number whose logarithm is uniformly distributed.
func magnitude(r *rand.Rand, least, most float64) float64 {
	return least * math.Pow(most/least, r.Float64())
}

// drawLinkTrial draws a trial with the results of a server.
func drawLinkTrial(r *rand.Rand, of *slowServer, blobs []Digest, size int64) *linkTrial {
	trial := &linkTrial{bad: map[int]bool{}, server: &slowServer{
		rate: magnitude(r, 2e6/8, 1e9/8), results: of.results, blobs: maps.Clone(of.blobs),
	}}
	trial.own = time.Duration(float64(size) / trial.server.rate * float64(time.Second))
	if r.IntN(4) > 0 {
		trial.server.trip = time.Duration(magnitude(r, 1e6, 300e6))
	}
	for range r.IntN(4) {
		i := r.IntN(len(blobs))
		trial.bad[i] = true
		if r.IntN(2) == 0 {
			delete(trial.server.blobs, blobs[i])
			continue
		}
		content := bytes.Clone(of.blobs[blobs[i]])
		content[r.IntN(len(content))] ^= 1 << r.IntN(8)
		trial.server.blobs[blobs[i]] = content
	}
	for range r.IntN(4) {
		trouble := linkTrouble{at: time.Duration(r.Float64() * float64(trial.own+4*trial.server.trip))}
		if r.IntN(2) == 0 {
			trouble.pause = time.Duration(magnitude(r, 0.1e9, 15e9))
		}
		trial.troubles = append(trial.troubles, trouble)
	}
	return trial
}

// allowed returns the time limit of the run: 1.2 times the time of the bytes, and the costs of the
// latency and of the troubles.
func (l *linkTrial) allowed() time.Duration {
	limit := l.own*12/10 + 10*l.server.trip + 200*time.Millisecond
	inFlight := aheadTime + 4*l.server.trip + time.Duration(float64(largeTransfers*512<<10)/l.server.rate*float64(time.Second))
	outages := 0
	for _, trouble := range l.troubles {
		limit += trouble.pause
		// Each attempt during a long pause, and each cut, costs the bytes in flight and the pause
		// before the next attempt.
		for fails := cmp.Or(int(trouble.pause/silenceTime), 1); fails > 0 && (trouble.pause == 0 || trouble.pause >= silenceTime); fails-- {
			limit += inFlight + pauses[min(outages, len(pauses)-1)]*5/4
			outages++
		}
	}
	return limit
}

func (l *linkTrial) String() string {
	return fmt.Sprintf("%.1f Mbit/s, %v, own time %v, %d bad results, troubles %v", l.server.rate*8/1e6, l.server.trip, l.own, len(l.bad), l.troubles)
}

// TestRandomLinkIsUsed checks random links with random troubles: a run gets each result that the
// server can provide, and no other, in 1.2 times the time of the bytes besides the troubles. The
// times are simulated.
func TestRandomLinkIsUsed(t *testing.T) {
	const results = 40
	of, keys, size := newSlowServer(t, results)
	blobs := make([]Digest, results)
	for i, k := range keys {
		blobs[i] = of.results[actionOf(k, BLAKE3).Digest].OutputFiles[0].Digest
	}
	total := 0
	for n := range *linkRuns {
		seed := *linkSeed + uint64(n)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			trial := drawLinkTrial(rand.New(rand.NewPCG(seed, 7)), of, blobs, size)
			opened, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			t.Log(trial)
			var found map[int]bool
			var took time.Duration
			synctest.Test(t, func(t *testing.T) {
				found, took = trial.play(t, opened, keys)
			})
			for i, d := range blobs {
				switch blob := storedBlob(t, opened, d); {
				case found[i] == trial.bad[i]:
					t.Errorf("result %d: found %v", i, found[i])
				case found[i] && !bytes.Equal(blob, of.blobs[d]), trial.bad[i] && blob != nil:
					t.Errorf("the blob of result %d is wrong", i)
				}
			}
			if t.Logf("took %v, at most %v", took, trial.allowed()); took > trial.allowed() {
				t.Error("took too long")
			}
			total += len(found)
		})
	}
	t.Logf("%d runs: %d results restored, 0 wrong", *linkRuns, total)
}

// play runs the trial in a synctest bubble. It returns the indices of the results that arrive, and
// the time.
func (l *linkTrial) play(t *testing.T, to *store.Store, keys []remote.Key) (found map[int]bool, took time.Duration) {
	l.server.cut = make(chan struct{})
	for _, trouble := range l.troubles {
		time.AfterFunc(trouble.at, func() {
			if trouble.pause == 0 {
				l.server.breakConnections()
			} else {
				l.server.pause(trouble.pause)
			}
		})
	}
	begun := time.Now()
	found = restoredKeys(t, to, l.server, keys)
	return found, time.Since(begun)
}

// storedBlob returns the content of a blob in the store, or nil.
func storedBlob(t *testing.T, in *store.Store, d Digest) []byte {
	id, err := hashing.ParseDigest(d.Hash)
	if err != nil {
		t.Fatal(err)
	}
	f, err := in.OpenBlob(store.BlobID(id), d.Size)
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
