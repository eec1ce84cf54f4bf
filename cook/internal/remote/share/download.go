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

// How many transfers there are at a time, and how much small blobs share a request. Blobs that
// have a request each are fetched together as long as that is little, for the link's latency
// rather than its rate bounds them.
const (
	smallTransfers = 8
	largeTransfers = 4
	mostTransfers  = 64
	mostFlying     = 4 << 20
	smallBatch     = 1 << 20
	stallTime      = 3 * time.Second // until a blob of which nothing comes is given up
)

// downloads bring blobs into the store: small ones together, as many as are wanted when a
// request is made.
type downloads struct {
	pace
	traffic *traffic
	link    *link
	store   *store.Store

	mu           sync.Mutex
	wanted       map[store.Artifact]*download
	small, large []*download // that wait
	flying       flying
	blobs, bytes int64 // that came
}

// flying are requests on their way.
type flying struct {
	smalls, larges int
	bytes          int64 // of large blobs
}

// A download is a blob on its way.
type download struct {
	from      Digest
	to        store.Artifact
	forgotten *atomic.Bool  // it need not begin
	done      chan struct{} // closed when err is known
	err       error
}

// want returns the download of a blob, which begins when its turn has come.
func (d *downloads) want(ctx context.Context, from Digest, to store.Artifact, forgotten *atomic.Bool) *download {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.wanted[to]; ok {
		return old
	}
	w := &download{from: from, to: to, forgotten: forgotten, done: make(chan struct{})}
	d.wanted[to] = w
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

// forget has a blob be fetched again that could not be.
func (d *downloads) forget(a store.Artifact) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.wanted[a]; ok {
		select {
		case <-old.done:
			delete(d.wanted, a)
		default:
		}
	}
}

// isSmall reports whether a blob shares a request with others.
func (l *link) isSmall(d Digest) bool {
	return d.Size <= min(l.server.Traits().Batch, smallBatch)/4 // it is open: it has answered
}

func (d *downloads) end(w *download, err error) {
	if err == nil {
		d.mu.Lock()
		d.blobs++
		d.bytes += w.from.Size
		d.mu.Unlock()
	}
	w.err = err
	close(w.done)
}

// drop ends those at the beginning of a queue that nobody waits for any more. If another result
// has the same blob, that is missing as well.
func (d *downloads) drop(queue *[]*download) {
	for len(*queue) > 0 && (*queue)[0].forgotten.Load() {
		w := (*queue)[0]
		*queue = (*queue)[1:]
		delete(d.wanted, w.to)
		w.err = errForgotten
		close(w.done)
	}
}

// fetchSmall fetches small blobs until none waits.
func (d *downloads) fetchSmall(ctx context.Context) {
	for {
		d.mu.Lock()
		var batch []*download
		var size int64
		limit := min(d.link.server.Traits().Batch, smallBatch)
		for d.drop(&d.small); len(d.small) > 0 && (len(batch) == 0 || size+d.small[0].from.Size <= limit); d.drop(&d.small) {
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

func (d *downloads) fetchBatch(ctx context.Context, batch []*download, size int64) {
	digests := make([]Digest, len(batch))
	for i, w := range batch {
		digests[i] = w.from
	}
	contents, errs := make([][]byte, len(batch)), make([]error, len(batch))
	d.begin()
	is := d.traffic.begin(false, len(batch), size)
	err := d.link.do(ctx, size, func(ctx context.Context, server Server) error {
		for i := range errs {
			errs[i] = ErrMissing // what the server says nothing of
		}
		return server.ReadSmall(ctx, digests, func(i int, content []byte, err error) { contents[i], errs[i] = content, err })
	})
	d.pace.end(size)
	if err == nil {
		is.passed(size)
	}
	is.end()
	for i, w := range batch {
		failed := errors.Join(err, errs[i])
		if failed == nil {
			failed = d.store.ReceiveBlob(ctx, bytes.NewReader(contents[i]), w.to.Blob, w.to.Size)
		}
		d.end(w, failed)
	}
}

// startLarge begins to fetch the next large blobs, as many as may be on their way.
func (d *downloads) startLarge(ctx context.Context) {
	for d.drop(&d.large); len(d.large) > 0; d.drop(&d.large) {
		w := d.large[0]
		few := d.flying.larges < mostTransfers && d.flying.bytes+w.from.Size <= mostFlying
		if d.flying.larges >= largeTransfers && !few {
			return
		}
		d.large = d.large[1:]
		d.flying.larges++
		d.flying.bytes += w.from.Size
		go func() {
			d.end(w, d.fetchLarge(ctx, w))
			d.mu.Lock()
			defer d.mu.Unlock()
			d.flying.larges--
			d.flying.bytes -= w.from.Size
			d.startLarge(ctx)
		}()
	}
}

// fetchLarge fetches a blob that has a request of its own.
func (d *downloads) fetchLarge(ctx context.Context, w *download) error {
	d.begin()
	defer d.pace.end(w.from.Size)
	is := d.traffic.begin(false, 1, w.from.Size)
	defer is.end()
	return d.link.do(ctx, w.from.Size, func(ctx context.Context, server Server) error {
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
			err = fmt.Errorf("%w: nothing came for %v", ErrUnavailable, stallTime)
		}
		return err
	})
}

// A flow is a reader that puts a timer off whenever something comes.
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
