// Package faultlink simulates a bad network between clients and a server: late, slow, or faulty.
//
// A [Link] listens on this machine and forwards connections to a server. All connections share its
// latency and rate; a [Fault] affects one connection, and is drawn when the connection begins.
package faultlink

import (
	"bytes"
	"io"
	"net"
	"sync"
	"time"
)

// Options describe the quality of a link. The zero value changes nothing.
type Options struct {
	// Listen is the address to listen on; "" is a free port of loopback.
	Listen string
	// Delay is the latency, one way.
	Delay time.Duration
	// Rate is the number of bytes per second in each direction, shared by all connections; 0 means
	// no limit.
	Rate float64
	// Fault returns the fault of the next connection; nil means no faults. Calls do not overlap.
	Fault func() Fault
}

// A Link is a simulated network connection to a server.
type Link struct {
	server   string
	fault    func() Fault
	listener net.Listener
	up, down *wire
	closed   chan struct{}

	mu     sync.Mutex // guards the fields below
	conns  map[net.Conn]bool
	refuse bool
}

// Open opens a link to a server, HOST:PORT.
func Open(server string, opt Options) (*Link, error) {
	if opt.Listen == "" {
		opt.Listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", opt.Listen)
	if err != nil {
		return nil, err
	}
	l := &Link{
		server: server, fault: opt.Fault, listener: listener, closed: make(chan struct{}), conns: map[net.Conn]bool{},
		up: &wire{delay: opt.Delay, rate: opt.Rate}, down: &wire{delay: opt.Delay, rate: opt.Rate},
	}
	go l.accept()
	return l, nil
}

// Addr returns the address that the link listens on.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Close ends the link and all its connections.
func (l *Link) Close() {
	l.Refuse()
	close(l.closed)
}

// Refuse ends all connections and refuses new ones, like a server that has ended.
func (l *Link) Refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = true
	l.listener.Close()
	for c := range l.conns {
		reset(c)
	}
}

// reset ends a connection as if its other end had disappeared.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		var f Fault
		if l.fault != nil {
			f = l.fault()
		}
		go l.connect(client, f)
	}
}

// connect forwards a connection in both directions.
func (l *Link) connect(client net.Conn, f Fault) {
	there, err := net.Dial("tcp", l.server)
	if err != nil {
		client.Close()
		return
	}
	if !l.hold(client, there) {
		return
	}
	c := &connection{link: l, frozen: make(chan struct{})}
	up, down := &breaker{Fault: f, of: c}, &breaker{of: c}
	if f.Down {
		up, down = down, up
	}
	var both sync.WaitGroup
	both.Go(func() { l.up.carry(there, client, up) })
	both.Go(func() { l.down.carry(client, there, down) })
	both.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, client)
	delete(l.conns, there)
}

// hold registers connections for Refuse, or ends them if Refuse was called.
func (l *Link) hold(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.refuse {
			reset(c)
		} else {
			l.conns[c] = true
		}
	}
	return !l.refuse
}

// A wire carries bytes in one direction.
type wire struct {
	delay time.Duration
	rate  float64

	mu   sync.Mutex
	free time.Time // when the last sent bytes have left
}

// due returns the arrival time of bytes sent now.
func (w *wire) due(n int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.free.Before(now) {
		w.free = now
	}
	if w.rate > 0 {
		w.free = w.free.Add(time.Duration(float64(n) / w.rate * float64(time.Second)))
	}
	return w.free.Add(w.delay)
}

type packet struct {
	data []byte
	due  time.Time
}

// carry forwards the bytes of one connection until it ends.
func (w *wire) carry(to io.WriteCloser, from io.Reader, b *breaker) {
	packets := make(chan packet, 1<<12) // as many bytes as a window of TCP holds
	go func() {
		defer close(packets)
		buffer := make([]byte, 16<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				packets <- packet{bytes.Clone(buffer[:n]), w.due(n)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		if !b.wait(p.due) {
			break
		}
		data, more := b.pass(p.data)
		if _, err := to.Write(data); err != nil || !more {
			break
		}
	}
	to.Close()
	for range packets { // so that the reader ends
	}
}
