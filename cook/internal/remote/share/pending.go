package share

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/busyfile"
)

// maxPending limits the keys that wait for a later run.
const maxPending = 100_000

// leave adds keys to the file of uploads for a later run. Losing them costs a miss.
func (s *sharer) leave(keys []kept) {
	if len(keys) == 0 || s.Pending == "" {
		return
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	for _, k := range keys[:min(maxPending, len(keys))] {
		e.Encode(k)
	}
	err := os.MkdirAll(filepath.Dir(s.Pending), 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(s.Pending, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
			_, err = f.Write(lines.Bytes())
			f.Close()
		}
	}
	if err != nil {
		s.noteOnce("pending", fmt.Errorf("%d results that are still to be uploaded: %w", len(keys), err))
	}
}

// takePending takes the keys of earlier runs, once. It skips incomplete lines.
func (s *sharer) takePending() (keys []kept) {
	s.mu.Lock()
	again := s.resumed
	s.resumed = true
	s.mu.Unlock()
	if again || s.Pending == "" {
		return nil
	}
	mine := fmt.Sprintf("%s-%d", s.Pending, os.Getpid()) // another run may take the file too
	if busyfile.Rename(s.Pending, mine) != nil {
		return nil
	}
	defer busyfile.Remove(mine)
	data, err := os.ReadFile(mine)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var k kept
		if json.Unmarshal(line, &k) == nil && len(keys) < maxPending {
			keys = append(keys, k)
		}
	}
	return keys
}

// actions returns the number of different actions of keys.
func actions(keys []kept) int {
	seen := map[store.ActionID]bool{}
	for _, k := range keys {
		seen[k.Action] = true
	}
	return len(seen)
}
