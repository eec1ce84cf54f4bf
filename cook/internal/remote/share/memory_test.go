package share

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

var memoryKeys = flag.Int("share.keys", 24_000, "number of keys that TestLookUpsTakeLittleMemory looks up")

// A hollowServer has results by the hashes of their actions. No test downloads its blobs.
type hollowServer struct {
	Server
	results map[string]*messages.ActionResult
}

func (s *hollowServer) Traits() Traits { return Traits{Batch: 1 << 20} }
func (s *hollowServer) Close() error   { return nil }
func (s *hollowServer) Result(_ context.Context, action Digest) (*messages.ActionResult, error) {
	if r, ok := s.results[action.Hash]; ok {
		return r, nil
	}
	return nil, ErrMissing
}

// keyNumber returns the n-th key of a test.
func keyNumber(n int) remote.Key {
	id := hashing.DigestOf(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	return remote.Key{Action: store.ActionID(id), Result: store.ResultID(hashing.DigestOf(id[:]))}
}

// heapInUse returns the number of bytes in reachable objects.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestLookUpsTakeLittleMemory looks up keys of results that the server lacks or has. After the
// answers for the second half, the process may hold at most 300 bytes more for each key of this half.
// The first half also makes goroutines, whose number is limited.
func TestLookUpsTakeLittleMemory(t *testing.T) {
	const most = 300
	for name, has := range map[string]bool{"missing": false, "found": true} {
		t.Run(name, func(t *testing.T) {
			server := &hollowServer{results: map[string]*messages.ActionResult{}}
			blob := store.BlobID(hashing.DigestOf(nil))
			for n := 0; has && n < *memoryKeys; n++ {
				k := keyNumber(n)
				e := entry{result: &store.Result{CookTime: time.Hour, Artifacts: []store.Artifact{{Blob: blob, Size: 1}}}, files: []Digest{{Hash: blob.String(), Size: 1}}}
				ar, err := e.encodeEntry(k, nil)
				if err != nil {
					t.Fatal(err)
				}
				server.results[actionOf(k, SHA256).Hash] = ar
			}
			opened, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			in, requests := io.Pipe()
			answers, out := io.Pipe()
			go Serve(t.Context(), in, out, Options{
				Name: "server", Store: opened, Open: func(context.Context, *Meter) (Server, error) { return server, nil },
			})
			toServer := json.NewEncoder(requests)
			expect := func(first, end int) {
				if first == 0 {
					toServer.Encode(remote.Request{Op: remote.Hello, Wire: remote.WireVersion})
				}
				for n := first; n < end; n += 1000 {
					r := remote.Request{Seq: uint64(n) + 1, Op: remote.Expect}
					for i := n; i < min(n+1000, end); i++ {
						r.Keys, r.Have = append(r.Keys, keyNumber(i)), append(r.Have, []store.BlobID{blob})
						r.Assets = append(r.Assets, fmt.Sprintf("textures/level%d/wall_%06d.png", i%100, i))
					}
					toServer.Encode(r)
				}
			}
			lines := json.NewDecoder(answers)
			next := func() (a remote.Answer) {
				if err := lines.Decode(&a); err != nil {
					t.Fatal(err)
				}
				return a
			}
			half := *memoryKeys / 2
			awaitHalf := func() int64 {
				for answered := 0; answered < half; {
					if a := next(); a.Seq > 0 {
						answered++
						if a.Found != has {
							t.Fatalf("%+v", a)
						}
					}
				}
				return heapInUse()
			}
			go expect(0, half)
			before := awaitHalf()
			go expect(half, 2*half)
			held := float64(awaitHalf()-before) / float64(half)
			t.Logf("%.0f B for each key", held)
			if held > most {
				t.Errorf("the process holds %.0f B for each key, want at most %d", held, most)
			}
			go toServer.Encode(remote.Request{Seq: 1 << 40, Op: remote.End})
			for {
				if a := next(); a.Stats != nil {
					if want := map[bool]int{true: *memoryKeys}[has]; a.Stats.Looked != int64(*memoryKeys) || a.Stats.Hits != int64(want) {
						t.Errorf("%+v", a.Stats)
					}
					break
				}
			}
			requests.Close()
		})
	}
}
