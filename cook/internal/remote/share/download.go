package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
)

// These are the limits of concurrent transfers. Small blobs share requests. Blobs with their own
// requests may exceed largeTransfers if their total size is at most mostFlying, because latency
// then costs more than bandwidth.
const (
	smallTransfers = 8
	largeTransfers = 4
	mostTransfers  = 64
	mostFlying     = 4 << 20
	smallBatch     = 1 << 20
	stallTime      = 3 * time.Second // longest time without data before a download fails
)

// downloads fetches blobs into the store. Small blobs share requests: each request takes all blobs
// that are waiting.
type downloads struct {
	pace    pace
	traffic *traffic
	link    *link
	store   *store.Store

	mu           sync.Mutex
	requested    map[store.Artifact]*download
	small, large []*download // queues of waiting downloads
	flying       flying
	received     int64
	bytes        int64 // total size of the received blobs
}

// flying has the counts and sizes of the requests in flight.
type flying struct {
	smalls, larges int
	bytes          int64 // total size of the large blobs in flight
}

// A download is one blob to fetch, waiting or in flight.
type download struct {
	from      Digest
	to        store.Artifact
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
	w := &download{from: from, to: to, forgotten: forgotten, done: make(chan struct{})}
	d.requested[to] = w
	if d.link.isSmall(from) {
		d.small = append(d.small, w)
		if d.flying.smalls < smallTransfers {
			d.flying.smalls++
			go d.fetchSmall(ctx)
		}
	} else {
		d.large = append(d.large, w)
		d.startLarge(ctx)
	}
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

// isSmall reports whether a blob may share a request with other blobs.
func (l *link) isSmall(d Digest) bool {
	return d.Size <= min(l.server.Traits().Batch, smallBatch)/4 // the server must be open
}

// fetchSmall fetches small blobs until none is waiting.
func (d *downloads) fetchSmall(ctx context.Context) {
	for {
		d.mu.Lock()
		var batch []*download
		var size int64
		limit := min(d.link.server.Traits().Batch, smallBatch)
		for d.dropForgotten(&d.small); len(d.small) > 0 && (len(batch) == 0 || size+d.small[0].from.Size <= limit); d.dropForgotten(&d.small) {
			size += d.small[0].from.Size
			batch, d.small = append(batch, d.small[0]), d.small[1:]
		}
		if len(batch) == 0 {
			d.flying.smalls--
			d.mu.Unlock()
			return
		}
		d.mu.Unlock()
		d.fetchBatch(ctx, batch, size)
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
	err := d.link.callRetrying(ctx, size, func(ctx context.Context, server Server) error {
		for i := range errs {
			errs[i] = ErrMissing // error of a blob that the answer does not contain
		}
		return server.ReadSmall(ctx, digests, func(i int, content []byte, err error) { contents[i], errs[i] = content, err })
	})
	d.pace.endTransfer(size)
	if err == nil {
		is.countPassed(size)
	}
	is.endTransferGroup()
	for i, w := range batch {
		failed := errors.Join(err, errs[i])
		if failed == nil {
			failed = d.store.ReceiveBlob(ctx, bytes.NewReader(contents[i]), w.to.Blob, w.to.Size)
		}
		d.finishDownload(w, failed)
	}
}

// startLarge starts the next large downloads, up to the limits.
func (d *downloads) startLarge(ctx context.Context) {
	for d.dropForgotten(&d.large); len(d.large) > 0; d.dropForgotten(&d.large) {
		w := d.large[0]
		few := d.flying.larges < mostTransfers && d.flying.bytes+w.from.Size <= mostFlying
		if d.flying.larges >= largeTransfers && !few {
			return
		}
		d.large = d.large[1:]
		d.flying.larges++
		d.flying.bytes += w.from.Size
		go func() {
			d.finishDownload(w, d.fetchLarge(ctx, w))
			d.mu.Lock()
			defer d.mu.Unlock()
			d.flying.larges--
			d.flying.bytes -= w.from.Size
			d.startLarge(ctx)
		}()
	}
}

// fetchLarge fetches a blob with its own request.
func (d *downloads) fetchLarge(ctx context.Context, w *download) error {
	d.pace.beginTransfer()
	defer d.pace.endTransfer(w.from.Size)
	is := d.traffic.beginGroup(false, 1, w.from.Size)
	defer is.endTransferGroup()
	return d.link.callRetrying(ctx, w.from.Size, func(ctx context.Context, server Server) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r, err := server.Read(ctx, w.from)
		if err != nil {
			return err
		}
		defer r.Close()
		flowing := &flow{is.reader(r), time.AfterFunc(stallTime, cancel)}
		defer flowing.timer.Stop()
		if err = d.store.ReceiveBlob(ctx, flowing, w.to.Blob, w.to.Size); errors.Is(err, context.Canceled) {
			err = fmt.Errorf("%w: the server sent nothing for %v", ErrUnavailable, stallTime)
		}
		return err
	})
}

// finishDownload ends a download.
func (d *downloads) finishDownload(w *download, err error) {
	if err == nil {
		d.mu.Lock()
		d.received++
		d.bytes += w.from.Size
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

// A flow is a reader that resets a timer with each read.
type flow struct {
	io.Reader
	timer *time.Timer
}

func (f *flow) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if n > 0 {
		f.timer.Reset(stallTime)
	}
	return n, err
}

// A pace measures the rate of downloads.
type pace struct {
	mu    sync.Mutex
	bytes int64
	busy  time.Duration // time with a transfer in flight
	since time.Time
	now   int // number of transfers in flight
}

// beginTransfer counts a transfer until endTransfer.
func (p *pace) beginTransfer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now == 0 {
		p.since = time.Now()
	}
	p.now++
}

func (p *pace) endTransfer(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes += bytes
	if p.now--; p.now == 0 {
		p.busy += time.Since(p.since)
	}
}

// estimateDownload returns the expected time of a download of some bytes. It returns 0 until enough
// bytes have been measured.
func (p *pace) estimateDownload(bytes int64) time.Duration {
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
