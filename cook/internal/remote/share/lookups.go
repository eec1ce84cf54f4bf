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
	patient bool // if set, requests wait until the server is open or has failed
	out     *answers
	window  *window // limits the concurrent look-ups of expected keys
	blobs   *downloads

	mu    sync.Mutex
	byKey map[remote.Key]*lookup

	dear atomic.Int64 // number of results that were not downloaded, because cooking is faster
}

// A lookup is the look-up of a key. All requests for the key share one lookup.
type lookup struct {
	key    remote.Key
	asset  string // path for messages; "" if unknown
	look   sync.Once
	looked chan struct{} // closed when the fields below are set
	entry  *entry        // nil if err is set
	err    error         // why there is no valid entry; ErrMissing if the server has none
	took   time.Duration

	forgotten atomic.Bool // set if no request needs the result any more
}

// assetOf returns the asset of the n-th key of a request, or "" if the request does not name it.
func assetOf(r *remote.Request, n int) string {
	if n < len(r.Assets) {
		return r.Assets[n]
	}
	return ""
}

// lookupOf returns the lookup of a key. asset may be "".
func (l *lookups) lookupOf(k remote.Key, asset string) *lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	f, ok := l.byKey[k]
	if !ok {
		f = &lookup{key: k, asset: asset, looked: make(chan struct{})}
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
		l.lookupOf(k, "").forgotten.Store(true)
	}
}

// answerExpected looks up keys in their order, many at a time. It fetches the results that it
// finds, and answers each key.
func (l *lookups) answerExpected(ctx context.Context, r remote.Request) {
	l.link.awaitServer(ctx, true) // the response time does not include the time to open the server
	for n, k := range r.Keys {
		f := l.lookupOf(k, assetOf(&r, n))
		if f.forgotten.Load() {
			continue
		}
		if l.window.enterWindow(ctx) != nil {
			return
		}
		go func() {
			found := l.lookUp(ctx, f)
			l.window.leaveWindow(f.took, errors.Is(f.err, ErrUnavailable))
			a := remote.Answer{Seq: r.Seq + uint64(n)}
			if found {
				a.ReadSets, a.Result, a.Origin = f.entry.record.ReadSets, f.entry.record.Result, f.entry.origin
			}
			if found && f.entry.result != nil {
				a.Found = l.fetchBlobs(ctx, f, r.Have[n])
			}
			l.out.writeAnswer(a)
		}()
	}
}

// answerLook answers with the entry that the server has for a key.
func (l *lookups) answerLook(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := l.link.awaitServer(ctx, l.patient); err != nil {
		return a
	}
	if f := l.lookupOf(r.Keys[0], assetOf(&r, 0)); l.lookUp(ctx, f) {
		a.Found, a.ReadSets, a.Result, a.Origin = true, f.entry.record.ReadSets, f.entry.record.Result, f.entry.origin
	}
	return a
}

// answerFetch answers whether the store has all blobs of a result.
func (l *lookups) answerFetch(ctx context.Context, r remote.Request) remote.Answer {
	a := remote.Answer{Seq: r.Seq}
	if _, err := l.link.awaitServer(ctx, false); err != nil {
		return a
	}
	if f := l.lookupOf(r.Keys[0], assetOf(&r, 0)); l.lookUp(ctx, f) && f.entry.result != nil {
		a.Found = l.fetchBlobs(ctx, f, nil)
	}
	return a
}

// lookUp looks up a key once. It reports whether the server has an entry for the key.
func (l *lookups) lookUp(ctx context.Context, f *lookup) bool {
	f.look.Do(func() {
		defer close(f.looked)
		begun := time.Now()
		f.entry, f.err = l.fetchEntry(ctx, f.key)
		f.took = time.Since(begun)
		switch {
		case errors.Is(f.err, errPoisoned):
			l.out.noteFirst("poisoned", fmt.Errorf("%s: %w; the record counts as missing, and the asset is cooked", pathname.Show(cmp.Or(f.asset, "an asset")), f.err))
		case errors.Is(f.err, errUntrusted):
			l.out.noteFirst("untrusted", f.err)
		case errors.Is(f.err, ErrRefused):
			l.link.giveUpServer(f.err)
		}
	})
	<-f.looked
	return f.entry != nil
}

// fetchEntry requests the entry of a key from the server.
func (l *lookups) fetchEntry(ctx context.Context, k remote.Key) (e *entry, err error) {
	err = l.link.callRetrying(ctx, 0, func(ctx context.Context, server Server) error {
		ar, err := server.Result(ctx, actionOf(k, server.Traits().Function).Digest)
		if err != nil {
			return err
		}
		e, err = decodeEntry(k, ar)
		return err
	})
	if err == nil && !l.keys.trustsSigner(e.signed) {
		return nil, errUntrusted
	}
	return e, err
}

// fetchBlobs brings the blobs of a result into the store, except the blobs in have. It reports
// whether the store has all other blobs.
func (l *lookups) fetchBlobs(ctx context.Context, f *lookup, have []store.BlobID) bool {
	var lacking []int
	var bytes int64
	for i, a := range f.entry.result.Artifacts {
		if !slices.Contains(have, a.Blob) && !l.blobs.store.HasBlob(a.Blob, a.Size) {
			lacking = append(lacking, i)
			bytes += a.Size
		}
	}
	if l.blobs.pace.estimateDownload(bytes) > f.entry.result.CookTime {
		l.dear.Add(1)
		return false
	}
	all := make([]*download, len(lacking))
	for n, i := range lacking {
		all[n] = l.blobs.requestBlob(ctx, f.entry.files[i], f.entry.result.Artifacts[i], &f.forgotten)
	}
	whole := true
	for _, d := range all {
		<-d.done
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
	hits := map[store.ActionID]bool{} // actions that were looked up; true if the server has a result
	l.mu.Lock()
	for k, f := range l.byKey {
		select {
		case <-f.looked:
			switch {
			case errors.Is(f.err, errOff):
				continue // the look-up did not reach the server
			case errors.Is(f.err, errUntrusted):
				st.Untrusted++
			}
			hits[k.Action] = hits[k.Action] || f.entry != nil && f.entry.result != nil
		default:
		}
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
	if w.fastest == 0 || took < w.fastest {
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
