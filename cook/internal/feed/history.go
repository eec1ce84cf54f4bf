// Package feed sends the changes of a watcher to the programs that follow it.
//
// A [History] keeps the last batches, one for each round with changes, and answers at the
// watcher's socket (package peer). [Ask] asks there for the batches after a [Position]; the answer
// waits for the next batch. A follower that is too far behind, or comes from another watcher, must
// compare: anything may have changed, and the manifest is at least as new as the position in the
// answer.
package feed

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
)

// A Position is the last batch that a follower knows, in one history. The zero Position is for a
// new follower.
type Position struct {
	Teller string `json:"teller"`
	Number int64  `json:"number"`
}

// Bounds of a History. An answer with all batches is one payload of package peer.
const (
	mostBatches   = 256
	mostBytes     = 768 << 10
	mostFollowers = 64
)

// A History keeps the last batches, as bytes.
type History struct {
	mu        sync.Mutex
	teller    string
	number    int64 // of the last batch
	batches   [][]byte
	size      int // of batches
	more      chan struct{}
	followers int
}

// NewHistory returns a history without batches.
func NewHistory() *History {
	return &History{teller: rand.Text(), more: make(chan struct{})}
}

// Add appends a batch. For a batch that is too large, it calls Lost.
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
	h.nextMessage()
}

// Lost forgets all batches, so that followers must compare.
func (h *History) Lost() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.batches, h.size = nil, 0
	h.nextMessage()
}

func (h *History) nextMessage() {
	h.number++
	close(h.more)
	h.more = make(chan struct{})
}

// Now returns the latest position.
func (h *History) Now() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Position{h.teller, h.number}
}

// ErrBusy says that a history has the maximum of followers.
var ErrBusy = errors.New("there are too many followers")

// After waits for batches after a position and returns them. It returns none if the history has
// lost some of them, so the follower must compare. The error is the error of ctx, or ErrBusy.
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
