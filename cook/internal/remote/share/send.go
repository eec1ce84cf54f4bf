package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/human"
)

// A sender uploads contents that the server lacks.
type sender struct {
	link    *link
	store   *store.Store
	traffic *traffic

	pace pace

	mu     sync.Mutex
	sent   int64         // number of uploaded bytes
	flying int64         // total size of the uploads in flight
	wake   chan struct{} // closed when the next upload ends; may be nil
}

// largeUploads limits the concurrent requests for large blobs of one call.
const largeUploads = 8

// uploadContents uploads the contents that the server lacks or has with wrong bytes. It returns an error for each refused
// content, and the error that ended the uploads early, if any.
func (s *sender) uploadContents(ctx context.Context, traits Traits, contents map[Digest]content) (map[Digest]error, error) {
	g := &transmission{batch: batch{limit: min(traits.Batch, smallBatch, max(s.pace.room(0)/4, 1))}, failed: map[Digest]error{}}
	var digests []Digest
	for d := range contents {
		if traits.MaxBlob > 0 && d.Size > traits.MaxBlob {
			g.failed[d] = fmt.Errorf("an artifact of %s is %w, which takes at most %s", human.Bytes(d.Size), ErrTooLarge, human.Bytes(traits.MaxBlob))
		} else {
			digests = append(digests, d)
		}
	}
	if len(digests) == 0 {
		return g.failed, nil
	}
	var missing []Digest
	err := s.link.callRetrying(ctx, call{size: int64(100 * len(digests)), how: wholeRun, do: func(ctx context.Context, server Server) (err error) {
		missing, err = server.Missing(ctx, digests)
		return err
	}})
	if err != nil {
		return nil, err
	}
	for d, c := range contents {
		if c.damaged && !slices.Contains(missing, d) {
			missing = append(missing, d)
		}
	}
	var large errgroup.Group
	large.SetLimit(largeUploads)
	for _, d := range missing {
		c, ok := contents[d]
		switch {
		case !ok: // the server names a digest that was not requested
		case g.hasGivenUp():
		case s.link.isSmall(d):
			s.uploadSmall(ctx, d, c, g)
		default:
			large.Go(func() error {
				g.blobEnded(ctx, d, s.uploadLarge(ctx, d, c))
				return nil
			})
		}
	}
	s.sendBatch(ctx, g)
	large.Wait()
	return g.failed, g.err
}

// isSmall reports whether an upload may share a request with others.
func (l *link) isSmall(d Digest) bool {
	return d.Size <= min(l.opening.server.Traits().Batch, smallBatch)/4 // the server must be open
}

// A transmission uploads several contents. Some of them may fail.
type transmission struct {
	batch  batch
	mu     sync.Mutex
	failed map[Digest]error
	inRow  int   // number of successive failures
	err    error // why all uploads have stopped
}

// blobEnded records how the upload of a blob ended. The transmission stops after several successive
// failures, or after an error that affects all blobs.
func (g *transmission) blobEnded(ctx context.Context, d Digest, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		g.inRow = 0
		return
	}
	g.failed[d] = err
	if isUnavailable(err) || errors.Is(err, ErrFull) {
		g.inRow++
	}
	if g.err == nil && (ctx.Err() != nil || errors.Is(err, errOff) || errors.Is(err, ErrRefused) || g.inRow >= failsInRow) {
		g.err = err
	}
}

func (g *transmission) hasGivenUp() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err != nil
}

// A batch has the small blobs of one request.
type batch struct {
	limit, size int64
	digests     []Digest
	contents    [][]byte
}

// uploadSmall adds a small blob to the batch. It uploads the batch when the batch is full.
func (s *sender) uploadSmall(ctx context.Context, d Digest, c content, g *transmission) {
	data, err := s.readContent(d, c)
	if err != nil {
		g.blobEnded(ctx, d, err)
		return
	}
	if g.batch.size+d.Size > g.batch.limit {
		s.sendBatch(ctx, g)
	}
	b := &g.batch
	b.size += d.Size
	b.digests, b.contents = append(b.digests, d), append(b.contents, data)
}

// sendBatch uploads the blobs of the batch together, or one by one if that fails.
func (s *sender) sendBatch(ctx context.Context, g *transmission) {
	b := g.batch
	g.batch = batch{limit: b.limit}
	if len(b.digests) == 0 || g.hasGivenUp() {
		return
	}
	if err := s.beginUpload(ctx, b.size); err != nil {
		for _, d := range b.digests {
			g.blobEnded(ctx, d, err)
		}
		return
	}
	is := s.traffic.beginGroup(true, len(b.digests), b.size)
	err := s.link.callRetrying(ctx, call{size: b.size, how: wholeRun, up: true, do: func(ctx context.Context, server Server) error {
		return server.WriteSmall(ctx, b.digests, b.contents)
	}})
	if err == nil {
		is.countPassed(b.size)
		s.countSent(b.size)
	}
	is.endTransferGroup()
	s.endUpload(b.size)
	for i, d := range b.digests {
		one := err
		if err != nil && len(b.digests) > 1 && !g.hasGivenUp() {
			one = s.uploadLarge(ctx, d, content{message: b.contents[i]})
		}
		g.blobEnded(ctx, d, one)
	}
}

// uploadLarge uploads a blob with its own request.
func (s *sender) uploadLarge(ctx context.Context, d Digest, c content) error {
	if err := s.beginUpload(ctx, d.Size); err != nil {
		return err
	}
	defer s.endUpload(d.Size)
	is := s.traffic.beginGroup(true, 1, d.Size)
	defer is.endTransferGroup()
	err := s.link.callRetrying(ctx, call{size: d.Size, how: wholeRun, up: true, do: func(ctx context.Context, server Server) error {
		return server.Write(ctx, d, func(offset int64) (io.ReadCloser, error) {
			r, err := s.openToSend(c, offset)
			if err != nil {
				return nil, err
			}
			return is.reader(r), nil
		})
	}})
	if err == nil {
		s.countSent(d.Size)
	}
	return err
}

func (s *sender) countSent(bytes int64) {
	s.pace.notePassed(bytes)
	s.mu.Lock()
	s.sent += bytes
	s.mu.Unlock()
}

// beginUpload waits until the bytes in flight have room for an upload, or until ctx is done.
func (s *sender) beginUpload(ctx context.Context, size int64) error {
	for {
		s.mu.Lock()
		if s.flying == 0 || s.flying < s.pace.room(0) {
			s.flying += size
			s.mu.Unlock()
			s.pace.beginTransfer()
			return nil
		}
		if s.wake == nil {
			s.wake = make(chan struct{})
		}
		wake := s.wake
		s.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *sender) endUpload(size int64) {
	s.pace.endTransfer()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying -= size
	if s.wake != nil {
		close(s.wake)
		s.wake = nil
	}
}
