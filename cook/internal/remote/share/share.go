package share

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Options say what to share, and on which server.
type Options struct {
	Store *store.Store
	// Open opens the server; Name is its name in messages.
	Open func(context.Context) (Server, error)
	Name string
	// Run and Host are recorded as the makers of results.
	Run, Host string
	Keys      Keys
	// Patient makes questions wait until the server is open or given up.
	Patient bool
	// LaterTime is how long the end of a run waits for results of earlier runs; 0 means one second.
	LaterTime time.Duration
	// Pending is the file of keys that wait for a run to upload them; "" for none.
	Pending string
	// Platform are the properties, KEY=VALUE, of the machines that execute actions.
	Platform []string
}

// Serve answers requests until the last one, or until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &sharer{
		Options: opt, to: answers{Encoder: json.NewEncoder(out), noted: map[string]bool{}},
		findings: map[remote.Key]*finding{}, looking: newWindow(maxWindow), runs: newRuns(),
	}
	s.answer(remote.Answer{Wire: remote.WireVersion}) // before any note, such as one about a failed link
	s.link = newLink(ctx, opt.Open, s.note)
	defer s.link.close()
	go s.beat(ctx)
	s.traffic.tell = func(t remote.Traffic) { s.answer(remote.Answer{Traffic: &t}) }
	ticker := time.NewTicker(tellTime)
	defer ticker.Stop()
	go s.traffic.follow(ctx, ticker.C)
	s.downloads = downloads{traffic: &s.traffic, link: s.link, store: opt.Store, wanted: map[store.Artifact]*download{}}
	uploading, stop := context.WithCancel(ctx)
	defer stop()

	expected := make(chan struct{}) // closed when the expected keys so far were looked up
	close(expected)
	d := json.NewDecoder(bufio.NewReader(in))
	for first := true; ; first = false {
		var r remote.Request
		if err := d.Decode(&r); err != nil {
			s.leave(s.flush(ctx, 0, stop)) // the run has died
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("request: %w", err)
		}
		if err := checkRequest(&r, first); err != nil {
			return fmt.Errorf("request: %w", err)
		}
		switch r.Op {
		case remote.Hello:
		case remote.Expect:
			expected = s.expectAfter(ctx, expected, r)
		case remote.Forget:
			for _, k := range r.Keys {
				s.findResult(k, "").forgotten.Store(true)
			}
		case remote.Look:
			go func() { s.answer(s.answerLook(ctx, r)) }()
		case remote.Fetch:
			go func() { s.answer(s.answerFetch(ctx, r)) }()
		case remote.Keep:
			s.keep(uploading, s.made(&r), s.takePending())
		case remote.Run:
			running := s.runs.begin(ctx, r.Seq)
			go func() {
				a := s.answerRun(running, ctx, r)
				a.Seq = r.Seq
				s.answer(a)
			}()
		case remote.Drop:
			s.runs.drop(r.Seq)
		case remote.End:
			go func() {
				d.Decode(new(remote.Request)) // fails when the run stops waiting
				stop()
			}()
			s.endSharing(r, s.flush(uploading, r.Flush, stop))
			return nil
		default:
			return fmt.Errorf("request: unknown operation %q", r.Op)
		}
	}
}

// endSharing answers the last request, and saves the remaining uploads for a later run.
func (s *sharer) endSharing(r remote.Request, left []kept) {
	s.noteFailed()
	s.leave(left)
	stats := s.stats()
	stats.Left = int64(actions(left))
	s.answer(remote.Answer{Seq: r.Seq, Stats: stats})
}

// checkRequest returns an error for an incomplete request, or for a run of another version.
func checkRequest(r *remote.Request, first bool) error {
	switch {
	case first && (r.Op != remote.Hello || r.Wire != remote.WireVersion):
		return fmt.Errorf("the program changed while the run was starting: its protocol is %d, not %d; run cook again", r.Wire, remote.WireVersion)
	case first:
	case r.Op == remote.End, r.Op == remote.Drop, r.Op == remote.Run && r.Root != nil:
	case len(r.Keys) == 0:
		return fmt.Errorf("%s without a key", r.Op)
	case len(r.Assets) > 0 && len(r.Assets) != len(r.Keys):
		return fmt.Errorf("%d assets for %d keys", len(r.Assets), len(r.Keys))
	case r.Op == remote.Expect && len(r.Have) != len(r.Keys):
		return fmt.Errorf("%d lists of blobs for %d keys", len(r.Have), len(r.Keys))
	}
	return nil
}

// A sharer serves one run.
type sharer struct {
	Options
	link      *link
	downloads downloads
	uploads   uploads
	runs      runs
	traffic   traffic
	looking   *window // for expected keys

	to answers

	mu       sync.Mutex
	findings map[remote.Key]*finding
	resumed  bool // the keys of Pending were read

	dear atomic.Int64
}

// answers writes answers to the run, from one goroutine at a time.
type answers struct {
	sync.Mutex
	*json.Encoder
	noted map[string]bool // kinds of errors
}

func (s *sharer) answer(a remote.Answer) {
	s.to.Lock()
	defer s.to.Unlock()
	s.to.Encode(a) // a run that has ended needs no answer
}

// beat sends heartbeats, so that the run knows that this process is alive.
func (s *sharer) beat(ctx context.Context) {
	ticker := time.NewTicker(remote.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.answer(remote.Answer{})
		case <-ctx.Done():
			return
		}
	}
}

// note sends a note for the user.
func (s *sharer) note(text string) {
	s.answer(remote.Answer{Note: s.Name + ": " + text})
}

// noteOnce sends a note for the first error of each kind.
func (s *sharer) noteOnce(kind string, err error) {
	s.to.Lock()
	again := s.to.noted[kind]
	s.to.noted[kind] = true
	s.to.Unlock()
	if !again {
		s.note(err.Error())
	}
}

func (s *sharer) stats() *remote.Stats {
	st := &remote.Stats{Dear: s.dear.Load()}
	found := map[store.ActionID]bool{}
	s.mu.Lock()
	for k, f := range s.findings {
		select {
		case <-f.looked:
			switch {
			case errors.Is(f.err, errOff):
				continue // the server was not asked
			case errors.Is(f.err, errUntrusted):
				st.Untrusted++
			}
			found[k.Action] = found[k.Action] || f.entry != nil && f.result != nil
		default:
		}
	}
	s.mu.Unlock()
	for _, hit := range found {
		if st.Looked++; hit {
			st.Hits++
		}
	}
	d := &s.downloads
	d.mu.Lock()
	st.Downloaded, st.Down = d.blobs, d.bytes
	d.mu.Unlock()
	u := &s.uploads
	u.mu.Lock()
	st.Uploaded, st.Up = u.done, u.bytes
	u.mu.Unlock()
	l := s.link
	l.mu.Lock()
	st.Requests, st.Waited = l.requests, l.waited
	l.mu.Unlock()
	return st
}
