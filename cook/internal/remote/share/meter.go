package share

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Meter notes when bytes pass through the connections to a server. The bytes of one request show
// that the server and the network are alive while other requests wait. The methods of a nil Meter
// do nothing.
type Meter struct {
	last atomic.Int64 // time of the last byte, in nanoseconds since 1970; 0 before the first byte

	mu    sync.Mutex
	conns map[*metered]bool // the open connections
}

// DialFunc opens a network connection, as net.Dialer.DialContext does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Dial returns a function that opens connections with dial and meters them.
func (m *Meter) Dial(dial DialFunc) DialFunc {
	if m == nil {
		return dial
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return m.add(c), nil
	}
}

// add meters a connection until it is closed.
func (m *Meter) add(c net.Conn) net.Conn {
	of := &metered{c, m}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conns == nil {
		m.conns = map[*metered]bool{}
	}
	m.conns[of] = true
	return of
}

// closeConnections closes all connections.
func (m *Meter) closeConnections() {
	m.mu.Lock()
	all := slices.Collect(maps.Keys(m.conns))
	m.mu.Unlock()
	for _, c := range all {
		c.Close()
	}
}

// NoteByte notes that bytes pass now. Servers without network connections call it when a file
// operation has ended.
func (m *Meter) NoteByte() {
	if m != nil {
		m.last.Store(time.Now().UnixNano())
	}
}

// lastByte returns the time of the last byte, or the zero time.
func (m *Meter) lastByte() time.Time {
	if at := m.last.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// metered is a connection whose bytes a Meter notes.
type metered struct {
	net.Conn
	meter *Meter
}

func (c *metered) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.notePassed(n)
	return n, err
}

func (c *metered) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.notePassed(n)
	return n, err
}

func (c *metered) Close() error {
	c.meter.mu.Lock()
	delete(c.meter.conns, c)
	c.meter.mu.Unlock()
	return c.Conn.Close()
}

func (c *metered) notePassed(n int) {
	if n > 0 {
		c.meter.NoteByte()
	}
}
