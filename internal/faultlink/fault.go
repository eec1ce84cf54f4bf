package faultlink

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

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

// wait waits until a time, and reports whether bytes may pass then.
func (b *breaker) wait(until time.Time) bool {
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
