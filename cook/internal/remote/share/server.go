package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
)

// Errors of a [Server], for errors.Is.
var (
	// ErrMissing means that the server does not have the entry.
	ErrMissing = errors.New("not on the server")
	// ErrUnavailable means that the server did not answer, or reported a temporary failure.
	ErrUnavailable = errors.New("the server is not available")
	// ErrInternal means that the server failed for this request, but answers other requests. It
	// wraps ErrUnavailable.
	ErrInternal = fmt.Errorf("%w for this request", ErrUnavailable)
	// ErrTooLarge means that the blob is too large for the server.
	ErrTooLarge = errors.New("too large for the server")
	// ErrRefused means that the server denies the request, for example for lack of credentials.
	ErrRefused = errors.New("the server refuses the request")
	// ErrFull means that the server has no space left.
	ErrFull = errors.New("the server has no space left")
	// ErrInputs means that the server lacks inputs of an action.
	ErrInputs = errors.New("the server lacks inputs of the action")
)

// A Server keeps blobs and results. Its methods are safe for concurrent use.
type Server interface {
	// Traits returns the capabilities of the server, which do not change.
	Traits() Traits
	// Result returns the result of an action.
	Result(ctx context.Context, action Digest) (*messages.ActionResult, error)
	// PutResult stores a result. Its blobs must be on the server.
	PutResult(ctx context.Context, action Digest, r *messages.ActionResult) error
	// Missing returns the digests that the server lacks.
	Missing(ctx context.Context, digests []Digest) ([]Digest, error)
	// ReadSmall reads blobs with a total size of at most Traits().Batch. It calls each for every
	// blob with its content or its error, one at a time.
	ReadSmall(ctx context.Context, digests []Digest, each func(i int, content []byte, err error)) error
	// WriteSmall writes blobs with a total size of at most Traits().Batch, and returns the first
	// error.
	WriteSmall(ctx context.Context, digests []Digest, contents [][]byte) error
	// Read reads one blob of any size. If the connection breaks, reading continues where it
	// stopped.
	Read(ctx context.Context, d Digest) (io.ReadCloser, error)
	// Write writes one blob of any size. It calls open to read the content from an offset.
	Write(ctx context.Context, d Digest, open func(offset int64) (io.ReadCloser, error)) error
	Close() error
}

// An Executor is a Server that can execute actions if Traits.Executes is set.
type Executor interface {
	// Execute returns the result of an action whose inputs are on the server. If anew is set, the
	// server must not use its cache.
	Execute(ctx context.Context, action Digest, anew bool) (*messages.ActionResult, error)
}

// Traits describe the capabilities of a server.
type Traits struct {
	// Function is the digest function.
	Function Function
	// Batch limits the bytes of blobs in one request. If it is 0, each blob needs its own request.
	Batch int64
	// MaxBlob is the largest blob size that the server accepts; 0 if unknown.
	MaxBlob int64
	// Actions is set if the server needs the Action message of each result.
	Actions bool
	// Compressors are the compressors that the server supports. They are only displayed.
	Compressors []string
	// Uploads is unset if the server announces that it accepts no results.
	Uploads bool
	// Executes is set if the server announces that it executes actions.
	Executes bool
}

// atOnce limits the concurrent requests of one call.
const atOnce = 16

// Each calls do for each number below n, some of them concurrently, and returns the first error. It
// is for servers that need one request per blob.
func Each(n int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}

// ReadEach implements ReadSmall by one request per blob.
func ReadEach(ctx context.Context, s Server, digests []Digest, each func(i int, content []byte, err error)) error {
	var mu sync.Mutex
	return Each(len(digests), func(i int) error {
		r, err := s.Read(ctx, digests[i])
		var content []byte
		if err == nil {
			content, err = io.ReadAll(io.LimitReader(r, digests[i].Size+1))
			r.Close()
		}
		if errors.Is(err, ErrUnavailable) {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		each(i, content, err)
		return nil
	})
}

// WriteEach implements WriteSmall by one request per blob.
func WriteEach(ctx context.Context, s Server, digests []Digest, contents [][]byte) error {
	return Each(len(digests), func(i int) error {
		return s.Write(ctx, digests[i], func(offset int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(contents[i][offset:])), nil
		})
	})
}
