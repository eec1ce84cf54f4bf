// Package share implements the process serve-remote, the other end of the protocol of package
// remote. It answers a run's requests from a server that a team shares, and uploads the run's
// results to that server.
//
//	requests --look--> server's results --fetch--> blobs --> store
//	                                       store --keep--> blobs, then results
//
// # How a result is stored
//
// The server implements the Bazel Remote Execution API or Bazel's HTTP protocol. Both store blobs
// under a digest of their content, and an ActionResult under the digest of an action. Here the
// action is an Action message that contains only an ID of cook as its salt. The ActionResult lists
// the artifacts as output files with numbers as names, so that the server knows which blobs belong
// together and which are in use. The records of the store are in stdout_raw:
//
//	ActionID  the read sets of the action and, if it reads only its source, its
//	          result: a single request for most assets
//	ResultID  the result of an action that reads more
//
// # Why a wrong server cannot cause a wrong file
//
// A record contains a checksum and its ID. Each blob is verified by BLAKE3-256 against the record
// while it is written, so the store has the right content for every ID. Every inconsistency is a
// miss: output files that the record lacks, other sizes, names that are not numbers, a missing
// blob. A consistent result is accepted even if it is wrong. The run therefore trusts the server
// and everyone with write access to it, unless [Keys] lists trusted keys. A signature covers the
// whole entry and its key. A program that adds read sets to an entry signs the entry again. It does
// so only if a trusted key or its own key has signed the entry. See docs/remote.md for the threats
// that this excludes.
//
// # How an action is executed
//
//	root --order--> digests --known?--> result --accept--> record, blobs --> store
//	                   \--provide--> inputs that the server lacks --execute--^
//
// The digests of a root show whether the server has executed it before; then nothing is uploaded.
// Otherwise each missing input is uploaded once, for all actions that need it. A result is valid if
// it has a record and exactly the artifacts that the record names.
//
// # Failure is a miss
//
// A request may take long while bytes pass in the connections to the server, because it may wait
// behind the run's own transfers. If no bytes pass for some seconds, or a connection breaks, an
// outage begins (outage.go). Then the run cooks, and one request at a time tries with increasing
// pauses whether the server answers again. Expected look-ups, downloads and uploads wait for the end
// of an outage. A server that refuses the credentials gets no more requests.
//
// The bytes in flight follow the measured rate (pace.go), so that look-ups stay fast on slow links.
package share

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// Options choose the server, and the results to share.
type Options struct {
	Store *store.Store
	// Open opens the server, whose connections must be opened by Meter.Dial. Name is the server's
	// name in messages.
	Open func(context.Context, *Meter) (Server, error)
	Name string
	// Run and Host identify the run that makes the results.
	Run, Host string
	Keys      Keys
	// Patient makes requests wait until the server is open or the first attempt has failed.
	Patient bool
	// Silence is the time without any bytes after which the server counts as unavailable. 0 means
	// five seconds.
	Silence time.Duration
	// LaterTime is how long the end of a run waits for uploads of earlier runs' results. 0 means
	// one second.
	LaterTime time.Duration
	// Pending is the file with the keys of results that a later run must upload, or "".
	Pending string
	// Push means that the results of the run were cooked earlier, perhaps on other machines. The
	// server is not asked again if it does not answer at first. Results of Pending are not uploaded.
	Push bool
	// Platform are the properties, KEY=VALUE, of the machines that execute actions.
	Platform []string
}

// Serve answers requests until an End request, or until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSharer(ctx, out, opt)
	defer s.looks.blobs.running.Wait() // the transfers remove their unfinished files
	defer s.link.closeServer()
	go s.out.sendHeartbeats(ctx)
	ticker := time.NewTicker(reportTime)
	defer ticker.Stop()
	go s.traffic.reportRates(ctx, ticker.C)
	uploading, stop := context.WithCancel(ctx)
	defer stop()

	expected := make(chan struct{}) // closed when all keys of the Expect requests so far were looked up
	close(expected)
	d := json.NewDecoder(bufio.NewReader(in))
	for first := true; ; first = false {
		var r remote.Request
		if err := d.Decode(&r); err != nil {
			s.uploads.savePending(s.uploads.flushUploads(ctx, 0, stop)) // the run has died
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
			expected = s.looks.expectAfter(ctx, expected, r)
		case remote.Forget:
			s.looks.forgetKeys(r.Keys)
		case remote.Look:
			go func() { s.out.writeAnswer(s.looks.answerLook(ctx, r)) }()
		case remote.Fetch:
			go func() { s.out.writeAnswer(s.looks.answerFetch(ctx, r)) }()
		case remote.Keep:
			s.uploads.enqueue(uploading, s.uploads.newlyCooked(&r), s.uploads.takePending())
		case remote.Run:
			running := s.executions.beginExecution(ctx, r.Seq)
			go func() {
				a := s.executions.answerRun(running, ctx, r)
				a.Seq = r.Seq
				s.out.writeAnswer(a)
			}()
		case remote.Drop:
			s.executions.cancelExecution(r.Seq)
		case remote.End:
			go func() {
				d.Decode(new(remote.Request)) // fails when the run stops waiting
				stop()
			}()
			s.endSharing(r, s.uploads.flushUploads(uploading, r.Flush, stop))
			return nil
		default:
			return fmt.Errorf("request: unknown operation %q", r.Op)
		}
	}
}

// A sharer serves the requests of one run.
type sharer struct {
	out        *answers
	link       *link
	traffic    *traffic
	looks      *lookups
	uploads    *uploader
	executions *executions
}

// newSharer returns a sharer, which opens the server in the background.
func newSharer(ctx context.Context, out io.Writer, opt Options) *sharer {
	s := &sharer{out: &answers{lines: json.NewEncoder(out), server: opt.Name, noted: map[string]bool{}}}
	s.out.writeAnswer(remote.Answer{Wire: remote.WireVersion}) // the version precedes any note
	s.link = newLink(ctx, linkOptions{open: opt.Open, silence: opt.Silence, once: opt.Push, noteOutage: func(why error) {
		s.out.writeNote(fmt.Sprintf("%v; the run goes on without the server, and asks it again from time to time", why))
	}, noteEnd: func(why error) {
		s.out.writeNote(fmt.Sprintf("%v; this run makes no more requests to the server", why))
	}, changed: func(state remote.LinkState) {
		s.out.writeAnswer(remote.Answer{Traffic: &remote.Traffic{Link: state}})
	}})
	s.traffic = &traffic{publish: func(t remote.Traffic) { s.out.writeAnswer(remote.Answer{Traffic: &t}) }}
	received := &downloads{traffic: s.traffic, link: s.link, store: opt.Store, requested: map[store.Artifact]*download{}, sharing: sharing{smallBatch, smallBatch / 4}}
	sent := &sender{link: s.link, store: opt.Store, traffic: s.traffic}
	s.link.uplink.rate = sent.pace.rate
	s.looks = &lookups{
		link: s.link, keys: opt.Keys, patient: opt.Patient, out: s.out, blobs: received,
		window: newWindow(maxWindow), byKey: map[remote.Key]*lookup{},
	}
	received.trip = s.looks.window.roundTrip
	s.uploads = &uploader{
		blobs: sent, looks: s.looks, out: s.out, keys: opt.Keys,
		maker: maker{Run: opt.Run, Host: opt.Host}, laterTime: cmp.Or(opt.LaterTime, laterTime), pending: opt.Pending, push: opt.Push,
	}
	s.executions = newExecutions(s.out, opt, sent, received)
	return s
}

// checkRequest returns an error for an incomplete request, or for a run of another version.
func checkRequest(r *remote.Request, first bool) error {
	switch {
	case first && (r.Op != remote.Hello || r.Wire != remote.WireVersion):
		return fmt.Errorf("the program changed while the run was starting: its protocol is %d, not %d; run cook again", r.Wire, remote.WireVersion)
	case first:
	case r.Op == remote.End, r.Op == remote.Drop, r.Op == remote.Run && r.Root != nil:
	case len(r.Keys) == 0:
		return fmt.Errorf("%s has no key", r.Op)
	case len(r.Assets) > 0 && len(r.Assets) != len(r.Keys):
		return fmt.Errorf("the request has %d assets for %d keys", len(r.Assets), len(r.Keys))
	case r.Op == remote.Expect && len(r.Have) != len(r.Keys):
		return fmt.Errorf("the request has %d lists of blobs for %d keys", len(r.Have), len(r.Keys))
	}
	return nil
}

// endSharing answers the last request, and saves the keys of the remaining uploads for a later run.
func (s *sharer) endSharing(r remote.Request, left []queuedResult) {
	s.link.outages.endRun()
	s.uploads.noteFailed()
	s.uploads.savePending(left)
	stats := s.stats()
	stats.Left = int64(countActions(left))
	s.out.writeAnswer(remote.Answer{Seq: r.Seq, Stats: stats})
}

// stats returns the counts of look-ups and transfers.
func (s *sharer) stats() *remote.Stats {
	st := &remote.Stats{}
	s.looks.addStats(st)
	s.link.mu.Lock()
	st.Requests, st.Waited = s.link.requests, s.link.waited
	s.link.mu.Unlock()
	s.looks.blobs.mu.Lock()
	st.Downloaded, st.Down = s.looks.blobs.arrived.blobs, s.looks.blobs.arrived.bytes
	s.looks.blobs.mu.Unlock()
	s.uploads.queue.mu.Lock()
	st.Uploaded, st.Known = s.uploads.queue.done, s.uploads.queue.known
	s.uploads.queue.mu.Unlock()
	s.uploads.blobs.mu.Lock()
	st.Up = s.uploads.blobs.sent
	s.uploads.blobs.mu.Unlock()
	return st
}

// answers writes answers to the run, from one goroutine at a time.
type answers struct {
	mu     sync.Mutex
	lines  *json.Encoder
	server string
	noted  map[string]bool // kinds of errors with a note
}

func (o *answers) writeAnswer(a remote.Answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines.Encode(a) // an error means that the run has ended
}

// sendHeartbeats shows the run that this process is alive.
func (o *answers) sendHeartbeats(ctx context.Context) {
	ticker := time.NewTicker(remote.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			o.writeAnswer(remote.Answer{})
		case <-ctx.Done():
			return
		}
	}
}

// writeNote sends a note for the user.
func (o *answers) writeNote(text string) {
	o.writeAnswer(remote.Answer{Note: o.server + ": " + text})
}

// noteFirst sends a note for an error, unless an error of the same kind was noted before.
func (o *answers) noteFirst(kind string, err error) {
	o.mu.Lock()
	again := o.noted[kind]
	o.noted[kind] = true
	o.mu.Unlock()
	if !again {
		o.writeNote(err.Error())
	}
}
