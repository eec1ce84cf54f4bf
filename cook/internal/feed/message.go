package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/internal/peer"
	"github.com/assetcook/assetcook/hashing"
)

// A Change is an artifact that has another content than before, or is none any more.
// Names are bytes, since not all are UTF-8.
type Change struct {
	Path    []byte    `json:"path"`
	Blob    []byte    `json:"blob,omitempty"` // none of what was removed
	Removed bool      `json:"removed,omitempty"`
	Source  []byte    `json:"source"`
	Target  string    `json:"target,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	Saved   time.Time `json:"saved,omitzero"`
}

// Encode encodes a batch of a watcher.
func Encode(batch []Change) []byte {
	text, _ := json.Marshal(batch)
	return text
}

// An Answer is what came after a position.
type Answer struct {
	Position // that the follower has now
	// Compare says that anything may have changed.
	Compare bool `json:"compare,omitempty"`
	// Batches are in order; the last one has the number of Position.
	Batches [][]Change `json:"batches,omitempty"`
}

// prefix begins the questions of followers.
const prefix = "changes 1 "

// Asks reports whether a question is one of followers.
func Asks(question []byte) bool { return bytes.HasPrefix(question, []byte(prefix)) }

// Reply answers a question for which Asks holds, once there is something to tell. settle
// returns when the manifest has all that was added: only then can a follower compare.
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

// ErrNoAnswer says that what serves did not answer as a watcher does that has room for
// another follower.
var ErrNoAnswer = errors.New("the watching cook does not say what it changes")

// Ask waits for what the watcher that serves in a state folder tells after a position.
// Errors are those of [peer.Ask], and ErrNoAnswer.
func Ask(ctx context.Context, dir string, from Position) (Answer, error) {
	question, err := json.Marshal(from)
	if err != nil {
		return Answer{}, err
	}
	text, err := peer.Ask(ctx, dir, append([]byte(prefix), question...))
	if err != nil {
		return Answer{}, err
	}
	return parse(text, from)
}

// parse reads an answer, which may come from anything that runs as the same user.
func parse(text []byte, from Position) (a Answer, err error) {
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
				return Answer{}, fmt.Errorf("%w: bad change of %.100q", ErrNoAnswer, c.Path)
			}
		}
	}
	return a, nil
}
