package share

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
)

// A slowServer has results, at the other end of a simulated link. All its times are the times of a
// synctest bubble.
type slowServer struct {
	Server
	rate    float64       // bytes per second
	trip    time.Duration // time of a round trip
	meter   *Meter
	results map[Digest]*messages.ActionResult
	blobs   map[Digest][]byte

	mu   sync.Mutex
	free time.Time     // end of the transmission of all earlier bytes
	cut  chan struct{} // closed when the connections break
}

const chunk = 16 << 10 // number of bytes that the link transmits at once

func (s *slowServer) Traits() Traits { return Traits{Function: BLAKE3, Batch: 4 << 20, Uploads: true} }

func (s *slowServer) Close() error { return nil }

// pause keeps the link from transmitting for some time.
func (s *slowServer) pause(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(d)
}

// breakConnections makes all requests in flight fail. Their bytes are lost.
func (s *slowServer) breakConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.cut)
	s.cut, s.free = make(chan struct{}), time.Now()
}

// transmit returns the time at which n bytes have left the server, and the channel that is closed if
// they do not arrive.
func (s *slowServer) transmit(n int) (time.Time, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(time.Duration(float64(n) / s.rate * float64(time.Second)))
	return s.free, s.cut
}

// await waits until the given time, unless the connection breaks.
func await(ctx context.Context, until time.Time, cut <-chan struct{}) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-cut:
		return fmt.Errorf("%w: the connection is broken", ErrUnavailable)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// answer transmits an answer of n bytes, chunk by chunk.
func (s *slowServer) answer(ctx context.Context, n int) error {
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	if err := await(ctx, time.Now().Add(s.trip/2), cut); err != nil {
		return err
	}
	for ; n > 0; n -= chunk {
		sent, _ := s.transmit(min(n, chunk))
		if err := await(ctx, sent, cut); err != nil {
			return err
		}
		time.AfterFunc(s.trip/2, s.meter.NoteByte)
	}
	return await(ctx, time.Now().Add(s.trip/2), cut)
}

func (s *slowServer) Result(ctx context.Context, action Digest) (*messages.ActionResult, error) {
	if err := s.answer(ctx, 500); err != nil {
		return nil, err
	}
	if r := s.results[action]; r != nil {
		return r, nil
	}
	return nil, ErrMissing
}

func (s *slowServer) ReadSmall(ctx context.Context, digests []Digest, each func(int, []byte, error)) error {
	size := 0
	for _, d := range digests {
		size += int(d.Size)
	}
	if err := s.answer(ctx, size); err != nil {
		return err
	}
	for i, d := range digests {
		if content, ok := s.blobs[d]; ok {
			each(i, content, nil)
		}
	}
	return nil
}

// Read transmits a blob. The server sends at most streamWindow bytes ahead of the reader.
func (s *slowServer) Read(ctx context.Context, d Digest) (io.ReadCloser, error) {
	if _, ok := s.blobs[d]; !ok {
		return nil, cmp.Or(s.answer(ctx, 100), ErrMissing)
	}
	r, w := io.Pipe()
	arrived := make(chan []byte, streamWindow/chunk)
	s.mu.Lock()
	cut := s.cut
	s.mu.Unlock()
	go func() {
		defer close(arrived)
		for rest := s.blobs[d]; len(rest) > 0; {
			n := min(len(rest), chunk)
			sent, _ := s.transmit(n)
			if err := await(ctx, sent, cut); err != nil {
				w.CloseWithError(err)
				return
			}
			arrived <- rest[:n]
			rest = rest[n:]
		}
	}()
	go func() {
		time.Sleep(s.trip)
		for data := range arrived {
			s.meter.NoteByte()
			if _, err := w.Write(data); err != nil {
				for range arrived {
				}
			}
		}
		w.Close()
	}()
	return r, nil
}

// take receives n bytes. At first, buffers accept all bytes, so that the sender sees no progress until
// the server answers.
func (s *slowServer) take(ctx context.Context, n int) error {
	s.meter.NoteByte()
	sent, cut := s.transmit(n)
	if err := await(ctx, sent.Add(s.trip), cut); err != nil {
		return err
	}
	s.meter.NoteByte()
	return nil
}

func (s *slowServer) Missing(ctx context.Context, all []Digest) ([]Digest, error) {
	return all, s.take(ctx, 100*len(all))
}

func (s *slowServer) WriteSmall(ctx context.Context, _ []Digest, contents [][]byte) error {
	size := 0
	for _, content := range contents {
		size += len(content)
	}
	return s.take(ctx, size)
}

func (s *slowServer) Write(ctx context.Context, d Digest, _ func(int64) (io.ReadCloser, error)) error {
	return s.take(ctx, int(d.Size))
}

func (s *slowServer) PutResult(ctx context.Context, _ Digest, _ *messages.ActionResult) error {
	return s.take(ctx, 1000)
}

// newSlowServer returns a server with n results whose artifacts have between 4 KiB and 512 KiB, and
// the requests for these results.
func newSlowServer(t *testing.T, n int) (s *slowServer, keys []remote.Key, size int64) {
	s = &slowServer{results: map[Digest]*messages.ActionResult{}, blobs: map[Digest][]byte{}}
	r := rand.New(rand.NewPCG(45, 1))
	for i := range n {
		content := make([]byte, 4<<10<<r.IntN(8))
		for k := range content {
			content[k] = byte(r.Uint32())
		}
		blob := hashing.DigestOf(content)
		d := Digest{Hash: hex.EncodeToString(blob[:]), Size: int64(len(content))}
		k := remote.Key{Action: store.ActionID(sha256.Sum256([]byte{byte(i), 1})), Result: store.ResultID(sha256.Sum256([]byte{byte(i), 2}))}
		e := &entry{result: &store.Result{CookTime: time.Hour, Artifacts: []store.Artifact{{Blob: store.BlobID(blob), Size: d.Size}}}, files: []Digest{d}}
		ar, err := e.encodeEntry(k, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.blobs[d] = content
		s.results[actionOf(k, BLAKE3).Digest] = ar
		keys = append(keys, k)
		size += d.Size
	}
	return s, keys, size
}

// TestSlowLinkIsUsed checks that a run over a link with any rate and latency gets all results that
// it expects, although the link pauses or its connections break. It takes at most 1.1 times the
// time of the bytes, besides some round trips and the trouble.
func TestSlowLinkIsUsed(t *testing.T) {
	const results = 40
	server, keys, size := newSlowServer(t, results)
	for _, megabits := range []float64{2, 20, 100, 1000} {
		for _, trip := range []time.Duration{0, 30 * time.Millisecond, 300 * time.Millisecond} {
			for trouble, strike := range map[string]func(*slowServer){
				"calm":        func(*slowServer) {},
				"short pause": func(s *slowServer) { s.pause(1300 * time.Millisecond) },
				"long pause":  func(s *slowServer) { s.pause(12 * time.Second) },
				"cut":         func(s *slowServer) { s.breakConnections() },
			} {
				t.Run(fmt.Sprint(megabits, "Mbit ", trip, " ", trouble), func(t *testing.T) {
					opened, err := store.Open(t.TempDir())
					if err != nil {
						t.Fatal(err)
					}
					synctest.Test(t, func(t *testing.T) {
						s := &slowServer{rate: megabits * 1e6 / 8, trip: trip, results: server.results, blobs: server.blobs, cut: make(chan struct{})}
						own := time.Duration(float64(size) / s.rate * float64(time.Second))
						time.AfterFunc(own/3+2*trip, func() { strike(s) })
						begun := time.Now()
						restored := len(restoredKeys(t, opened, s, keys))
						took := time.Since(begun)
						if restored != results {
							t.Errorf("%d of %d results restored", restored, results)
						}
						// A cut costs the bytes in flight. A link that is silent for longer than
						// silenceTime costs the pauses between the attempts, too.
						allowed := own*11/10 + 10*trip + 200*time.Millisecond + map[string]time.Duration{
							"short pause": 1300 * time.Millisecond, "long pause": 16 * time.Second, "cut": time.Second + 2*trip,
						}[trouble]
						t.Logf("%.2f times the time of the bytes, %v", float64(took)/float64(own), own.Round(time.Millisecond))
						if took > allowed {
							t.Errorf("took %v, want at most %v: the bytes take %v", took, allowed, own)
						}
					})
				})
			}
		}
	}
}

// TestSlowUplinkIsUsed checks that a run uploads all results over a link with any rate and latency,
// although its connections break or an upload takes longer than silenceTime.
func TestSlowUplinkIsUsed(t *testing.T) {
	for _, megabits := range []float64{2, 20, 1000} {
		for _, trip := range []time.Duration{0, 30 * time.Millisecond, 300 * time.Millisecond} {
			for _, cuts := range []bool{false, true} {
				t.Run(fmt.Sprint(megabits, "Mbit ", trip, " cuts ", cuts), func(t *testing.T) {
					m, keys, size := storedResults(t, 0, 100, 70_000, 500_000, 3_000_000)
					synctest.Test(t, func(t *testing.T) {
						s := &slowServer{rate: megabits * 1e6 / 8, trip: trip, cut: make(chan struct{})}
						own := time.Duration(float64(size) / s.rate * float64(time.Second))
						if cuts {
							time.AfterFunc(own/3+2*trip, s.breakConnections)
						}
						begun := time.Now()
						stats := uploadAll(t, m, s, keys)
						if stats.Uploaded != int64(len(keys)) || stats.Left > 0 {
							t.Errorf("%+v", stats)
						}
						allowed := own*11/10 + 20*trip + 200*time.Millisecond
						if cuts {
							allowed += own + time.Second // the largest upload begins again
						}
						if took := time.Since(begun); took > allowed {
							t.Errorf("took %v, want at most %v: the bytes take %v", took, allowed, own)
						}
					})
				})
			}
		}
	}
}

// storedResults returns a store with results whose artifacts have the given sizes.
func storedResults(t *testing.T, sizes ...int) (to *store.Store, keys []remote.Key, size int64) {
	to, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		content := bytes.Repeat([]byte{byte(i)}, n)
		a := store.Artifact{Blob: store.BlobID(hashing.DigestOf(content)), Size: int64(n)}
		k := remote.Key{Action: store.ActionID{1, byte(i)}, Result: store.ResultID{2, byte(i)}}
		err := to.ReceiveBlob(t.Context(), bytes.NewReader(content), a.Blob, a.Size)
		if err == nil {
			err = to.PutResult(k.Result, store.Result{CookTime: time.Second, Artifacts: []store.Artifact{a}})
		}
		if err != nil {
			t.Fatal(err)
		}
		keys, size = append(keys, k), size+a.Size
	}
	return to, keys, size
}

// uploadAll serves a run that uploads the results of all keys, and returns its counts.
func uploadAll(t *testing.T, from *store.Store, server *slowServer, keys []remote.Key) (stats *remote.Stats) {
	answers := serveSlowly(t, from, server,
		remote.Request{Op: remote.Keep, Keys: keys}, remote.Request{Seq: 1, Op: remote.End, Flush: time.Hour})
	for a := range answers {
		if a.Stats != nil {
			stats = a.Stats
		}
	}
	return stats
}

// restoredKeys serves a run that expects all keys, and returns the indices of the results that
// arrive.
func restoredKeys(t *testing.T, to *store.Store, server *slowServer, keys []remote.Key) map[int]bool {
	found, answered := map[int]bool{}, 0
	for a := range serveSlowly(t, to, server, remote.Request{Seq: 1, Op: remote.Expect, Keys: keys, Have: make([][]store.BlobID, len(keys))}) {
		if a.Seq == 0 {
			continue
		}
		if a.Found {
			found[int(a.Seq)-1] = true
		}
		if answered++; answered == len(keys) {
			break
		}
	}
	return found
}

// serveSlowly serves a run that makes the given requests, and returns the answers. The run ends when
// the loop over the answers ends.
func serveSlowly(t *testing.T, of *store.Store, server *slowServer, all ...remote.Request) iter.Seq[remote.Answer] {
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer answers.Close()
		err := Serve(t.Context(), requests, answers, Options{Store: of, Name: "server", Open: func(_ context.Context, m *Meter) (Server, error) {
			server.meter = m
			return server, nil
		}})
		if err != nil {
			t.Error(err)
		}
	}()
	go func() {
		e := json.NewEncoder(in)
		for _, r := range append([]remote.Request{{Op: remote.Hello, Wire: remote.WireVersion}}, all...) {
			e.Encode(r)
		}
	}()
	return func(yield func(remote.Answer) bool) {
		d := json.NewDecoder(out)
		for more := true; more; {
			var a remote.Answer
			more = d.Decode(&a) == nil && yield(a) && a.Stats == nil
		}
		in.Close()
		io.Copy(io.Discard, out)
		<-done
	}
}
