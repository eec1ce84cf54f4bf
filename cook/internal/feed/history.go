package feed

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
)

// A Position is how far a follower has come: the number of a batch of one history. The
// zero Position is that of a follower that has been told nothing.
type Position struct {
	Teller string `json:"teller"`
	Number int64  `json:"number"`
}

// What a History keeps, and whom it serves. An answer with all of it is one payload of
// package peer.
const (
	mostBatches   = 256
	mostBytes     = 768 << 10
	mostFollowers = 64
)

// A History is the last batches that were told, as bytes.
type History struct {
	mu        sync.Mutex
	teller    string
	number    int64    // of the last batch
	batches   [][]byte // the last ones
	size      int      // of batches
	more      chan struct{}
	followers int
}

// NewHistory returns a history without batches.
func NewHistory() *History {
	return &History{teller: rand.Text(), more: make(chan struct{})}
}

// Add appends a batch. One that is too large becomes Lost.
func (h *History) Add(batch []byte) {
	if len(batch) > mostBytes {
		h.Lost()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.batches, h.size = append(h.batches, batch), h.size+len(batch)
	drop := 0
	for ; h.size > mostBytes || len(h.batches)-drop > mostBatches; drop++ {
		h.size -= len(h.batches[drop])
	}
	h.batches = slices.Clone(h.batches[drop:])
	h.next()
}

// Lost says that followers must compare.
func (h *History) Lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.batches, h.size = nil, 0
	h.next()
}

func (h *History) next() {
	h.number++
	close(h.more)
	h.more = make(chan struct{})
}

// Now returns the position of a follower that knows everything.
func (h *History) Now() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Position{h.teller, h.number}
}

// ErrBusy says that a history has as many followers as it takes.
var ErrBusy = errors.New("there are too many followers")

// After waits until there is something after a position, and returns what: nothing if
// the history does not reach back so far, so that the follower must compare. The error is
// that of ctx, or ErrBusy.
func (h *History) After(ctx context.Context, from Position) (now Position, batches [][]byte, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.followers == mostFollowers {
		return Position{}, nil, ErrBusy
	}
	h.followers++
	defer func() { h.followers-- }()
	for from.Teller == h.teller && from.Number == h.number {
		more := h.more
		h.mu.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
		}
		h.mu.Lock()
		if ctx.Err() != nil {
			return Position{}, nil, ctx.Err()
		}
	}
	behind := h.number - from.Number
	if from.Teller == h.teller && behind > 0 && behind <= int64(len(h.batches)) {
		batches = slices.Clone(h.batches[int64(len(h.batches))-behind:])
	}
	return Position{h.teller, h.number}, batches, nil
}
