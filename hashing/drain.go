package hashing

import (
	"context"
	"fmt"
	"io"
)

// maxEmptyReads is how many consecutive reads may return neither bytes nor an error.
const maxEmptyReads = 100

// drain reads r to its end, passes each piece to take and returns the number of bytes. It checks
// ctx before each read of at most len(buf) bytes.
func drain(ctx context.Context, r io.Reader, buf []byte, take func([]byte)) (int64, error) {
	var size int64
	for {
		n, err := readSome(ctx, r, buf)
		take(buf[:n])
		size += int64(n)
		switch {
		case err == io.EOF: // a wrapped io.EOF is another failure
			return size, nil
		case err != nil:
			return 0, err
		}
	}
}

// readSome reads at least one byte or returns an error, or both.
func readSome(ctx context.Context, r io.Reader, buf []byte) (int, error) {
	for range maxEmptyReads {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		n, err := r.Read(buf)
		if n < 0 || n > len(buf) {
			return 0, fmt.Errorf("sum: reader returned %d of %d bytes", n, len(buf))
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// SumReader reads r to its end and returns the sum and the number of its bytes. It checks ctx
// before each read.
func SumReader(ctx context.Context, f Func, r io.Reader) (Sum, int64, error) {
	h := f.New()
	buf := takeBlock()
	defer giveBlock(buf)
	size, err := drain(ctx, r, buf[:], func(p []byte) { h.Write(p) })
	if err != nil {
		return Sum{}, 0, err
	}
	return streamed(h), size, nil
}
