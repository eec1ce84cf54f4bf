package hashing

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// file sums a small file. A large file it shares: its first block is this worker's.
func (q *queue) file(index int, name string) {
	buf := takeBlock()
	sum, size, big, err := q.small(name, buf)
	if big != nil {
		big.index, big.name = index, name
		q.begin(big, buf)
		return
	}
	giveBlock(buf)
	if err != nil {
		sum, size = Sum{}, 0
	}
	q.deliver(FileResult{Index: index, Name: name, Sum: sum, Size: size, Err: err})
}

// small sums the named file, or returns it as a large file with its first block in buf.
func (q *queue) small(name string, buf *block) (Sum, int64, *large, error) {
	f, before, err := open(q.ctx, name)
	if err != nil {
		return Sum{}, 0, nil, err
	}
	keep := false
	defer func() {
		if !keep {
			f.Close() // opened for reading: closing loses nothing
		}
	}()
	if f, ok := f.(osFile); ok && before.kind != regular {
		// When ctx ends, wake a read that waits for the other end of a pipe, on systems that can
		// do so.
		stop := context.AfterFunc(q.ctx, func() { f.SetReadDeadline(time.Unix(1, 0)) })
		defer stop()
	}

	n, end, err := q.fill(f, buf[:], before)
	switch {
	case err != nil:
		return Sum{}, 0, nil, q.readError(name, err)
	case end:
		if before.kind == regular {
			err = unchanged(f, name, before)
		}
		return q.Func.Sum(buf[:n]), int64(n), nil, err
	case before.kind == regular && before.size > blockSize:
		keep = true
		return Sum{}, 0, newLarge(q.Func, f, before), nil
	}

	h := q.Func.New()
	h.Write(buf[:n])
	rest, err := drain(q.ctx, f, buf[:], func(p []byte) {
		h.Write(p)
		q.progress(len(p))
	})
	if err != nil {
		return Sum{}, 0, nil, q.readError(name, err)
	}
	if before.kind == regular {
		err = unchanged(f, name, before)
	}
	return streamed(h), int64(n) + rest, nil, err
}

// fill reads until buf is full or the file ends. If a regular file has returned all bytes of its
// reported size without filling buf, it has ended: that saves one system call.
func (q *queue) fill(f source, buf []byte, before stamp) (n int, end bool, err error) {
	for n < len(buf) {
		k, err := readSome(q.ctx, f, buf[n:])
		n += k
		q.progress(k)
		switch {
		case err == io.EOF:
			return n, true, nil
		case err != nil:
			return 0, false, err
		case before.kind == regular && int64(n) == before.size && n < len(buf):
			return n, true, nil
		}
	}
	return n, false, nil
}

// readError prefers the context's error to its effect on the read.
func (q *queue) readError(name string, err error) error {
	if end := q.ctx.Err(); end != nil {
		err = end
	}
	if _, named := err.(*fs.PathError); named {
		return err
	}
	return fileError(name, err)
}
