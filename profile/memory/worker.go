package memory

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/intern"
)

// Worker allocates under a name and a stack of scopes. A nil *Worker has no name and no scopes.
// Only one goroutine at a time may use a Worker.
type Worker struct {
	tracker *Tracker
	frames  []frame // stack of scopes; the first frame is the worker itself
	key     []byte  // buffer for stackKey
}

// A frame is a scope that was pushed and not popped.
type frame struct {
	stack  intern.Symbol
	recent [4]*site // recently used sites by pool number, for four pools
}

// Worker returns a new worker without scopes. Workers with the same name share their rows, so
// short-lived workers of one kind should have the same name.
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

// Push enters a scope, such as the current asset or stage, inside the current one. It returns w,
// for use in a defer statement:
//
//	defer w.Push("decode").Pop()
//
// A name with semicolons stands for several scopes, which one Pop leaves together.
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

// Pop leaves the current scope. It panics if there is no scope.
func (w *Worker) Pop() {
	if w == nil {
		return
	}
	if len(w.frames) == 1 {
		panic("memory: pop: no scope is open; call Push first")
	}
	w.frames = w.frames[:len(w.frames)-1]
}

// noWorker is the stack of allocations without a worker. A worker without name and scopes has the
// same stack. [New] interns this stack first, so its symbol is 1.
const noWorker intern.Symbol = 1

// enter returns the symbol of the stack with name inside outer. If the table is full, it returns
// outer.
func (w *Worker) enter(outer intern.Symbol, name string) intern.Symbol {
	w.key = stackKey(w.key[:0], outer, name)
	inner, err := w.tracker.stacks.InternBytes(w.key)
	if err != nil {
		w.tracker.coarse.Add(1)
		return outer
	}
	return inner
}

// stackKey appends the interning key of a stack. The key consists of the symbol of the stack
// without its innermost scope, and the name of that scope. For the bottom of a stack, which is the
// worker, the first symbol is 0.
func stackKey(to []byte, outer intern.Symbol, name string) []byte {
	return append(binary.LittleEndian.AppendUint32(to, uint32(outer)), name...)
}

// names returns the names of the worker and the scopes of a stack.
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
