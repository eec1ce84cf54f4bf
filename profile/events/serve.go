package events

import (
	"context"
	"io"
)

// WriteStream writes the stream to a viewer until the stream ends, ctx is done or a write fails.
// [Read] reads the stream. WriteStream returns only errors of w.
func (f *Feed) WriteStream(ctx context.Context, w io.Writer) error {
	v := f.join()
	defer f.leave(v)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-v.wake:
		}
		parts, ended := f.takeForViewer(v)
		for _, part := range parts {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// maxSaid is the maximum number of bytes that a viewer may send, such as an HTTP request. The feed
// ignores these bytes, but reading them takes time.
const maxSaid = 64 << 10

// ServeConn writes the stream to a connection as WriteStream does, and closes the connection. It
// also ends when the viewer closes the connection or its sending side, or sends more than 64 KiB.
// Closing the connection must interrupt its pending reads and writes.
func (f *Feed) ServeConn(ctx context.Context, conn io.ReadWriteCloser) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { conn.Close() }) // Closing the connection ends a blocked write.
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer cancel()
		io.CopyN(io.Discard, conn, maxSaid)
	}()
	f.WriteStream(ctx, conn) // An error means that the viewer has disconnected.
	stop()
	conn.Close()
	<-gone
}
