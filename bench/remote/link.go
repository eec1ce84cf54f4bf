package main

import (
	"io"
	"net"
	"sync"
	"time"
)

// proxy listens on loopback, and passes what comes on to a server, late and slowly. It returns
// the address. All connections share the rate, one for each direction; 0 is no limit.
func proxy(server string, delay time.Duration, bytesPerSecond float64) (string, error) {
	if delay == 0 && bytesPerSecond == 0 {
		return server, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	up, down := &wire{delay: delay, rate: bytesPerSecond}, &wire{delay: delay, rate: bytesPerSecond}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				there, err := net.Dial("tcp", server)
				if err != nil {
					client.Close()
					return
				}
				go up.carry(there, client)
				down.carry(client, there)
			}()
		}
	}()
	return listener.Addr().String(), nil
}

// A wire carries bytes in one direction.
type wire struct {
	delay time.Duration
	rate  float64

	mu   sync.Mutex
	free time.Time // when what was sent last has left
}

// due returns when bytes that are sent now arrive.
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

// carry passes on what one connection sends until it ends.
func (w *wire) carry(to io.WriteCloser, from io.Reader) {
	packets := make(chan packet, 1<<12) // as many bytes as a window of TCP holds
	go func() {
		defer close(packets)
		for {
			data := make([]byte, 16<<10)
			n, err := from.Read(data)
			if n > 0 {
				packets <- packet{data[:n], w.due(n)}
			}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			break
		}
	}
	to.Close()
	for range packets { // so that the reader ends
	}
}
