package events

import (
	"errors"
	"io"
	"net"
	"sync"
)

// Serve accepts connections of l and writes the stream to each until it ends or
// the viewer hangs up; [Read] reads it. It returns when l has been closed, then
// with nil, or accepts no more, after it has hung up on the viewers it still had.
//
// There is neither encryption nor a password: who can reach l sees all names.
// Listen on "localhost:0" unless the network may know.
func (f *Feed) Serve(l net.Listener) error {
	var (
		mu    sync.Mutex
		conns = map[net.Conn]struct{}{}
		group sync.WaitGroup
	)
	defer group.Wait()
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		for conn := range conns {
			conn.Close()
		}
	}()
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		mu.Lock()
		conns[conn] = struct{}{}
		mu.Unlock()
		group.Go(func() {
			f.serveConn(conn)
			mu.Lock()
			delete(conns, conn)
			mu.Unlock()
		})
	}
}

// serveConn writes the stream to a connection, and closes it.
func (f *Feed) serveConn(conn net.Conn) {
	v := f.join()
	defer f.leave(v)

	// A viewer has nothing to say: when reading from it ends, it has gone.
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		io.Copy(io.Discard, conn)
	}()
	defer func() {
		conn.Close()
		<-gone
	}()
	for {
		select {
		case <-gone:
			return
		case <-v.wake:
		}
		parts, ended := f.take(v)
		for _, part := range parts {
			if _, err := conn.Write(part); err != nil {
				return
			}
		}
		if ended {
			return
		}
	}
}
