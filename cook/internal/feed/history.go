// Package feed sends the changes of a watcher to the programs that follow it.
//
// A [History] keeps the last batches, one for each round with changes, and answers requests at the
// watcher's socket (package peer). [Ask] requests the batches after a [Position]; if there are none
// yet, the answer waits for the next batch. A follower that is too far behind, or whose position
// comes from another watcher, must compare the manifest: anything may have changed, and the
// manifest is at least as new as the position in the answer.
package feed

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/hashing"
)

// A Position is the last batch that a follower knows, in one history. The zero Position is for a
// new follower.
type Position struct {
	Teller string `json:"teller"`
	Number int64  `json:"number"`
}

// Limits of a History. An answer with all batches must fit into one payload of package peer.
const (
	mostBatches   = 256
	mostBytes     = 768 << 10
	mostFollowers = 64
)

// A History keeps the last batches in encoded form.
type History struct {
	mu        sync.Mutex
	teller    string
	number    int64
	batches   [][]byte
	size      int // total size of batches
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

// Now returns the position of the latest batch.
func (h *History) Now() Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Position{h.teller, h.number}
}

// ErrBusy reports that a history has reached its maximum number of followers.
var ErrBusy = errors.New("too many programs follow this cook; close one of them")

// After waits for batches after a position and returns them. It returns no batches if the history
// has lost some of them; the follower must then compare. The error is the error of ctx, or ErrBusy.
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

// A Change is an artifact that was changed or removed. Names are byte slices, because some are not
// valid UTF-8.
type Change struct {
	Path    []byte    `json:"path"`
	Blob    []byte    `json:"blob,omitempty"` // empty if the artifact was removed
	Removed bool      `json:"removed,omitempty"`
	Source  []byte    `json:"source"`
	Target  string    `json:"target,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Saved   time.Time `json:"saved,omitzero"`
}

// Encode encodes a batch.
func Encode(batch []Change) []byte {
	text, _ := json.Marshal(batch)
	return text
}

// An Answer has the batches after a position.
type Answer struct {
	Position // position of the last batch in the answer
	// Compare is set if anything may have changed.
	Compare bool `json:"compare,omitempty"`
	// Batches are in order. The last batch has the number in Position.
	Batches [][]Change `json:"batches,omitempty"`
}

// prefix begins each request of a follower.
const prefix = "changes 1 "

// Asks reports whether a request comes from a follower.
func Asks(question []byte) bool { return bytes.HasPrefix(question, []byte(prefix)) }

// Reply answers the request of a follower as soon as there are batches. Before it answers, it calls
// settle, which must wait until the manifest includes all batches.
func Reply(ctx context.Context, h *History, question []byte, settle func()) []byte {
	var from Position
	if json.Unmarshal(question[len(prefix):], &from) != nil {
		return nil
	}
	now, batches, err := h.After(ctx, from)
	if err != nil {
		return nil
	}
	var answer struct {
		Position
		Compare bool              `json:"compare,omitempty"`
		Batches []json.RawMessage `json:"batches,omitempty"`
	}
	answer.Position, answer.Compare = now, len(batches) == 0
	for _, b := range batches {
		answer.Batches = append(answer.Batches, b)
	}
	if answer.Compare {
		settle()
	}
	text, _ := json.Marshal(answer)
	return text
}

// ErrNoAnswer reports that the process at the socket is not a watcher, or has too many followers.
var ErrNoAnswer = errors.New("the watching cook does not send changes; close other programs that follow it")

// Ask requests the batches after a position from the watcher of a state directory, and waits for
// them. It returns the errors of [peer.Ask], and ErrNoAnswer.
func Ask(ctx context.Context, dir string, from Position) (Answer, error) {
	question, err := json.Marshal(from)
	if err != nil {
		return Answer{}, err
	}
	text, err := peer.Ask(ctx, dir, append([]byte(prefix), question...))
	if err != nil {
		return Answer{}, err
	}
	return parseFeedLine(text, from)
}

// parseFeedLine parses an answer, which may come from any program of the same user.
func parseFeedLine(text []byte, from Position) (a Answer, err error) {
	if err := json.Unmarshal(text, &a); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	if a.Compare && a.Teller != "" && len(a.Batches) == 0 {
		return a, nil
	}
	if a.Compare || a.Teller == "" || a.Teller != from.Teller || len(a.Batches) == 0 || a.Number-from.Number != int64(len(a.Batches)) {
		return Answer{}, ErrNoAnswer
	}
	for _, batch := range a.Batches {
		for i := range batch {
			if c := &batch[i]; !filepath.IsLocal(string(c.Path)) || !c.Removed && len(c.Blob) != len(hashing.Digest{}) {
				return Answer{}, fmt.Errorf("%w: the change of %.100q is invalid", ErrNoAnswer, c.Path)
			}
		}
	}
	return a, nil
}
