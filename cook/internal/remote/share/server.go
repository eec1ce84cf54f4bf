package share

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
)

// Errors of a [Server], to test for with errors.Is.
var (
	// ErrMissing: the server has no such entry.
	ErrMissing = errors.New("not on the server")
	// ErrUnavailable: the server did not answer, or says that it cannot now. It may later.
	ErrUnavailable = errors.New("the server is not available")
	// ErrInternal: the server failed at this request but answers others. It wraps ErrUnavailable.
	ErrInternal = fmt.Errorf("%w to this request", ErrUnavailable)
	// ErrTooLarge: the blob is too large for the server.
	ErrTooLarge = errors.New("too large for the server")
	// ErrRefused: the server does not allow it, such as for want of credentials.
	ErrRefused = errors.New("the server refuses")
	// ErrFull: the server has no room.
	ErrFull = errors.New("the server has no room")
	// ErrInputs: the server does not have all that an action is made of.
	ErrInputs = errors.New("the server lacks inputs of the action")
)

// A Digest names a content on the server.
type Digest = messages.Digest

// A Server keeps blobs and results. Its methods may be called at the same time.
type Server interface {
	// Traits says what the server can do. It does not change.
	Traits() Traits
	// Result returns what is kept for an action.
	Result(ctx context.Context, action Digest) (*messages.ActionResult, error)
	// PutResult keeps a result. The blobs that it names are there already.
	PutResult(ctx context.Context, action Digest, r *messages.ActionResult) error
	// Missing returns those of some digests that the server lacks.
	Missing(ctx context.Context, digests []Digest) ([]Digest, error)
	// ReadSmall reads blobs whose sizes together are at most Traits().Batch, and calls
	// each for every one of them, with its content or the error that it has, one at a time.
	ReadSmall(ctx context.Context, digests []Digest, each func(i int, content []byte, err error)) error
	// WriteSmall writes blobs whose sizes together are at most Traits().Batch. Its error is
	// the first of any.
	WriteSmall(ctx context.Context, digests []Digest, contents [][]byte) error
	// Read reads one blob of any size. If the connection breaks, reading goes on where it
	// stopped.
	Read(ctx context.Context, d Digest) (io.ReadCloser, error)
	// Write writes one blob of any size. open opens its content at an offset.
	Write(ctx context.Context, d Digest, open func(offset int64) (io.ReadCloser, error)) error
	Close() error
}

// An Executor is a Server that can also have actions executed, if its Traits say so.
type Executor interface {
	// Execute returns the result of an action, whose inputs are there already. If anew, a
	// result that the server knows will not do.
	Execute(ctx context.Context, action Digest, anew bool) (*messages.ActionResult, error)
}

// Traits are what a server can do.
type Traits struct {
	// Function is the one that its digests are made with.
	Function Function
	// Batch is how many bytes of blobs one request may move, 0 for one blob in each.
	Batch int64
	// MaxBlob is the largest size of a blob, 0 if unknown.
	MaxBlob int64
	// Actions says that a result's Action message has to be on the server, too.
	Actions bool
	// Compressors are for people.
	Compressors []string
	// Uploads is false if the server says that it takes no results.
	Uploads bool
	// Executes is true if the server says that it executes actions.
	Executes bool
}

// A Function makes digests.
type Function uint8

const (
	SHA256 Function = iota
	BLAKE3          // that of blob IDs
)

func (f Function) String() string { return [...]string{"SHA-256", "BLAKE3"}[f] }

func (f Function) new() hash.Hash {
	if f == BLAKE3 {
		return blake3.New()
	}
	return sha256.New()
}

// Of returns the digest of a content.
func (f Function) Of(content []byte) Digest {
	h := f.new()
	h.Write(content)
	return Digest{Hash: hex.EncodeToString(h.Sum(nil)), Size: int64(len(content))}
}

// OfReader returns the digest of what a reader holds.
func (f Function) OfReader(r io.Reader) (Digest, error) {
	h := f.new()
	n, err := io.Copy(h, r)
	return Digest{Hash: hex.EncodeToString(h.Sum(nil)), Size: n}, err
}

// atOnce is how many requests for blobs one call makes at a time.
const atOnce = 16

// Each calls do for each number below n, some at a time, and returns the first error of any: for
// a server that has a request for each blob.
func Each(n int, do func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { return do(i) })
	}
	return all.Wait()
}

// ReadEach is ReadSmall by a request for each blob.
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

// WriteEach is WriteSmall by a request for each blob.
func WriteEach(ctx context.Context, s Server, digests []Digest, contents [][]byte) error {
	return Each(len(digests), func(i int) error {
		return s.Write(ctx, digests[i], func(offset int64) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(contents[i][offset:])), nil
		})
	})
}
