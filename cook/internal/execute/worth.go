package execute

import (
	"sync"
	"time"
)

// worths are what it is worth to wait for results of others: as long as cooking takes. They
// are learnt from what was cooked, here or by others, by recipe and size of the source.
type worths struct {
	mu   sync.Mutex
	each map[string]worth
}

type worth struct {
	took  time.Duration
	bytes int64
}

// noteCookTime notes how long cooking an action took.
func (w *worths) noteCookTime(a planned, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.each == nil {
		w.each = map[string]worth{}
	}
	old := w.each[a.Method.Recipe.Name]
	w.each[a.Method.Recipe.Name] = worth{old.took + took, old.bytes + sizeOf(a)}
}

// sizeOf is more than 0 for empty sources, which take time as well.
func sizeOf(a planned) int64 {
	if a.Source == nil {
		return 1
	}
	return a.Source.Stamp.Size + 1
}

// worthOf returns how long cooking an action probably takes, 0 if nothing is known.
func (w *worths) worthOf(a planned) time.Duration {
	if a.Last != nil && a.Last.CookTime > 0 {
		return a.Last.CookTime
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known, ok := w.each[a.Method.Recipe.Name]
	if !ok {
		return 0
	}
	return time.Duration(float64(known.took) / float64(known.bytes) * float64(sizeOf(a)))
}
