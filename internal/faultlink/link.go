// Package faultlink simulates a bad network between clients and a server: late, slow, or faulty.
//
// A [Link] listens on this machine and forwards connections to a server. All connections share its
// latency and rate; a [Fault] affects one connection, and is drawn when the connection begins.
package faultlink

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
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
	go l.acceptConnections()
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
		resetConnection(c)
	}
}

// resetConnection ends a connection as if its other end had disappeared.
func resetConnection(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	c.Close()
}

func (l *Link) acceptConnections() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		var f Fault
		if l.fault != nil {
			f = l.fault()
		}
		go l.connectPair(client, f)
	}
}

// connectPair forwards a connection in both directions.
func (l *Link) connectPair(client net.Conn, f Fault) {
	there, err := net.Dial("tcp", l.server)
	if err != nil {
		client.Close()
		return
	}
	if !l.holdTransfer(client, there) {
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

// holdTransfer registers connections for Refuse, or ends them if Refuse was called.
func (l *Link) holdTransfer(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.refuse {
			resetConnection(c)
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

// dueTime returns the arrival time of bytes sent now.
func (w *wire) dueTime(n int) time.Time {
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
				packets <- packet{bytes.Clone(buffer[:n]), w.dueTime(n)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		if !b.waitForBreak(p.due) {
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

// A Kind is a kind of failure of a connection.
type Kind uint8

const (
	Nothing   Kind = iota
	Refusal        // this and all later connections are refused
	Freeze         // no more bytes pass, in either direction
	Cut            // the connection ends, in both directions
	Corrupt        // bytes are changed
	Duplicate      // bytes arrive twice
)

// A Fault happens to one connection.
type Fault struct {
	Kind Kind
	// Down applies the fault to the server's bytes, not the client's.
	Down bool
	// At is how many bytes pass in that direction before the fault.
	At int64
	// Size is the most bytes that are changed or duplicated.
	Size int
	// Mask has the bits that are changed in each byte.
	Mask byte
}

// A connection is a connection through a link.
type connection struct {
	link   *Link
	freeze sync.Once
	frozen chan struct{} // closed when no more bytes pass
}

// A breaker applies a fault to the bytes of one direction.
type breaker struct {
	Fault
	of     *connection
	passed int64
}

// waitForBreak waits until a time, and reports whether bytes may pass then.
func (b *breaker) waitForBreak(until time.Time) bool {
	if d := time.Until(until); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-b.of.link.closed:
			return false
		}
	}
	select {
	case <-b.of.frozen:
		<-b.of.link.closed
		return false
	default:
		return true
	}
}

// pass returns the bytes that arrive for data, and whether more may follow.
func (b *breaker) pass(data []byte) (arrives []byte, more bool) {
	n := int64(len(data))
	defer func() { b.passed += n }()
	if b.Kind == Nothing || b.At >= b.passed+n {
		return data, true
	}
	at := b.At - b.passed
	end := min(at+int64(b.Size), n)
	kind := b.Kind
	b.Kind = Nothing
	switch kind {
	case Refusal:
		b.of.link.Refuse()
		return nil, false
	case Cut:
		return data[:at], false
	case Freeze:
		b.of.freeze.Do(func() { close(b.of.frozen) })
		return data[:at], true
	case Corrupt:
		for i := at; i < end; i++ {
			data[i] ^= b.Mask
		}
		return data, true
	case Duplicate:
		return slices.Concat(data[:end], data[at:]), true
	}
	return data, true
}

// Kinds returns the kinds of bad links that [Draw] accepts.
func Kinds() []string {
	return []string{"refused", "frozen", "slow", "cut", "corrupt", "duplicated"}
}

// Draw returns random options of a link of the given bad kind. draw returns a random number below
// n. Some connections of the link may be good.
func Draw(kind string, draw func(n int) int) (opt Options) {
	// All magnitudes are equally likely.
	upTo := func(most float64) float64 { return math.Exp(math.Log(most+1)*float64(draw(1<<20))/(1<<20)) - 1 }
	if kind == "slow" {
		opt.Delay = time.Duration(upTo(float64(400 * time.Millisecond)))
		opt.Rate = 2_000 + upTo(10e6)
		return opt
	}
	kinds := map[string]Kind{"refused": Refusal, "frozen": Freeze, "cut": Cut, "corrupt": Corrupt, "duplicated": Duplicate}
	happens, ok := kinds[kind]
	if !ok {
		panic(fmt.Sprintf("unknown kind %q of link", kind))
	}
	often := 1 + draw(3) // one in this many connections is bad
	opt.Fault = func() Fault {
		if draw(often) > 0 {
			return Fault{}
		}
		return Fault{
			Kind: happens, Down: draw(2) == 0, At: int64(upTo(2 << 20)), Size: 1 + int(upTo(4000)), Mask: byte(1 << draw(8)),
		}
	}
	return opt
}
