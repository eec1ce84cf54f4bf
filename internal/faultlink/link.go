// Package faultlink simulates a slow or faulty network between clients and a server.
//
// A [Link] listens on this machine and forwards connections to a server. All connections share its
// latency and rate. A [Fault] affects one connection, and is selected when the connection is
// opened.
package faultlink

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// Options describe the quality of a link. The zero value simulates a perfect link.
type Options struct {
	// Listen is the address to listen on; "" means a free port on the loopback interface.
	Listen string
	// Delay is the one-way latency.
	Delay time.Duration
	// Jitter is the maximum random addition to Delay, for each packet. Bytes stay in order.
	Jitter time.Duration
	// SlowStart limits the bytes in flight of each connection, as TCP does after a pause.
	SlowStart bool
	// Rate is the number of bytes per second in each direction, shared by all connections; 0 means
	// no limit.
	Rate float64
	// Fault returns the fault of the next connection; nil means no faults. Calls are never
	// concurrent.
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

// Open opens a link to a server at HOST:PORT.
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
		up: newWire(&opt), down: newWire(&opt),
	}
	go l.acceptConnections()
	return l, nil
}

// Addr returns the link's listening address.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Close closes the link and all its connections.
func (l *Link) Close() {
	l.Refuse()
	close(l.closed)
}

// Refuse closes all connections and refuses new ones, as if the server had exited.
func (l *Link) Refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = true
	l.listener.Close()
	for c := range l.conns {
		resetConnection(c)
	}
}

// resetConnection closes a connection with a reset instead of an orderly end.
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

// holdTransfer registers connections for Refuse, or closes them if Refuse was called before.
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

// A wire transmits bytes in one direction.
type wire struct {
	delay     time.Duration
	jitter    time.Duration
	rate      float64
	slowStart bool

	mu   sync.Mutex
	free time.Time // end of the transmission of all earlier bytes
}

func newWire(opt *Options) *wire {
	return &wire{delay: opt.Delay, jitter: opt.Jitter, rate: opt.Rate, slowStart: opt.SlowStart}
}

// latency returns the latency of the next packet.
func (w *wire) latency() time.Duration {
	if w.jitter <= 0 {
		return w.delay
	}
	return w.delay + rand.N(w.jitter)
}

// dueTime returns the arrival time of n bytes that are sent now.
func (w *wire) dueTime(n int) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.free.Before(now) {
		w.free = now
	}
	if w.rate > 0 {
		w.free = w.free.Add(time.Duration(float64(n) / w.rate * float64(time.Second)))
	}
	return w.free.Add(w.latency())
}

type packet struct {
	data []byte
	due  time.Time
}

// waitForWindow waits until a connection may send, and returns how many bytes, up to most.
func (w *wire) waitForWindow(flight *window, most int) int {
	for w.slowStart {
		n, next := flight.allowed(time.Now())
		if n > 0 {
			return min(n, most)
		}
		time.Sleep(time.Until(next))
	}
	return most
}

// carry forwards the bytes of one connection until it ends.
func (w *wire) carry(to io.WriteCloser, from io.Reader, b *breaker) {
	packets := make(chan packet, 1<<12) // capacity for the bytes of a TCP window
	go func() {
		defer close(packets)
		buffer := make([]byte, 16<<10)
		var flight window
		if w.slowStart {
			flight = newWindow()
		}
		for {
			n, err := from.Read(buffer[:w.waitForWindow(&flight, len(buffer))])
			if n > 0 {
				due := w.dueTime(n)
				packets <- packet{bytes.Clone(buffer[:n]), due}
				if w.slowStart {
					flight.sent(time.Now(), due.Add(w.latency()), n)
				}
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
	for range packets { // drain the channel, so that the reading goroutine can exit
	}
}

// A Kind is a kind of connection fault.
type Kind uint8

const (
	Nothing   Kind = iota
	Refusal        // refuses this connection and all later ones
	Freeze         // stops forwarding, but keeps the connection open
	Cut            // closes the connection
	Corrupt        // changes bytes
	Duplicate      // sends bytes twice
)

// A Fault affects one connection.
type Fault struct {
	Kind Kind
	// Down selects the direction: from the server to the client if set, otherwise from the client
	// to the server.
	Down bool
	// At is the number of bytes forwarded in that direction before the fault.
	At int64
	// Size is the maximum number of bytes that are changed or duplicated.
	Size int
	// Mask selects the bits that are flipped in each byte.
	Mask byte
}

// A connection is a connection through a link.
type connection struct {
	link   *Link
	freeze sync.Once
	frozen chan struct{} // closed when forwarding stops
}

// A breaker applies a fault to the bytes of one direction.
type breaker struct {
	Fault
	of     *connection
	passed int64
}

// waitForBreak waits until the given time, and reports whether bytes may be forwarded then.
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

// pass applies the fault to data. It returns the bytes to forward, and whether more bytes may
// follow.
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

// Kinds returns the kinds of faulty links that [Draw] accepts.
func Kinds() []string {
	return []string{"refused", "frozen", "slow", "cut", "corrupt", "duplicated"}
}

// Draw returns random options for a link of the given kind. draw must return a random number below
// n. Some connections of the link may have no fault.
func Draw(kind string, draw func(n int) int) (opt Options) {
	// The logarithm of the result is uniformly distributed, so that all magnitudes are equally
	// likely.
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
	often := 1 + draw(3) // average number of connections per faulty connection
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
