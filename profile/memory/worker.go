package memory

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/intern"
)

// Worker is one that allocates, with the stack of scopes it is in. A nil *Worker
// has neither name nor scopes. A Worker is used by one goroutine at a time.
type Worker struct {
	tracker *Tracker
	frames  []frame // never empty: the first is the worker itself
	key     []byte  // scratch
}

// A frame is a scope that was pushed and not popped.
type frame struct {
	stack  intern.Symbol
	recent [4]*site // by the number of the pool, so that four pools in turn find their rows
}

// Worker returns a new worker without scopes. Workers of one name share their rows,
// so that those who come and go may have the name of their kind.
func (t *Tracker) Worker(name string) *Worker {
	if t == nil {
		return nil
	}
	w := &Worker{tracker: t, frames: make([]frame, 1, 8)}
	if w.frames[0].stack = w.enter(0, name); w.frames[0].stack == 0 {
		w.frames[0].stack = noWorker
	}
	return w
}

// Push enters a scope, the asset or the stage that is being worked at, inside the
// present one. It returns w for
//
//	defer w.Push("decode").Pop()
//
// A name with semicolons stands for as many scopes, which one Pop leaves together.
func (w *Worker) Push(scope string) *Worker {
	if w == nil {
		return nil
	}
	stack := w.frames[len(w.frames)-1].stack
	for more := true; more; {
		var name string
		if name, scope, more = strings.Cut(scope, ";"); name != "" {
			stack = w.enter(stack, name)
		}
	}
	w.frames = append(w.frames, frame{stack: stack})
	return w
}

// Pop leaves the scope that was entered last. It panics if there is none.
func (w *Worker) Pop() {
	if w == nil {
		return
	}
	if len(w.frames) == 1 {
		panic("memory: pop: there was no push")
	}
	w.frames = w.frames[:len(w.frames)-1]
}

// noWorker is the stack of allocations without a worker, which is that of a worker without
// name and scopes. [New] adds it first.
const noWorker intern.Symbol = 1

// enter returns the stack of name inside outer; outer itself if there are too many
// to tell apart.
func (w *Worker) enter(outer intern.Symbol, name string) intern.Symbol {
	w.key = stackKey(w.key[:0], outer, name)
	inner, err := w.tracker.stacks.InternBytes(w.key)
	if err != nil {
		w.tracker.coarse.Add(1)
		return outer
	}
	return inner
}

// stackKey appends what the table of stacks knows a stack by: the stack of all but
// its innermost scope (0 for a worker, which is in nothing) and that scope's name.
func stackKey(to []byte, outer intern.Symbol, name string) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(outer)), name...)
}

// names returns what a stack was put together of.
func (t *Tracker) names(stack intern.Symbol) (worker, scope string) {
	var names []string
	for stack != 0 {
		key := t.stacks.String(stack)
		stack = intern.Symbol(binary.LittleEndian.Uint32([]byte(key[:4])))
		names = append(names, key[4:])
	}
	slices.Reverse(names)
	return names[0], strings.Join(names[1:], ";")
}
