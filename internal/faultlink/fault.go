package faultlink

import (
	"slices"
	"sync"
	"time"
)

// A Kind is what happens to a connection.
type Kind uint8

const (
	Nothing   Kind = iota
	Refusal        // it is reset, and so are all others; there will be no more
	Freeze         // nothing passes any more, in either direction
	Cut            // it ends, in both directions
	Corrupt        // bytes are changed
	Duplicate      // bytes come twice
)

// A Fault happens to one connection.
type Fault struct {
	Kind Kind
	// Down says that what the server sends is concerned, and not what it is sent.
	Down bool
	// At is how many bytes pass in that direction before it happens.
	At int64
	// Size is how many bytes are changed or come twice, at most.
	Size int
	// Mask has the bits that are changed in each of them.
	Mask byte
}

// A connection passes a link.
type connection struct {
	link   *Link
	freeze sync.Once
	frozen chan struct{} // closed when nothing passes any more
}

// A breaker has a fault happen to what passes in one direction.
type breaker struct {
	Fault
	of     *connection
	passed int64
}

// wait waits for a time, and reports whether something may pass then.
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

// pass returns what arrives of some bytes, and whether others may follow.
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
