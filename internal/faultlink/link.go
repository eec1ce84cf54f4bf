// Package faultlink carries connections to a server as a bad network does: late, slowly, or
// not as they were sent.
//
// A [Link] listens on this machine and passes on what comes to a server. Latency and rate are
// those of the link, whatever passes it; a [Fault] is of one connection, and is drawn when the
// connection begins.
package faultlink

import (
	"net"
	"sync"
	"time"
)

// Options say how a link carries. The zero value changes nothing.
type Options struct {
	// Listen is the address to listen on; "" is a free port of loopback.
	Listen string
	// Delay is how long bytes take, one way.
	Delay time.Duration
	// Rate is how many bytes pass in a second, which all connections share, for each
	// direction; 0 is no limit.
	Rate float64
	// Fault returns what happens to the next connection; nil lets nothing happen. It is not
	// called at the same time twice.
	Fault func() Fault
}

// A Link is a way to a server.
type Link struct {
	server   string
	fault    func() Fault
	listener net.Listener
	up, down *wire
	closed   chan struct{}

	mu     sync.Mutex // guards what follows
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

// Addr is the address that the link listens on.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Close ends the link and all its connections.
func (l *Link) Close() {
	l.Refuse()
	close(l.closed)
}

// Refuse ends all connections, and has others refused, as of a server that went away.
func (l *Link) Refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = true
	l.listener.Close()
	for c := range l.conns {
		reset(c)
	}
}

// reset ends a connection as one whose other end is gone.
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

// connect passes a connection on, and the answers to it back.
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

// hold notes connections that Refuse has to end, and ends them if it was called.
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
