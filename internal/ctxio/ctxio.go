// Package ctxio stops reading and writing when a context is canceled.
package ctxio

import (
	"context"
	"io"
)

// piece is the maximum number of bytes read or written between two checks of the context.
const piece = 128 << 10

type reader struct {
	ctx context.Context
	r   io.Reader
}

// Reader returns a reader that reads from r. It returns the context's error once ctx is canceled.
func Reader(ctx context.Context, r io.Reader) io.Reader { return reader{ctx, r} }

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p[:min(len(p), piece)])
}

type writer struct {
	ctx context.Context
	w   io.Writer
}

// Writer returns a writer that writes to w. It returns the context's error once ctx is canceled.
func Writer(ctx context.Context, w io.Writer) io.Writer { return writer{ctx, w} }

func (w writer) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if err = w.ctx.Err(); err != nil {
			break
		}
		var m int
		m, err = w.w.Write(p[n:min(n+piece, len(p))])
		n += m
	}
	return n, err
}
