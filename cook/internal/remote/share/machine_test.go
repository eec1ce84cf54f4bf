package share_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/bucket"
	"github.com/assetcook/assetcook/cook/internal/remote/dircache"
	"github.com/assetcook/assetcook/cook/internal/remote/reapi"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/remote/webcache"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
)

// A machine cooks assets: it has a store, and clients for its runs.
type machine struct {
	t     testing.TB
	store *store.Store
	url   string
	open  func(context.Context, *share.Meter) (share.Server, error)
	name  string
	keys  share.Keys
	later time.Duration // value of share.Options.LaterTime
	down  chan struct{} // has a value if the server does not answer
	// silence is the value of share.Options.Silence.
	silence time.Duration

	mu    sync.Mutex
	notes []string
}

func newMachine(t testing.TB, url string) *machine {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, store: s, url: url, open: open(url), down: make(chan struct{}, 1)}
}

func open(address string) func(context.Context, *share.Meter) (share.Server, error) {
	return func(ctx context.Context, meter *share.Meter) (share.Server, error) {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		if u.Scheme == "file" {
			return dircache.Open(ctx, u, meter)
		}
		if u.Scheme == "s3" {
			keys := map[string]string{
				"AWS_ENDPOINT_URL": "http://" + u.Query().Get("endpoint"), "AWS_ACCESS_KEY_ID": testBucket.KeyID, "AWS_SECRET_ACCESS_KEY": testBucket.Secret,
				"AWS_REGION": testBucket.Region,
			}
			p, err := bucket.Find(u, func(name string) string { return keys[name] })
			if err != nil {
				return nil, err
			}
			return p.Open(ctx, webcache.Options{Meter: meter})
		}
		if u.Scheme == "http" {
			return webcache.Open(ctx, u, webcache.Options{Meter: meter})
		}
		return reapi.Open(ctx, u, reapi.Options{Meter: meter})
	}
}

// run returns a client. The sharer at its other end runs in this process.
func (m *machine) run() *remote.Client { return m.runOver(m.open) }

// runOver is like run, with another function that opens the server.
func (m *machine) runOver(open func(context.Context, *share.Meter) (share.Server, error)) *remote.Client {
	// The default of Flush is longer on CI machines. It would make the tests last longer there.
	opt := remote.Options{URL: m.url, Read: true, Upload: true, Exec: true, Flush: 10 * time.Second, Traffic: m.noteTraffic}
	return remote.NewOver(m.t.Context(), opt, m.note, func() (io.ReadWriteCloser, error) {
		here, there := newPipes()
		go func() {
			err := share.Serve(context.Background(), there, there, share.Options{
				Store: m.store, Open: open, Name: m.url, Run: m.name, Host: "host", Keys: m.keys, Pending: filepath.Join(m.store.Dir(), "pending"),
				Patient:   true, // a busy machine may open the server late
				LaterTime: m.later, Silence: m.silence,
			})
			if err != nil {
				m.t.Errorf("serve: %v", err)
			}
			there.Close()
		}()
		return here, nil
	})
}

// noteTraffic records that an outage of the server begins or ends.
func (m *machine) noteTraffic(is remote.Traffic) {
	if is.Link == "" {
		return
	}
	select {
	case <-m.down:
	default:
	}
	if is.Link == remote.LinkDown {
		m.down <- struct{}{}
	}
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

// fileURL returns the address of a directory.
func fileURL(dir string) string {
	return (&url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/")}).String()
}

func started(t *testing.T, s *remotetest.Server) (*remotetest.Server, string) {
	return s, s.Start(t) + "/main"
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

// expect waits for all expected results, and returns the number of complete results. Like a run, it
// waits no longer when the server does not answer.
func (m *machine) expect(c *remote.Client, keys ...remote.Key) (whole int) {
	wanted := make([]remote.Expectation, len(keys))
	for i, k := range keys {
		wanted[i].Key = k
	}
	arrived := make(chan bool, len(keys))
	c.Expect(wanted, func(_ int, is bool) { arrived <- is })
	for range keys {
		select {
		case is := <-arrived:
			if is {
				whole++
			}
		case <-m.down:
			return whole
		}
	}
	return whole
}

// filesRead returns the read set of an action that read the named files.
func filesRead(names ...string) (set store.ReadSet) {
	for _, name := range names {
		set = append(set, dependency.OfFile(name))
	}
	return set
}
