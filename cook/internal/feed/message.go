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

// A Change is an artifact with another content, or a removed one. Names are bytes, because some
// are not UTF-8.
type Change struct {
	Path    []byte    `json:"path"`
	Blob    []byte    `json:"blob,omitempty"` // empty if removed
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
	Position // after the answer
	// Compare says that anything may have changed.
	Compare bool `json:"compare,omitempty"`
	// Batches are in order; the last has the number of Position.
	Batches [][]Change `json:"batches,omitempty"`
}

// prefix begins each question of a follower.
const prefix = "changes 1 "

// Asks reports whether a question comes from a follower.
func Asks(question []byte) bool { return bytes.HasPrefix(question, []byte(prefix)) }

// Reply answers a question of a follower, once there are batches. settle returns when the manifest
// has all batches, because only then a follower can compare.
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

// ErrNoAnswer says that the process at the socket is no watcher, or has too many followers.
var ErrNoAnswer = errors.New("the watching cook does not say what it changes")

// Ask waits for the batches after a position from the watcher of a state directory. It returns the
// errors of [peer.Ask], and ErrNoAnswer.
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
				return Answer{}, fmt.Errorf("%w: bad change of %.100q", ErrNoAnswer, c.Path)
			}
		}
	}
	return a, nil
}
