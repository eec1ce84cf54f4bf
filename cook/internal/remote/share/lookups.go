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

// lookups looks up keys on the server, and fetches the blobs of results.
type lookups struct {
	link    *link
	keys    Keys
	patient bool // if set, requests wait until the server is open or the first attempt has failed
	out     *answers
	window  *window // limits the concurrent look-ups of expected keys
	blobs   *downloads

	mu    sync.Mutex
	byKey map[remote.Key]*lookup

	dear       atomic.Int64 // number of results that were not downloaded, because cooking is faster
	unanswered atomic.Int64 // number of expected actions that the server was not asked for, or did not answer
}

// A lookup is the look-up of a key. All requests for the key share one lookup. A run looks up
// millions of keys, so a lookup has few fields.
type lookup struct {
	forgotten atomic.Bool // set if no request needs the result any more

	// The mutex of lookups guards the following fields.
	answered bool          // the server has answered
	hit      bool          // the server has a result
	entry    *entry        // nil if err is set, or if the run has the result
	err      error         // why there is no valid entry; ErrMissing if the server has none
	ongoing  chan struct{} // closed when a request ends that looks up the key; nil if there is none
}

// isAnswered reports whether the server has answered.
func (l *lookups) isAnswered(f *lookup) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f.answered
}

// dropEntry drops an entry whose result the run has. A later request for the key asks the server
// again.
func (l *lookups) dropEntry(f *lookup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.entry = nil
}

// assetOf returns the asset of the n-th key of a request, or "" if the request does not name it.
func assetOf(r *remote.Request, n int) string {
	if n < len(r.Assets) {
		return r.Assets[n]
	}
	return ""
}

// lookupOf returns the lookup of a key.
func (l *lookups) lookupOf(k remote.Key) *lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.byKey[k]
	if !ok {
		f = &lookup{}
		l.byKey[k] = f
	}
	return f
}

// expectAfter starts the look-ups of expected keys. Keys that an answer of the server has named are
// looked up at once; other keys wait until the channel before is closed. The returned channel is
// closed after the look-ups that later keys must wait for.
func (l *lookups) expectAfter(ctx context.Context, before chan struct{}, r remote.Request) chan struct{} {
	if r.Keys[0].Reads {
		go l.answerExpected(ctx, r)
		return before
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		<-before
		l.answerExpected(ctx, r)
	}()
	return done
}

// forgetKeys ends the downloads of keys that no request needs any more.
func (l *lookups) forgetKeys(keys []remote.Key) {
	for _, k := range keys {
		l.lookupOf(k).forgotten.Store(true)
	}
}

// answerExpected looks up keys in their order, many at a time. It fetches the results that it
// finds, and answers each key.
func (l *lookups) answerExpected(ctx context.Context, r remote.Request) {
	l.link.awaitServer(ctx, wholeRun) // the response time does not include the time to open the server
	for n, k := range r.Keys {
		f := l.lookupOf(k)
		if f.forgotten.Load() {
			l.countUnanswered(k, f)
			continue
		}
		if l.window.enterWindow(ctx) != nil {
			return
		}
		go func() {
			e, took := l.lookUp(ctx, k, assetOf(&r, n), wholeRun)
			l.window.leaveWindow(took, !l.isAnswered(f))
			l.countUnanswered(k, f)
			a := remote.Answer{Seq: r.Seq + uint64(n)}
			if e != nil {
				a.ReadSets, a.Result, a.Origin = e.record.ReadSets, e.record.Result, e.origin
			}
			if e != nil && e.result != nil {
				a.Found = l.fetchBlobs(ctx, f, e, r.Have[n], wholeRun)
			}
			if a.Found {
				l.dropEntry(f)
			}
			l.out.writeAnswer(a)
		}()
	}
}

// countUnanswered counts an expected key if the server has not answered because of an outage.
func (l *lookups) countUnanswered(k remote.Key, f *lookup) {
	if !k.Reads && !l.isAnswered(f) && l.link.outages.isLasting() {
		l.unanswered.Add(1)
	}
}

// answerLook answers with the entry that the server has for a key.
func (l *lookups) answerLook(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := l.link.awaitServer(ctx, l.endurance()); err != nil {
		return a
	}
	if e, _ := l.lookUp(ctx, r.Keys[0], assetOf(&r, 0), l.endurance()); e != nil {
		a.Found, a.ReadSets, a.Result, a.Origin = true, e.record.ReadSets, e.record.Result, e.origin
	}
	return a
}

// endurance returns how long an unexpected request waits for the server.
func (l *lookups) endurance() endurance {
	if l.patient {
		return firstTry
	}
	return briefly
}

// answerFetch answers whether the store has all blobs of a result.
func (l *lookups) answerFetch(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := l.link.awaitServer(ctx, briefly); err != nil {
		return a
	}
	k := r.Keys[0]
	if e, _ := l.lookUp(ctx, k, assetOf(&r, 0), briefly); e != nil && e.result != nil {
		a.Found = l.fetchBlobs(ctx, l.lookupOf(k), e, nil, briefly)
	}
	return a
}

// lookUp looks up a key, unless the server has answered before. It returns the server's entry, or
// nil, and how long the server took. asset is its path for messages, or "".
func (l *lookups) lookUp(ctx context.Context, k remote.Key, asset string, how endurance) (*entry, time.Duration) {
	f := l.lookupOf(k)
	known, ok := l.beginLookup(ctx, f, how)
	if !ok {
		return nil, 0
	}
	defer l.endLookup(f)
	if known != nil || f.err != nil {
		return known, 0
	}
	e, took, err := l.fetchEntry(ctx, k, f, how)
	if isUnavailable(err) || ctx.Err() != nil || errors.Is(err, errForgotten) {
		return nil, took // a later request may look up the key
	}
	l.mu.Lock()
	f.answered, f.entry, f.err = true, e, err
	f.hit = f.hit || e != nil && e.result != nil
	l.mu.Unlock()
	switch {
	case errors.Is(err, errPoisoned):
		l.out.noteFirst("poisoned", fmt.Errorf("%s: %w; the record counts as missing, and the asset is cooked", pathname.Show(cmp.Or(asset, "an asset")), err))
	case errors.Is(err, errUntrusted):
		l.out.noteFirst("untrusted", err)
	case errors.Is(err, ErrRefused):
		l.link.giveUpServer(err)
	}
	return e, took
}

// beginLookup waits until no other request looks up the key, and returns the entry of an earlier
// look-up, or nil. ok is false if ctx ends earlier, or if how forbids waiting for the end of an
// outage.
func (l *lookups) beginLookup(ctx context.Context, f *lookup, how endurance) (known *entry, ok bool) {
	for {
		l.mu.Lock()
		ongoing, known := f.ongoing, f.entry
		if ongoing == nil {
			f.ongoing = make(chan struct{})
		}
		l.mu.Unlock()
		if ongoing == nil {
			return known, true
		}
		if !l.link.outages.waitUnlessDown(ctx, ongoing, how == wholeRun) {
			return nil, false
		}
	}
}

func (l *lookups) endLookup(f *lookup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(f.ongoing)
	f.ongoing = nil
}

// fetchEntry requests the entry of a key from the server. It also returns the time of the last
// attempt.
func (l *lookups) fetchEntry(ctx context.Context, k remote.Key, f *lookup, how endurance) (e *entry, took time.Duration, err error) {
	unwanted := f.forgotten.Load
	if how != wholeRun {
		unwanted = nil
	}
	err = l.link.callRetrying(ctx, call{how: how, unwanted: unwanted, do: func(ctx context.Context, server Server) error {
		begun := time.Now()
		ar, err := server.Result(ctx, actionOf(k, server.Traits().Function).Digest)
		took = time.Since(begun)
		if err != nil {
			return err
		}
		e, err = decodeEntry(k, ar)
		return err
	}})
	if err == nil && !l.keys.trustsSigner(e.signed) {
		return nil, took, errUntrusted
	}
	if err != nil {
		e = nil
	}
	return e, took, err
}

// fetchBlobs brings the blobs of an entry's result into the store, except the blobs in have. It
// reports whether the store has all other blobs.
func (l *lookups) fetchBlobs(ctx context.Context, f *lookup, e *entry, have []store.BlobID, how endurance) bool {
	var lacking []int
	var bytes int64
	for i, a := range e.result.Artifacts {
		if !slices.Contains(have, a.Blob) && !l.blobs.store.HasBlob(a.Blob, a.Size) {
			lacking = append(lacking, i)
			bytes += a.Size
		}
	}
	if l.blobs.pace.estimateDownload(bytes) > e.result.CookTime {
		l.dear.Add(1)
		return false
	}
	all := make([]*download, len(lacking))
	for n, i := range lacking {
		all[n] = l.blobs.requestBlob(ctx, e.files[i], e.result.Artifacts[i], &f.forgotten)
	}
	whole := true
	for _, d := range all {
		if !l.link.outages.waitUnlessDown(ctx, d.done, how == wholeRun) {
			return false
		}
		if d.err != nil {
			whole = false
			l.noteDownload(d.err)
		}
	}
	return whole
}

// errForgotten is the error of a blob that no request needs any more.
var errForgotten = errors.New("no request needs the blob any more")

// noteDownload sends a note about a blob that could not be fetched.
func (l *lookups) noteDownload(err error) {
	switch {
	case errors.Is(err, store.ErrMismatch):
		l.out.noteFirst("mismatch", err)
	case errors.Is(err, store.ErrUnavailable):
		l.out.noteFirst("store", err)
	}
}

// addStats adds the counts of look-ups.
func (l *lookups) addStats(st *remote.Stats) {
	st.Dear += l.dear.Load()
	st.Unanswered += l.unanswered.Load()
	hits := map[store.ActionID]bool{} // actions that were looked up; true if the server has a result
	l.mu.Lock()
	for k, f := range l.byKey {
		if !f.answered || errors.Is(f.err, errOff) {
			continue // the look-up did not reach the server
		}
		if errors.Is(f.err, errUntrusted) {
			st.Untrusted++
		}
		hits[k.Action] = hits[k.Action] || f.hit
	}
	l.mu.Unlock()
	for _, hit := range hits {
		if st.Looked++; hit {
			st.Hits++
		}
	}
}

const (
	firstWindow = 16
	maxWindow   = 8192
	// slowdown is added to twice the time of the fastest answer. An answer that takes longer than
	// the sum is slow.
	slowdown = 20 * time.Millisecond
)

// A window limits the number of requests in flight. It grows with every fast answer, so that
// thousands of requests need only a few round trips. It shrinks if the server becomes slow.
type window struct {
	mu      sync.Mutex
	room    *sync.Cond
	size    int
	most    int
	out     int           // number of requests in flight
	fastest time.Duration // duration of the fastest answer; 0 before the first answer
	late    int           // number of successive slow answers
}

func newWindow(most int) *window {
	w := &window{size: min(firstWindow, most), most: most}
	w.room = sync.NewCond(&w.mu)
	return w
}

// enterWindow waits until the window permits one more request, or until ctx is done.
func (w *window) enterWindow(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		w.mu.Lock() // while this function holds the lock, no goroutine is between its check and its wait
		defer w.mu.Unlock()
		w.room.Broadcast()
	})
	defer stop()
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.out >= w.size {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.room.Wait()
	}
	if w.out++; w.out < w.size {
		w.room.Signal()
	}
	return nil
}

// leaveWindow records an answer and its duration.
func (w *window) leaveWindow(took time.Duration, failed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out--
	if took > 0 && (w.fastest == 0 || took < w.fastest) {
		w.fastest = took
	}
	w.late++
	switch {
	case !failed && took <= 2*w.fastest+slowdown:
		w.size, w.late = min(w.size+1, w.most), 0
	case failed || w.late >= w.size: // all answers of a round trip were slow
		w.size, w.late = max(w.size/2, min(firstWindow, w.most)), 0
	}
	w.room.Signal()
}

// roundTrip returns the time of the fastest answer, or 0 if there is none.
func (w *window) roundTrip() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fastest
}
