package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
)

// How many transfers there are at a time, and how much small blobs share a request.
const (
	smallTransfers = 8
	largeTransfers = 4
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
	byBlob       map[store.BlobID]*download
	small, large []*download // that wait
	smalls       int         // requests on their way
	larges       int
	blobs, bytes int64 // that came
}

// A download is a blob on its way.
type download struct {
	from Digest
	to   store.Artifact
	done chan struct{} // closed when err is known
	err  error
}

// want returns the download of a blob, which begins when its turn has come.
func (d *downloads) want(ctx context.Context, from Digest, to store.Artifact) *download {
	d.mu.Lock()
	defer d.mu.Unlock()
	if old, ok := d.byBlob[to.Blob]; ok {
		return old
	}
	w := &download{from: from, to: to, done: make(chan struct{})}
	d.byBlob[to.Blob] = w
	if d.link.isSmall(from) {
		d.small = append(d.small, w)
		if d.smalls < smallTransfers {
			d.smalls++
			go d.fetchSmall(ctx)
		}
	} else {
		d.large = append(d.large, w)
		if d.larges < largeTransfers {
			d.larges++
			go d.fetchLarge(ctx)
		}
	}
	return w
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

// fetchSmall fetches small blobs until none waits.
func (d *downloads) fetchSmall(ctx context.Context) {
	for {
		d.mu.Lock()
		var batch []*download
		var size int64
		limit := min(d.link.server.Traits().Batch, smallBatch)
		for len(d.small) > 0 && (len(batch) == 0 || size+d.small[0].from.Size <= limit) {
			size += d.small[0].from.Size
			batch, d.small = append(batch, d.small[0]), d.small[1:]
		}
		if len(batch) == 0 {
			d.smalls--
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

// fetchLarge fetches large blobs until none waits.
func (d *downloads) fetchLarge(ctx context.Context) {
	for {
		d.mu.Lock()
		if len(d.large) == 0 {
			d.larges--
			d.mu.Unlock()
			return
		}
		var w *download
		w, d.large = d.large[0], d.large[1:]
		d.mu.Unlock()
		d.begin()
		is := d.traffic.begin(false, 1, w.from.Size)
		err := d.link.do(ctx, w.from.Size, func(ctx context.Context, server Server) error {
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
		d.pace.end(w.from.Size)
		is.end()
		d.end(w, err)
	}
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
