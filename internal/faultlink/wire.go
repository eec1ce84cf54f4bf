package faultlink

import (
	"bytes"
	"io"
	"sync"
	"time"
)

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
