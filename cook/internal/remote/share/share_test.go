package share_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/memtemp"
)

func TestMain(m *testing.M) {
	memtemp.Use()
	os.Exit(m.Run())
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
	"s3": func(t *testing.T) (*remotetest.Server, string) {
		s := &remotetest.Server{}
		return s, s3URL(s.StartS3(t, testBucket))
	},
	"s3, cut": func(t *testing.T) (*remotetest.Server, string) {
		s := &remotetest.Server{CutAt: 300_000}
		return s, s3URL(s.StartS3(t, testBucket))
	},
	"file": func(t *testing.T) (*remotetest.Server, string) {
		return &remotetest.Server{}, fileURL(t.TempDir())
	},
	"http, cut": func(t *testing.T) (*remotetest.Server, string) {
		s := &remotetest.Server{CutAt: 300_000}
		return s, s.StartHTTP(t)
	},
}

var testBucket = remotetest.Bucket{Name: "team", Region: "auto", KeyID: "AKID", Secret: "secret"}

// s3URL returns the address of testBucket at an endpoint, for the function open.
func s3URL(endpoint string) string {
	return "s3://team/x?endpoint=" + strings.TrimPrefix(endpoint, "http://")
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
			if whole := taker.expect(c, firstKeys(all)...); whole == 0 {
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

func TestForgottenKeyIsNotLookedUp(t *testing.T) {
	server := &remotetest.Server{}
	url := server.Start(t)
	m := newMachine(t, url)
	opened := make(chan struct{})
	m.open = func(ctx context.Context, meter *share.Meter) (share.Server, error) {
		<-opened
		return open(url)(ctx, meter)
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
			Name: "server", Open: func(context.Context, *share.Meter) (share.Server, error) { return nil, errors.New("refused") },
		})
		var first remote.Answer
		if err := json.NewDecoder(&out).Decode(&first); err != nil || first.Wire != remote.WireVersion {
			t.Fatalf("first answer: %+v, %v", first, err)
		}
	}
}
