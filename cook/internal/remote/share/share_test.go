package share_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/memtemp"
)

func TestMain(m *testing.M) {
	memtemp.Use()
	os.Exit(m.Run())
}

// A machine cooks assets: it has a store, and clients for its runs.
type machine struct {
	t     testing.TB
	store *store.Store
	url   string
	open  func(context.Context) (share.Server, error)
	name  string
	keys  share.Keys
	later time.Duration // value of share.Options.LaterTime

	mu    sync.Mutex
	notes []string
}

func newMachine(t testing.TB, url string) *machine {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, store: s, url: url, open: open(url)}
}

func open(address string) func(context.Context) (share.Server, error) {
	return func(ctx context.Context) (share.Server, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		if u.Scheme == "http" {
			return webcache.Open(ctx, u, webcache.Options{})
		}
		return reapi.Open(ctx, u, reapi.Options{})
	}
}

// run returns a client. The sharer at its other end runs in this process.
func (m *machine) run() *remote.Client { return m.runOver(m.open) }

// runOver is like run, with another function that opens the server.
func (m *machine) runOver(open func(context.Context) (share.Server, error)) *remote.Client {
	opt := remote.Options{URL: m.url, Read: true, Upload: true, Exec: true}
	return remote.NewOver(m.t.Context(), opt, m.note, func() (io.ReadWriteCloser, error) {
		here, there := newPipes()
		go func() {
			err := share.Serve(context.Background(), there, there, share.Options{
				Store: m.store, Open: open, Name: m.url, Run: m.name, Host: "host", Keys: m.keys, Pending: filepath.Join(m.store.Dir(), "pending"),
				Patient:   true, // a busy machine may open the server late
				LaterTime: m.later,
			})
			if err != nil {
				m.t.Errorf("serve: %v", err)
			}
			there.Close()
		}()
		return here, nil
	})
}

func (m *machine) note(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, text)
}

// A pipes is one end of a two-way connection.
type pipes struct {
	io.Reader
	io.WriteCloser
}

func newPipes() (pipes, pipes) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	return pipes{r1, w2}, pipes{r2, w1}
}

// A job is a result with the contents of its artifacts.
type job struct {
	key      remote.Key
	set      store.ReadSet
	contents [][]byte
	result   store.Result
}

// jobs returns results with all kinds of artifacts and dependencies.
func jobs(seed uint64) (all []job) {
	r := rand.New(rand.NewPCG(seed, 0))
	for i, sizes := range [][]int{{0}, {1}, {100}, {70_000}, {3 << 20}, {10, 20, 30}, {500, 2 << 20, 0}, {}, {4000}, {4000}} {
		j := job{result: store.Result{CookTime: time.Hour}} // longer than any download
		r0, a := r.Uint64(), r.Uint64()
		j.key.Action = store.ActionID(hashing.DigestOf(fmt.Append(nil, a)))
		j.key.Result = store.ResultID(hashing.DigestOf(fmt.Append(nil, r0)))
		if i%3 == 2 {
			j.key.Reads, j.set = true, filesRead("a/b.h", "c")
		}
		for _, n := range sizes {
			content := make([]byte, n)
			for k := range content {
				content[k] = byte(r.Uint32() >> uint(8*(k%2)))
			}
			j.contents = append(j.contents, content)
			j.result.Artifacts = append(j.result.Artifacts, store.Artifact{Blob: store.BlobID(hashing.DigestOf(content)), Size: int64(n)})
		}
		if i == 5 {
			j.result.Warnings = []string{"a warning"}
		}
		all = append(all, j)
	}
	return all
}

// keep puts a result into the machine's store, and uploads it.
func (m *machine) keep(c *remote.Client, j job) {
	m.t.Helper()
	for i, content := range j.contents {
		a := j.result.Artifacts[i]
		if err := m.store.ReceiveBlob(m.t.Context(), bytes.NewReader(content), a.Blob, a.Size); err != nil {
			m.t.Fatal(err)
		}
	}
	if j.set != nil {
		if err := m.store.AddReadSet(j.key.Action, j.set); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.store.PutResult(j.key.Result, j.result); err != nil {
		m.t.Fatal(err)
	}
	if j.key.Reads {
		c.Keep("a.png", j.key, j.above())
	} else {
		c.Keep("a.png", j.key)
	}
}

// above returns the key for the read sets of the job's action.
func (j job) above() remote.Key {
	return remote.Key{Action: j.key.Action, Result: store.ResultID{1}}
}

// has reports whether the server returns a result equal to the job's, and the store then has its
// blobs.
func (m *machine) has(c *remote.Client, j job) bool {
	m.t.Helper()
	known := c.Look(m.t.Context(), j.key, "", time.Minute)
	if j.key.Reads {
		above := c.Look(m.t.Context(), j.above(), "", time.Minute)
		if known.Result != nil && !slices.ContainsFunc(above.ReadSets, func(s store.ReadSet) bool { return slices.Equal(s, j.set) }) {
			return false
		}
	}
	if known.Result == nil {
		return false
	}
	if !slices.Equal(known.Result.Artifacts, j.result.Artifacts) || !slices.Equal(known.Result.Warnings, j.result.Warnings) {
		m.t.Errorf("another result: %+v, want %+v", known.Result, j.result)
	}
	if !c.Fetch(m.t.Context(), j.key, time.Minute) {
		return false
	}
	m.holds(j)
	return true
}

// holds checks that the store has the blobs of a result.
func (m *machine) holds(j job) {
	m.t.Helper()
	for i, a := range j.result.Artifacts {
		f, err := m.store.OpenBlob(a.Blob, a.Size)
		if err != nil {
			m.t.Errorf("fetched, but: %v", err)
			continue
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil || !bytes.Equal(data, j.contents[i]) {
			m.t.Errorf("a blob of %d bytes has %d others (%v)", len(j.contents[i]), len(data), err)
		}
	}
}

var servers = map[string]func(t *testing.T) (*remotetest.Server, string){
	"grpc": func(t *testing.T) (*remotetest.Server, string) { return started(t, &remotetest.Server{}) },
	"blake3": func(t *testing.T) (*remotetest.Server, string) {
		return started(t, &remotetest.Server{BLAKE3: true, Zstd: true})
	},
	"zstd":  func(t *testing.T) (*remotetest.Server, string) { return started(t, &remotetest.Server{Zstd: true}) },
	"alone": func(t *testing.T) (*remotetest.Server, string) { return started(t, &remotetest.Server{NoBatch: true}) },
	"cut":   func(t *testing.T) (*remotetest.Server, string) { return started(t, &remotetest.Server{CutAt: 300_000}) },
	"http": func(t *testing.T) (*remotetest.Server, string) {
		s := &remotetest.Server{}
		return s, s.StartHTTP(t)
	},
	"http, cut": func(t *testing.T) (*remotetest.Server, string) {
		s := &remotetest.Server{CutAt: 300_000}
		return s, s.StartHTTP(t)
	},
}

func started(t *testing.T, s *remotetest.Server) (*remotetest.Server, string) {
	return s, s.Start(t) + "/main"
}

// TestUploadedResultIsDownloadedByOthers uploads results from one machine and downloads them on
// another, with servers of all capabilities. Existing results must not be uploaded again.
func TestUploadedResultIsDownloadedByOthers(t *testing.T) {
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, url := start(t)
			all := jobs(1)
			giver := newMachine(t, url)
			c := giver.run()
			for _, j := range all {
				giver.keep(c, j)
			}
			stats := c.Close(t.Context())
			if stats.Uploaded != int64(len(all)) || stats.Left != 0 {
				t.Errorf("uploaded %+v of %d", stats, len(all))
			}

			taker := newMachine(t, url)
			c = taker.run()
			if whole := expect(c, firstKeys(all)...); whole == 0 {
				t.Error("no expected result was fetched")
			}
			for i, j := range all {
				if !taker.has(c, j) {
					t.Errorf("result %d is missing", i)
				}
			}
			if unknown := c.Look(t.Context(), remote.Key{Action: store.ActionID{1}}, "", time.Minute); unknown.Result != nil || unknown.ReadSets != nil {
				t.Errorf("unexpected result %+v", unknown)
			}
			if stats := c.Close(t.Context()); stats.Hits != int64(len(all)) || stats.Down == 0 {
				t.Errorf("%+v", stats)
			}

			writes := func() int64 {
				return server.Calls("BatchUpdateBlobs") + server.Calls("Write") + server.Calls("PUT cas")
			}
			before := writes()
			c = taker.run()
			for _, j := range all {
				taker.keep(c, j)
			}
			c.Close(t.Context())
			if n := writes() - before; n != 0 {
				t.Errorf("%d requests to write existing blobs", n)
			}
			if notes := append(giver.notes, taker.notes...); len(notes) > 0 {
				t.Errorf("notes: %q", notes)
			}
		})
	}
}

// firstKeys returns the keys that a run can expect before any answer.
func firstKeys(all []job) (keys []remote.Key) {
	for _, j := range all {
		if !j.key.Reads {
			keys = append(keys, j.key)
		}
	}
	return keys
}

// expect waits for all expected results, and returns the number of complete results.
func expect(c *remote.Client, keys ...remote.Key) (whole int) {
	wanted := make([]remote.Expectation, len(keys))
	for i, k := range keys {
		wanted[i].Key = k
	}
	arrived := make(chan bool, len(keys))
	c.Expect(wanted, func(_ int, is bool) { arrived <- is })
	for range keys {
		if <-arrived {
			whole++
		}
	}
	return whole
}

func TestForgottenKeyIsNotLookedUp(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	m := newMachine(t, url)
	opened := make(chan struct{})
	m.open = func(ctx context.Context) (share.Server, error) {
		<-opened
		return open(url)(ctx)
	}
	c := m.run()
	all := jobs(1)
	wanted := []remote.Expectation{{Key: all[0].key}, {Key: all[1].key}, {Key: all[3].key}}
	arrived := make(chan int, len(wanted))
	c.Expect(wanted, func(n int, _ bool) { arrived <- n })
	c.Forget(all[0].key)
	c.Forget(all[3].key)
	other := remote.Key{Action: store.ActionID{1}}
	c.Look(t.Context(), other, "", 0) // the sharer reads this request after the requests above
	close(opened)
	if n := <-arrived; n != 1 {
		t.Errorf("key %d was answered", n)
	}
	c.Look(t.Context(), other, "", time.Minute)
	c.Close(t.Context())
	if n := server.Calls("GetActionResult"); n > 2 {
		t.Errorf("%d questions", n)
	}
}

// TestNextRunUploadsTheRest checks that the next run uploads the results that this run could not
// upload in time.
func TestNextRunUploadsTheRest(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	m := newMachine(t, url)
	m.later = 10 * time.Minute // long enough for all uploads, even on a busy machine
	held := make(chan struct{})
	server.Fault = func(ctx context.Context, call string) error {
		if call == "FindMissingBlobs" {
			select {
			case <-held:
			case <-ctx.Done():
			}
		}
		return nil
	}
	c := m.run()
	all := jobs(2)
	for _, j := range all {
		m.keep(c, j)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if stats := c.Close(ended); stats.Uploaded != 0 || stats.Left != int64(len(all)) {
		t.Errorf("%+v", stats)
	}
	close(held)
	c = m.run()
	m.keep(c, all[0])
	if stats := c.Close(t.Context()); stats.Uploaded != int64(len(all))+1 || stats.Left != 0 {
		t.Errorf("the next run: %+v", stats)
	}
	if _, err := os.Stat(filepath.Join(m.store.Dir(), "pending")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("pending: %v", err)
	}
	taker := newMachine(t, url)
	c = taker.run()
	for i, j := range all {
		if !taker.has(c, j) {
			t.Errorf("result %d is missing", i)
		}
	}
	c.Close(t.Context())
}

// TestDearDownloadIsSkipped checks that a result is not downloaded if that would take longer than
// cooking.
func TestDearDownloadIsSkipped(t *testing.T) {
	server := &remotetest.Server{}
	m := newMachine(t, server.Start(t))
	c := m.run()
	large, quick := jobs(3)[4], jobs(4)[4]
	more := jobs(5)[4]
	quick.result.CookTime = time.Nanosecond
	for _, j := range []job{large, more, quick} {
		m.keep(c, j)
	}
	c.Close(t.Context())

	taker := newMachine(t, m.url)
	c = taker.run()
	if !taker.has(c, large) || !taker.has(c, more) { // downloads of these results let the client measure the rate
		t.Error("not fetched")
	}
	if taker.has(c, quick) {
		t.Error("fetched a result that takes a nanosecond to cook")
	}
	if stats := c.Close(t.Context()); stats.Dear != 1 {
		t.Errorf("%+v", stats)
	}
}

// TestFailingServerIsGivenUp uses servers that are missing, refuse credentials, or return errors.
// After three failures there must be one note.
func TestFailingServerIsGivenUp(t *testing.T) {
	refused := func(t *testing.T) (*remotetest.Server, string) { return &remotetest.Server{}, "grpc://127.0.0.1:1" }
	nobody := func(t *testing.T) (*remotetest.Server, string) {
		return started(t, &remotetest.Server{Authorization: "Bearer x"})
	}
	broken := func(t *testing.T) (*remotetest.Server, string) {
		return started(t, &remotetest.Server{Fault: func(_ context.Context, call string) error {
			if call == "GetCapabilities" {
				return nil
			}
			return errors.New("broken\x1b[2J\nby whom?")
		}})
	}
	for name, tc := range map[string]struct {
		start func(*testing.T) (*remotetest.Server, string)
		want  string
	}{"refused": {refused, "refused"}, "nobody": {nobody, "invalid credentials"}, "broken": {broken, "broken"}} {
		t.Run(name, func(t *testing.T) {
			server, url := tc.start(t)
			m := newMachine(t, url)
			c := m.run()
			for _, j := range jobs(6) {
				if m.has(c, j) {
					t.Error("a hit")
				}
				m.keep(c, j)
			}
			if stats := c.Close(t.Context()); stats.Left != int64(len(jobs(6))) {
				t.Errorf("%+v", stats)
			}
			if n := server.Calls("GetActionResult"); n > 2*3 {
				t.Errorf("asked %d times", n)
			}
			if len(m.notes) != 1 || !strings.Contains(m.notes[0], tc.want) || !strings.Contains(m.notes[0], url) || strings.ContainsAny(m.notes[0], "\x1b\n") {
				t.Errorf("notes: %q", m.notes)
			}
		})
	}
}

// TestRefusedBlobDoesNotStopOtherUploads checks that a refused blob does not stop the uploads of
// other results, in this run or later. One note must name its asset and the reason.
func TestRefusedBlobDoesNotStopOtherUploads(t *testing.T) {
	const least = 2 << 20 // minimum size of the blobs of two jobs
	for name, c := range map[string]struct {
		code  codes.Code
		most  int64 // size limit that the server announces
		http  bool
		says  string
		again bool // whether later runs try again
	}{
		"500":                  {code: codes.Internal, http: true, says: "500 Internal Server Error; later runs try to upload again", again: true},
		"413":                  {code: codes.OutOfRange, http: true, says: "too large for the server: the server answers 413"},
		"507":                  {code: codes.ResourceExhausted, http: true, says: "no space left: the server answers 507", again: true},
		"internal error":       {code: codes.Internal, says: "later runs try to upload again", again: true},
		"resource exhausted":   {code: codes.ResourceExhausted, says: "later runs try to upload again", again: true},
		"invalid":              {code: codes.InvalidArgument, says: "each machine cooks the asset"},
		"says how large":       {code: codes.Internal, most: least - 1, says: "too large for the server, which takes at most 2.0 MiB; each machine cooks the asset"},
		"says how large, zstd": {code: codes.Internal, most: least - 1, says: "too large for the server"},
	} {
		t.Run(name, func(t *testing.T) {
			server := &remotetest.Server{Zstd: strings.Contains(name, "zstd"), Blobs: remotetest.Blobs{Most: c.most}}
			server.Blobs.Refuse = func(size int64) error {
				if size >= least {
					return status.Error(c.code, "no")
				}
				return nil
			}
			start := server.Start
			if c.http {
				start = server.StartHTTP
			}
			m := newMachine(t, start(t))
			m.later = 10 * time.Minute // long enough for all uploads, even on a busy machine
			all := jobs(11)
			var rest []job
			for i, j := range all {
				if i != 4 && i != 6 {
					rest = append(rest, j)
				}
			}
			run := func(jobs []job) remote.Stats {
				c := m.run()
				for _, j := range jobs {
					m.keep(c, j)
				}
				return c.Close(t.Context())
			}
			first := run(all)
			if first.Uploaded != int64(len(rest)) || (first.Left == 2) != c.again {
				t.Errorf("%+v", first)
			}
			if text := strings.Join(m.notes, "\n"); !strings.Contains(text, "did not accept 2 results, such as the result of a.png: ") || !strings.Contains(text, c.says) || len(m.notes) != 1 {
				t.Errorf("notes: %q, want %q", m.notes, c.says)
			}
			left := first.Left
			runs := 1
			for ; left > 0 && runs < 30; runs++ { // each run tries the remaining results again, until they have had enough tries
				next := run(jobs(uint64(20 + runs))[:3])
				if next.Uploaded != 3 || next.Left > 2 {
					t.Errorf("run %d: %+v", runs, next)
				}
				left = next.Left
			}
			if left > 0 || c.again != (runs > 3) {
				t.Errorf("%d are left after %d runs", left, runs)
			}
			taker := newMachine(t, m.url)
			client := taker.run()
			for i, j := range rest {
				if !taker.has(client, j) {
					t.Errorf("result %d is missing", i)
				}
			}
			client.Close(t.Context())
		})
	}
}

// TestRefusedUploadIsNotCounted checks that a refused result does not count as uploaded.
func TestRefusedUploadIsNotCounted(t *testing.T) {
	_, url := started(t, &remotetest.Server{Fault: func(_ context.Context, call string) error {
		if call == "BatchUpdateBlobs" || call == "Write" {
			return status.Error(codes.ResourceExhausted, "full")
		}
		return nil
	}})
	m := newMachine(t, url)
	c := m.run()
	for _, j := range jobs(3) {
		m.keep(c, j)
	}
	if stats := c.Close(t.Context()); stats.Uploaded != 0 || stats.Up != 0 {
		t.Errorf("%+v", stats)
	}
}

// TestVersionIsTheFirstAnswer checks that the first answer has the protocol version, even if the
// server fails at once.
func TestVersionIsTheFirstAnswer(t *testing.T) {
	for range 50 {
		var out bytes.Buffer
		share.Serve(t.Context(), strings.NewReader(""), &out, share.Options{
			Name: "server", Open: func(context.Context) (share.Server, error) { return nil, errors.New("refused") },
		})
		var first remote.Answer
		if err := json.NewDecoder(&out).Decode(&first); err != nil || first.Wire != remote.WireVersion {
			t.Fatalf("first answer: %+v, %v", first, err)
		}
	}
}

// filesRead returns the read set of an action that read the named files.
func filesRead(names ...string) (set store.ReadSet) {
	for _, name := range names {
		set = append(set, dependency.OfFile(name))
	}
	return set
}
