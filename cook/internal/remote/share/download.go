package share

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
)

// These are the limits of concurrent transfers, besides the room that a pace measures. Small blobs
// share requests. Blobs with their own requests may exceed largeTransfers if their total size is at
// most mostFlying, because latency then costs more than bandwidth.
const (
	smallTransfers = 8
	largeTransfers = 4
	mostTransfers  = 64
	mostFlying     = 4 << 20
	smallBatch     = 1 << 20
	streamWindow   = 1 << 20 // number of bytes of one blob that may be in flight
)

// downloads fetches blobs into the store. Small blobs share requests: each request takes all blobs
// that are waiting.
type downloads struct {
	pace    pace
	trip    func() time.Duration // returns the time of a round trip
	traffic *traffic
	link    *link
	store   *store.Store
	running sync.WaitGroup // the transfers in flight
	sharing sharing

	mu        sync.Mutex
	requested map[store.Artifact]*download
	waiting
	flying  flying
	arrived arrived
}

// A sharing determines which blobs share requests. The server may have lower limits.
type sharing struct {
	batch int64 // maximum number of bytes in a request for several blobs
	small int64 // maximum size of a blob that may share a request
}

// waiting has the queues of downloads.
type waiting struct {
	count        int // number of requested downloads
	small, large []*download
}

// arrived counts the received blobs.
type arrived struct {
	blobs int64
	bytes int64 // total size
}

// flying has the counts and sizes of the requests in flight.
type flying struct {
	smalls, larges int
	smallBytes     int64
	largeBytes     int64
}

// A download is one blob to fetch, waiting or in flight.
type download struct {
	from      Digest
	to        store.Artifact
	number    int           // position in the order of the requests
	forgotten *atomic.Bool  // set if no request needs the blob any more
	done      chan struct{} // closed when err is known
	err       error
}

// requestBlob queues the download of a blob. If the blob was requested before, it returns that
// download.
func (d *downloads) requestBlob(ctx context.Context, from Digest, to store.Artifact, forgotten *atomic.Bool) *download {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.requested[to]; ok {
		return old
	}
	d.count++
	w := &download{from: from, to: to, number: d.count, forgotten: forgotten, done: make(chan struct{})}
	d.requested[to] = w
	if from.Size <= min(d.link.opening.server.Traits().Batch, d.sharing.small) { // the server is open
		d.small = append(d.small, w)
	} else {
		d.large = append(d.large, w)
	}
	d.startNext(ctx)
	return w
}

// forgetFailed removes a failed download, so that the next request fetches the blob again.
func (d *downloads) forgetFailed(a store.Artifact) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.requested[a]; ok {
		select {
		case <-old.done:
			delete(d.requested, a)
		default:
		}
	}
}

// isDamaged reports whether the server has sent wrong bytes for a blob.
func (d *downloads) isDamaged(a store.Artifact) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	old, ok := d.requested[a]
	if !ok {
		return false
	}
	select {
	case <-old.done:
		return errors.Is(old.err, store.ErrMismatch)
	default:
		return false
	}
}

// startNext starts the next downloads, up to the limits. mu must be locked.
func (d *downloads) startNext(ctx context.Context) {
	for {
		d.dropForgotten(&d.small)
		d.dropForgotten(&d.large)
		room := d.pace.room(d.trip())
		free := room - d.flying.smallBytes - d.flying.largeBytes
		if free <= 0 {
			return
		}
		small := len(d.small) > 0 && d.flying.smalls < smallTransfers
		large := len(d.large) > 0 && d.mayStartLarge(d.large[0].from.Size)
		switch {
		case small && (!large || d.small[0].number < d.large[0].number):
			batch, size := d.nextBatch(min(d.link.opening.server.Traits().Batch, d.sharing.batch, max(room/4, 1)))
			d.flying.smalls++
			d.flying.smallBytes += size
			d.running.Go(func() {
				d.fetchBatch(ctx, batch, size)
				d.mu.Lock()
				defer d.mu.Unlock()
				d.flying.smalls--
				d.flying.smallBytes -= size
				d.startNext(ctx)
			})
		case large:
			w := d.large[0]
			d.large = d.large[1:]
			f := &inFlight{of: d, ctx: ctx, left: w.from.Size}
			d.flying.larges++
			d.flying.largeBytes += f.occupied()
			d.running.Go(func() {
				d.finishDownload(w, d.fetchLarge(ctx, w, f))
				d.mu.Lock()
				defer d.mu.Unlock()
				d.flying.larges--
				d.flying.largeBytes -= f.occupied()
				d.startNext(ctx)
			})
		default:
			return
		}
	}
}

// mayStartLarge reports whether the numbers of large transfers permit one more.
func (d *downloads) mayStartLarge(size int64) bool {
	few := d.flying.larges < mostTransfers && d.flying.largeBytes+min(size, streamWindow) <= mostFlying
	return d.flying.larges < largeTransfers || few
}

// nextBatch removes small blobs from the queue: one, or several whose total size is at most limit.
func (d *downloads) nextBatch(limit int64) (batch []*download, size int64) {
	for ; len(d.small) > 0 && (len(batch) == 0 || size+d.small[0].from.Size <= limit); d.dropForgotten(&d.small) {
		size += d.small[0].from.Size
		batch, d.small = append(batch, d.small[0]), d.small[1:]
	}
	return batch, size
}

// An inFlight is a large blob in flight. It occupies the room of the bytes that the server may
// send before they are read.
type inFlight struct {
	of   *downloads
	ctx  context.Context
	left int64 // number of bytes that have not arrived
}

func (f *inFlight) occupied() int64 { return min(f.left, streamWindow) }

// beginAgain records that an attempt requests all bytes of the blob.
func (f *inFlight) beginAgain(size int64) {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.of.flying.largeBytes -= f.occupied()
	f.left = size
	f.of.flying.largeBytes += f.occupied()
}

// notePassed counts arrived bytes. The room that they leave may permit other downloads.
func (f *inFlight) notePassed(n int) {
	f.of.pace.notePassed(int64(n))
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	before := f.occupied()
	f.left = max(0, f.left-int64(n))
	if after := f.occupied(); after < before {
		f.of.flying.largeBytes -= before - after
		f.of.startNext(f.ctx)
	}
}

// fetchBatch fetches small blobs with one request.
func (d *downloads) fetchBatch(ctx context.Context, batch []*download, size int64) {
	digests := make([]Digest, len(batch))
	for i, w := range batch {
		digests[i] = w.from
	}
	contents, errs := make([][]byte, len(batch)), make([]error, len(batch))
	d.pace.beginTransfer()
	is := d.traffic.beginGroup(false, len(batch), size)
	unwanted := func() bool { return !slices.ContainsFunc(batch, func(w *download) bool { return !w.forgotten.Load() }) }
	err := d.link.callRetrying(ctx, call{size: size, how: wholeRun, unwanted: unwanted, do: func(ctx context.Context, server Server) error {
		for i := range errs {
			errs[i] = ErrMissing // error of a blob that the answer does not contain
		}
		return server.ReadSmall(ctx, digests, func(i int, content []byte, err error) { contents[i], errs[i] = content, err })
	}})
	if err == nil {
		is.countPassed(size)
		d.pace.notePassed(size)
	}
	d.pace.endTransfer()
	is.endTransferGroup()
	for i, w := range batch {
		failed := errors.Join(err, errs[i])
		if failed == nil {
			failed = d.store.ReceiveBlob(ctx, bytes.NewReader(contents[i]), w.to.Blob, w.to.Size)
		}
		d.finishDownload(w, failed)
	}
}

// fetchLarge fetches a blob with its own request.
func (d *downloads) fetchLarge(ctx context.Context, w *download, f *inFlight) error {
	d.pace.beginTransfer()
	defer d.pace.endTransfer()
	is := d.traffic.beginGroup(false, 1, w.from.Size)
	defer is.endTransferGroup()
	return d.link.callRetrying(ctx, call{size: w.from.Size, how: wholeRun, unwanted: w.forgotten.Load, do: func(ctx context.Context, server Server) error {
		f.beginAgain(w.from.Size)
		r, err := server.Read(ctx, w.from)
		if err != nil {
			return err
		}
		defer r.Close()
		if err = d.store.ReceiveBlob(ctx, &arriving{is.reader(r), f}, w.to.Blob, w.to.Size); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	}})
}

// An arriving is a reader that notes its bytes.
type arriving struct {
	io.Reader
	of *inFlight
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.of.notePassed(n)
	return n, err
}

// finishDownload ends a download.
func (d *downloads) finishDownload(w *download, err error) {
	if err == nil {
		d.mu.Lock()
		d.arrived.blobs++
		d.arrived.bytes += w.from.Size
		delete(d.requested, w.to) // the store has the blob
		d.mu.Unlock()
	}
	w.err = err
	close(w.done)
}

// dropForgotten drops the downloads at the front of a queue that no request needs any more. They
// fail even if another result needs the same blob.
func (d *downloads) dropForgotten(queue *[]*download) {
	for len(*queue) > 0 && (*queue)[0].forgotten.Load() {
		w := (*queue)[0]
		*queue = (*queue)[1:]
		delete(d.requested, w.to)
		w.err = errForgotten
		close(w.done)
	}
}
