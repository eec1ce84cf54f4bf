package share

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A finding is what is being found out about a key, once for all that ask.
type finding struct {
	key    remote.Key
	look   sync.Once
	looked chan struct{} // closed when what follows is known
	*entry               // nil for none
	err    error         // why none
	took   time.Duration // until that was known

	fetch   sync.Once
	fetched chan struct{} // closed when the blobs are in the store, or complete is false
	whole   bool
}

// find returns the finding of a key.
func (s *sharer) find(k remote.Key) *finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.findings[k]
	if !ok {
		f = &finding{key: k, looked: make(chan struct{}), fetched: make(chan struct{})}
		s.findings[k] = f
	}
	return f
}

// expect looks keys up in their order, many at a time, and begins to fetch the blobs of what
// it finds if it is to.
func (s *sharer) expect(ctx context.Context, keys []remote.Key, fetch bool) {
	if _, err := s.link.ready(ctx, true); err != nil {
		return // it is not how fast it answers
	}
	for _, k := range keys {
		if s.looking.enter(ctx) != nil {
			return
		}
		go func() {
			f := s.find(k)
			found := s.lookUp(ctx, f)
			s.looking.leave(f.took, errors.Is(f.err, ErrUnavailable))
			if fetch && found && f.result != nil {
				s.fetch(ctx, f)
			}
		}()
	}
}

// lookUp finds out what the server has under a key, and reports whether it has something.
func (s *sharer) lookUp(ctx context.Context, f *finding) bool {
	f.look.Do(func() {
		defer close(f.looked)
		begun := time.Now()
		f.entry, f.err = s.entry(ctx, f.key)
		f.took = time.Since(begun)
		switch {
		case errors.Is(f.err, errPoisoned):
			s.noteOnce("poisoned", f.err)
		case errors.Is(f.err, errUntrusted):
			s.noteOnce("untrusted", f.err)
		case errors.Is(f.err, ErrRefused):
			s.link.stop(f.err)
		}
	})
	<-f.looked
	return f.entry != nil
}

// entry asks the server for what it has under a key.
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

// answerLook answers what is known of a key.
func (s *sharer) answerLook(ctx context.Context, k remote.Key) (a remote.Answer) {
	if _, err := s.link.ready(ctx, s.Patient); err != nil {
		return a
	}
	f := s.find(k)
	if !s.lookUp(ctx, f) {
		return a
	}
	return remote.Answer{Found: true, ReadSets: f.record.ReadSets, Result: f.record.Result, Origin: f.origin}
}

// answerFetch answers whether the blobs of a result are in the store.
func (s *sharer) answerFetch(ctx context.Context, k remote.Key) (a remote.Answer) {
	if _, err := s.link.ready(ctx, false); err != nil {
		return a
	}
	f := s.find(k)
	if !s.lookUp(ctx, f) || f.result == nil {
		return a
	}
	s.fetch(ctx, f)
	return remote.Answer{Found: f.whole}
}

// fetch brings the blobs of a result into the store.
func (s *sharer) fetch(ctx context.Context, f *finding) {
	f.fetch.Do(func() {
		defer close(f.fetched)
		var lacking []int
		var bytes int64
		for i, a := range f.result.Artifacts {
			if !s.Store.HasBlob(a.Blob, a.Size) {
				lacking = append(lacking, i)
				bytes += a.Size
			}
		}
		if s.downloads.takes(bytes) > f.result.CookTime {
			s.dear.Add(1)
			return
		}
		all := make([]*download, len(lacking))
		for n, i := range lacking {
			all[n] = s.downloads.want(ctx, f.files[i], f.result.Artifacts[i])
		}
		f.whole = true
		for _, d := range all {
			<-d.done
			if d.err != nil {
				f.whole = false
				s.noteDownload(d.err)
			}
		}
	})
	<-f.fetched
}

// noteDownload notes why a blob that the server should have did not come.
func (s *sharer) noteDownload(err error) {
	switch {
	case errors.Is(err, store.ErrMismatch):
		s.noteOnce("mismatch", err)
	case errors.Is(err, store.ErrUnavailable):
		s.noteOnce("store", err)
	}
}

// A pace is how fast blobs come, as measured.
type pace struct {
	mu    sync.Mutex
	bytes int64
	busy  time.Duration // during which at least one was on its way
	since time.Time
	now   int // on their way
}

// begin and end stand around each transfer.
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

// takes is how long some bytes take, 0 as long as too few have come to tell.
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
