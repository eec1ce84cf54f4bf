package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/pathname"
)

// errForgotten says that no request needs the blob any more.
var errForgotten = errors.New("not wanted any more")

// A finding is the look-up of a key, made once for all requests.
type finding struct {
	key    remote.Key
	asset  string // for messages, "" if unknown
	look   sync.Once
	looked chan struct{} // closed when the fields below are set
	*entry               // nil for none
	err    error         // reason for a missing entry
	took   time.Duration // duration of the look-up

	forgotten atomic.Bool // no request needs it any more
}

// assetOf returns the asset of the n-th key of a request, "" if there is none.
func assetOf(r *remote.Request, n int) string {
	if n < len(r.Assets) {
		return r.Assets[n]
	}
	return ""
}

// findResult returns the finding of a key. asset may be "".
func (s *sharer) findResult(k remote.Key, asset string) *finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.findings[k]
	if !ok {
		f = &finding{key: k, asset: asset, looked: make(chan struct{})}
		s.findings[k] = f
	}
	return f
}

// expectAfter starts the look-ups of expected keys after all earlier ones, or at once if an
// earlier answer named the keys. The returned channel is closed when they have been looked up.
func (s *sharer) expectAfter(ctx context.Context, before chan struct{}, r remote.Request) chan struct{} {
	if r.Keys[0].Reads {
		go s.expect(ctx, r)
		return before
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-before
		s.expect(ctx, r)
	}()
	return done
}

// expect looks up keys in their order, many at a time, fetches the results it finds, and answers
// each key.
func (s *sharer) expect(ctx context.Context, r remote.Request) {
	s.link.ready(ctx, true) // the time to open does not count as response time
	for n, k := range r.Keys {
		f := s.findResult(k, assetOf(&r, n))
		if f.forgotten.Load() {
			continue
		}
		if s.looking.enter(ctx) != nil {
			return
		}
		go func() {
			found := s.lookUp(ctx, f)
			s.looking.leave(f.took, errors.Is(f.err, ErrUnavailable))
			a := remote.Answer{Seq: r.Seq + uint64(n)}
			if found {
				a.ReadSets, a.Result, a.Origin = f.record.ReadSets, f.record.Result, f.origin
			}
			if found && f.result != nil {
				a.Found = s.fetch(ctx, f, r.Have[n])
			}
			s.answer(a)
		}()
	}
}

// lookUp asks the server for a key once, and reports whether it has an entry.
func (s *sharer) lookUp(ctx context.Context, f *finding) bool {
	f.look.Do(func() {
		defer close(f.looked)
		begun := time.Now()
		f.entry, f.err = s.entry(ctx, f.key)
		f.took = time.Since(begun)
		switch {
		case errors.Is(f.err, errPoisoned):
			s.noteOnce("poisoned", fmt.Errorf("%s: %w; it counts as missing, and the asset is cooked", pathname.Show(cmp.Or(f.asset, "an asset")), f.err))
		case errors.Is(f.err, errUntrusted):
			s.noteOnce("untrusted", f.err)
		case errors.Is(f.err, ErrRefused):
			s.link.stop(f.err)
		}
	})
	<-f.looked
	return f.entry != nil
}

// entry asks the server for the entry of a key.
func (s *sharer) entry(ctx context.Context, k remote.Key) (e *entry, err error) {
	err = s.link.do(ctx, 0, func(ctx context.Context, server Server) error {
		ar, err := server.Result(ctx, actionOf(k, server.Traits().Function).Digest)
		if err != nil {
			return err
		}
		e, err = decode(k, ar)
		return err
	})
	if err == nil && !s.Keys.trusts(e.signed) {
		return nil, errUntrusted
	}
	return e, err
}

// answerLook answers with the server's entry for a key.
func (s *sharer) answerLook(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := s.link.ready(ctx, s.Patient); err != nil {
		return a
	}
	if f := s.findResult(r.Keys[0], assetOf(&r, 0)); s.lookUp(ctx, f) {
		a.Found, a.ReadSets, a.Result, a.Origin = true, f.record.ReadSets, f.record.Result, f.origin
	}
	return a
}

// answerFetch answers whether all blobs of a result are in the store.
func (s *sharer) answerFetch(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := s.link.ready(ctx, false); err != nil {
		return a
	}
	if f := s.findResult(r.Keys[0], assetOf(&r, 0)); s.lookUp(ctx, f) && f.result != nil {
		a.Found = s.fetch(ctx, f, nil)
	}
	return a
}

// fetch brings the missing blobs of a result into the store, except those in have, and reports
// whether all are there.
func (s *sharer) fetch(ctx context.Context, f *finding, have []store.BlobID) bool {
	var lacking []int
	var bytes int64
	for i, a := range f.result.Artifacts {
		if !slices.Contains(have, a.Blob) && !s.Store.HasBlob(a.Blob, a.Size) {
			lacking = append(lacking, i)
			bytes += a.Size
		}
	}
	if s.downloads.takes(bytes) > f.result.CookTime {
		s.dear.Add(1)
		return false
	}
	all := make([]*download, len(lacking))
	for n, i := range lacking {
		all[n] = s.downloads.want(ctx, f.files[i], f.result.Artifacts[i], &f.forgotten)
	}
	whole := true
	for _, d := range all {
		<-d.done
		if d.err != nil {
			whole = false
			s.noteDownload(d.err)
		}
	}
	return whole
}

// noteDownload sends a note about a blob that could not be fetched.
func (s *sharer) noteDownload(err error) {
	switch {
	case errors.Is(err, store.ErrMismatch):
		s.noteOnce("mismatch", err)
	case errors.Is(err, store.ErrUnavailable):
		s.noteOnce("store", err)
	}
}

// A pace measures the rate of downloads.
type pace struct {
	mu    sync.Mutex
	bytes int64
	busy  time.Duration // time with at least one transfer in flight
	since time.Time
	now   int // transfers in flight
}

// begin starts a transfer, which end ends.
func (p *pace) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == 0 {
		p.since = time.Now()
	}
	p.now++
}

func (p *pace) end(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += bytes
	if p.now--; p.now == 0 {
		p.busy += time.Since(p.since)
	}
}

// takes returns the estimated time for some bytes, or 0 before enough bytes were measured.
func (p *pace) takes(bytes int64) time.Duration {
	const enough = 4 << 20
	p.mu.Lock()
	defer p.mu.Unlock()
	busy := p.busy
	if p.now > 0 {
		busy += time.Since(p.since)
	}
	if p.bytes < enough || busy <= 0 {
		return 0
	}
	return time.Duration(float64(bytes) / (float64(p.bytes) / float64(busy)))
}
