package share_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// shared returns a server that already has the result of j.
func shared(t *testing.T, j job) (*remotetest.Server, string) {
	server := &remotetest.Server{}
	url := server.Start(t)
	m := newMachine(t, url)
	c := m.run()
	m.keep(c, j)
	if stats := c.Close(t.Context()); stats.Uploaded != 1 {
		t.Fatalf("%+v", stats)
	}
	return server, url
}

// rewrite edits the records of a result.
func rewrite(r *repb.ActionResult, change func(fields map[string]any)) {
	fields := map[string]any{}
	json.Unmarshal(r.StdoutRaw, &fields)
	change(fields)
	r.StdoutRaw, _ = json.Marshal(fields)
}

// forge stores the record of a changed result under the ID of the original result, with a valid
// checksum.
func forge(id store.ResultID, change func(*store.Result), j job) []byte {
	r := j.result
	r.Artifacts = slices.Clone(r.Artifacts)
	change(&r)
	record, err := store.MarshalResult(id, r)
	if err != nil {
		panic(err)
	}
	return record
}

// poisons has functions that corrupt a result of a server.
var poisons = map[string]func(r *repb.ActionResult, blobs map[string][]byte, j job){
	"no record":   func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.StdoutRaw = nil },
	"not JSON":    func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.StdoutRaw = []byte("{") },
	"torn record": func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.StdoutRaw = r.StdoutRaw[:len(r.StdoutRaw)/2] },
	"huge record": func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.StdoutRaw = make([]byte, 5<<20) },
	"null record": func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.StdoutRaw = []byte("null") },
	"another format": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		rewrite(r, func(f map[string]any) { f["assetcook"] = 2 })
	},
	"result is text": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		rewrite(r, func(f map[string]any) { f["result"] = "%" })
	},
	"garbled result": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		rewrite(r, func(f map[string]any) { f["result"] = []byte("garbage") })
	},
	"garbled sets": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		rewrite(r, func(f map[string]any) { f["readSets"] = []byte("garbage") })
	},
	"empty artifacts": func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles = nil },
	"sets of another": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		rewrite(r, func(f map[string]any) {
			f["readSets"] = store.MarshalReadSets(store.ActionID{9}, []store.ReadSet{filesRead("../../etc/passwd")})
		})
	},
	"result of another": func(r *repb.ActionResult, _ map[string][]byte, j job) {
		rewrite(r, func(f map[string]any) { f["result"] = forge(store.ResultID{9}, func(*store.Result) {}, j) })
	},
	"an artifact more": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		r.OutputFiles = append(r.OutputFiles, &repb.OutputFile{Path: "3", Digest: r.OutputFiles[0].Digest})
	},
	"an artifact fewer":    func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles = r.OutputFiles[1:] },
	"an artifact twice":    func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[1].Path = "0" },
	"a path":               func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Path = "../../etc/passwd" },
	"an absolute path":     func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Path = "/etc/passwd" },
	"a number with a sign": func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Path = "+0" },
	"a negative number":    func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Path = "-1" },
	"a large number":       func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Path = "99999999999999999999" },
	"no digest":            func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Digest = nil },
	"a short digest":       func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Digest.Hash = "12" },
	"another size":         func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Digest.SizeBytes++ },
	"a negative size":      func(r *repb.ActionResult, _ map[string][]byte, _ job) { r.OutputFiles[0].Digest.SizeBytes = -1 },
	"a directory": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		r.OutputDirectories = []*repb.OutputDirectory{{Path: "x"}}
	},
	"a link": func(r *repb.ActionResult, _ map[string][]byte, _ job) {
		r.OutputSymlinks = []*repb.OutputSymlink{{Path: "0", Target: "/etc/passwd"}}
	},
	"swapped blobs": func(r *repb.ActionResult, blobs map[string][]byte, _ job) {
		a, b := r.OutputFiles[0].Digest.Hash, r.OutputFiles[1].Digest.Hash
		blobs[a], blobs[b] = blobs[b], blobs[a]
	},
	"a changed blob": func(r *repb.ActionResult, blobs map[string][]byte, _ job) {
		b := bytes.Clone(blobs[r.OutputFiles[2].Digest.Hash])
		b[len(b)-1] ^= 1
		blobs[r.OutputFiles[2].Digest.Hash] = b
	},
	"a shorter blob": func(r *repb.ActionResult, blobs map[string][]byte, _ job) {
		blobs[r.OutputFiles[2].Digest.Hash] = blobs[r.OutputFiles[2].Digest.Hash][1:]
	},
	"a longer blob": func(r *repb.ActionResult, blobs map[string][]byte, _ job) {
		blobs[r.OutputFiles[2].Digest.Hash] = append(bytes.Clone(blobs[r.OutputFiles[2].Digest.Hash]), 0)
	},
	"a blob that is gone": func(r *repb.ActionResult, blobs map[string][]byte, _ job) {
		delete(blobs, r.OutputFiles[1].Digest.Hash)
	},
	"another blob of that size": func(r *repb.ActionResult, blobs map[string][]byte, j job) {
		// The blobs and output files on the server are consistent, but differ from the record.
		other := make([]byte, j.result.Artifacts[0].Size)
		d := hashing.DigestOf(append(other, 'x')).String()
		blobs[d] = other
		r.OutputFiles[0].Digest.Hash = d
	},
}

// TestPoison corrupts a result on the server in each way of poisons. The result must be a miss, and
// the store must get neither the result nor a blob with other content.
func TestPoison(t *testing.T) {
	j := jobs(7)[5]
	j.key.Reads, j.set = false, nil
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url := shared(t, j)
			server.Change(func(blobs map[string][]byte, results map[string]*repb.ActionResult) {
				for _, r := range results {
					poison(r, blobs, j)
				}
			})
			m := newMachine(t, url)
			c := m.run()
			if m.expect(c, j.key) > 0 {
				t.Error("arrived")
			}
			if c.Fetch(t.Context(), j.key, time.Minute) {
				t.Error("fetched")
			}
			c.Close(t.Context())
			if _, err := m.store.Result(j.key.Result); err == nil {
				t.Error("the result is in the store")
			}
			m.verifyBlobs(j)
			if len(m.notes) > 1 {
				t.Errorf("notes: %q", m.notes)
			}
		})
	}
}

// TestDamagedBlobIsReplaced changes a byte of a blob on the server. A run that finds the damage, and
// uploads the result again, must replace the blob.
func TestDamagedBlobIsReplaced(t *testing.T) {
	j := jobs(7)[5]
	j.key.Reads, j.set = false, nil
	for _, protocol := range []string{"http", "file"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			server, url := servers[protocol](t)
			giver := newMachine(t, url)
			c := giver.run()
			giver.keep(c, j)
			c.Close(t.Context())
			flip := func(b []byte) []byte {
				b = bytes.Clone(b)
				b[0] ^= 1
				return b
			}
			d := share.SHA256.Of(j.contents[0])
			if dir, ok := strings.CutPrefix(url, "file://"); ok {
				name := filepath.Join(dir, "cas", d.Hash)
				if err := os.WriteFile(name, flip(j.contents[0]), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			server.Change(func(blobs map[string][]byte, _ map[string]*repb.ActionResult) {
				if b, ok := blobs[d.Hash]; ok {
					blobs[d.Hash] = flip(b)
				}
			})
			finder := newMachine(t, url)
			c = finder.run()
			if finder.expect(c, j.key) > 0 {
				t.Error("the damaged blob arrived")
			}
			finder.keep(c, j)
			c.Close(t.Context())

			taker := newMachine(t, url)
			c = taker.run()
			if taker.expect(c, j.key) != 1 || !taker.has(c, j) {
				t.Error("the blob is still damaged")
			}
			c.Close(t.Context())
		})
	}
}

// verifyBlobs checks the content of each blob of a result that is in the store.
func (m *machine) verifyBlobs(j job) {
	m.t.Helper()
	for i, a := range j.result.Artifacts {
		if m.store.HasBlob(a.Blob, a.Size) {
			one := job{contents: j.contents[i : i+1], result: store.Result{Artifacts: j.result.Artifacts[i : i+1]}}
			m.holds(one)
		}
	}
}

var faultRuns = flag.Int("share.runs", 60, "how many runs TestFaults makes; at most that many are quick")

// TestFaults checks that a run ends, and that everything it reports as fetched is correct, whatever
// the server does. Blobs may disappear at any moment.
func TestFaults(t *testing.T) {
	seed := uint64(1)
	if *faultRuns > 60 {
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	all := jobs(8)
	runs := make(chan uint64)
	var players sync.WaitGroup
	hits := make([]int, 4)
	for p := range hits {
		players.Go(func() {
			for n := range runs {
				hits[p] += playFaults(t, n, all)
			}
		})
	}
	n := *faultRuns
	if testing.Short() {
		n /= 4
	}
	for i := range n {
		runs <- seed + uint64(i)
	}
	close(runs)
	players.Wait()
	total := 0
	for _, n := range hits {
		total += n
	}
	if most := n * len(all); total == 0 || total == most {
		t.Errorf("%d of %d hits: the faults were too hard or too soft", total, most)
	}
	t.Logf("%d runs: %d of %d results fetched, 0 wrong", n, total, n*len(all))
}

// briefSilence keeps tests with many hanging servers short.
const briefSilence = 300 * time.Millisecond

// playFaults lets two machines share results through a failing server. It returns the number of
// results that the second machine fetched.
func playFaults(t *testing.T, seed uint64, all []job) (hits int) {
	r := rand.New(rand.NewPCG(seed, 1))
	var mu sync.Mutex
	draw := func(n int) int {
		mu.Lock()
		defer mu.Unlock()
		return r.IntN(n)
	}
	often := 2 + draw(30) // number of requests per failure, on average
	server := &remotetest.Server{BLAKE3: draw(2) == 0, Zstd: draw(2) == 0, NoBatch: draw(4) == 0, ReadOnly: draw(20) == 0}
	if draw(3) == 0 {
		server.CutAt = int64(1 + draw(1<<20))
	}
	thaw := make(chan struct{})
	defer close(thaw)
	server.Fault = func(ctx context.Context, call string) error {
		if draw(often) > 0 {
			return nil
		}
		if draw(6) == 0 {
			server.Change(func(blobs map[string][]byte, results map[string]*repb.ActionResult) {
				vanish(blobs, draw)
				vanish(results, draw)
			})
			return nil
		}
		if draw(40) == 0 {
			select { // a server that hangs
			case <-ctx.Done():
			case <-thaw: // HTTP servers do not notice that the client has abandoned the request
			}
			return ctx.Err()
		}
		codes := []codes.Code{
			codes.Unavailable, codes.Internal, codes.ResourceExhausted, codes.PermissionDenied, codes.NotFound, codes.InvalidArgument,
			codes.DeadlineExceeded, codes.Unimplemented, codes.Aborted, codes.DataLoss, codes.FailedPrecondition,
		}
		return status.Error(codes[draw(len(codes))], "fault")
	}
	var url string
	if draw(4) == 0 {
		server.BLAKE3, server.Zstd = false, false
		url = server.StartHTTP(t)
	} else {
		url = server.Start(t)
	}
	giver := newMachine(t, url)
	giver.silence = briefSilence
	defer os.RemoveAll(giver.store.Dir())
	c := giver.run()
	for _, j := range all {
		giver.keep(c, j)
	}
	c.Close(t.Context())
	taker := newMachine(t, url)
	taker.silence = briefSilence
	defer os.RemoveAll(taker.store.Dir())
	c = taker.run()
	if draw(2) == 0 {
		taker.expect(c, firstKeys(all)...)
	}
	for _, j := range all {
		if taker.has(c, j) {
			hits++
		}
		taker.verifyBlobs(j)
	}
	c.Close(t.Context())
	for _, m := range []*machine{giver, taker} {
		for i, note := range m.notes {
			if slices.Contains(m.notes[:i], note) || strings.Contains(note, "\n") {
				t.Errorf("seed %d: notes: %q", seed, m.notes)
				break
			}
		}
	}
	return hits
}

// vanish removes a random entry from a map of the server.
func vanish[V any](from map[string]V, draw func(int) int) {
	keys := make([]string, 0, len(from))
	for k := range from {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if len(keys) > 0 {
		delete(from, keys[draw(len(keys))])
	}
}

// TestTornRecordIsNotedAndMissing checks that the note about a damaged record names the asset and
// the consequence.
func TestTornRecordIsNotedAndMissing(t *testing.T) {
	server, url := started(t, &remotetest.Server{})
	giver := newMachine(t, url)
	j := jobs(5)[1]
	c := giver.run()
	giver.keep(c, j)
	c.Close(t.Context())
	server.Change(func(_ map[string][]byte, results map[string]*repb.ActionResult) {
		for _, r := range results {
			r.StdoutRaw = r.StdoutRaw[:len(r.StdoutRaw)/2]
		}
	})
	taker := newMachine(t, url)
	c = taker.run()
	if known := c.Look(t.Context(), j.key, "models/a.gltf", time.Minute); known.Result != nil {
		t.Error("a torn record is a result")
	}
	c.Close(t.Context())
	if len(taker.notes) != 1 || !strings.Contains(taker.notes[0], "models/a.gltf: the server's record is wrong: ") || !strings.Contains(taker.notes[0], "the record counts as missing, and the asset is cooked") {
		t.Errorf("notes: %q", taker.notes)
	}
}
