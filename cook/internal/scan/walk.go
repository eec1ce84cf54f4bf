package scan

import (
	"context"
	"os"
	"runtime"
	"sync"
)

// folder is an open folder.
type folder interface {
	Readdirnames(n int) ([]string, error)
	lstat(name string) (Stamp, error)
	stat() (Stamp, error) // of the folder itself
	trusted() bool        // its stamp changes with its listing, as far as the file system goes
	Close() error
}

// openFunc opens the folder rel of root, with the system's separators. It is
// a parameter so that tests can make a folder fail where permission bits do
// not bite.
type openFunc func(root *os.Root, rel string) (folder, error)

// node is a folder of the tree: what the worker must know, and what it found.
type node struct {
	path    string      // as it appears, "" for the root
	real    string      // where it lies, "." for the root; differs from path below a link
	linked  bool        // reached by a link
	passing bool        // on the way to a folder of the errand, not to be listed
	ignore  *ignoreList // Defaults and those of the folders above, then with its own
	findings
}

// findings are what a worker finds out about a folder.
type findings struct {
	stamp    Stamp
	listed   bool      // to the end
	gone     bool      // when its turn came
	odd      bool      // for what was met in it, problems aside
	stats    int64     // calls of lstat
	entries  []Entry   // sorted
	configs  []Entry   // none or one
	ignores  []Entry   // none or one
	leftOut  []Entry   // by Defaults
	problems []Problem // of its entries, or of itself
	subs     []*node   // sorted as if each path ended in '/'
}

// walker hands folders to workers. The waiting ones form a stack, so that the
// walk goes deep before it goes wide and the stack stays short.
type walker struct {
	ctx     context.Context
	tree    resolver
	open    openFunc
	errand  *errand // nil for the whole tree
	room    int     // longest path below the root that the system can open
	devices devices
	listAll bool

	mu      sync.Mutex
	wake    *sync.Cond
	waiting []*node
	busy    int // workers that may still add to waiting
	stop    bool
}

func newWalker(ctx context.Context, tree resolver, open openFunc) *walker {
	w := &walker{ctx: ctx, tree: tree, open: open, room: maxPath() - len(tree.real) - 1}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// maxPath is the length in bytes of the longest path that can be opened.
// Longer ones can be listed step by step, but no tool could read them.
func maxPath() int {
	switch runtime.GOOS {
	case "windows":
		return 32766
	case "linux":
		return 4095
	}
	return 1023
}

// walk visits the tree, as far as the errand leads, and returns its root. What
// ignore says is weaker than any .cookignore. The root itself is visited before any worker starts, because its failure is the
// caller's.
func (w *walker) walk(workers int, ignore *ignoreList) (*node, error) {
	first := w.errand.first()
	if first == nil {
		return &node{passing: true}, nil
	}
	first.ignore = ignore
	if err := (&visitor{walker: w}).visit(first); err != nil {
		return nil, err
	}
	w.waiting = append(w.waiting, first.subs...)

	unhook := context.AfterFunc(w.ctx, func() {
		w.mu.Lock()
		w.stop = true
		w.mu.Unlock()
		w.wake.Broadcast()
	})
	defer unhook()
	var group sync.WaitGroup
	for range workers {
		group.Go(w.work)
	}
	group.Wait()
	return first, w.ctx.Err()
}

// work visits folders until none waits and no other worker can add one.
func (w *walker) work() {
	v := visitor{walker: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.waiting) == 0 && w.busy > 0 && !w.stop {
			w.wake.Wait()
		}
		if w.stop || len(w.waiting) == 0 || w.ctx.Err() != nil {
			return
		}
		last := len(w.waiting) - 1
		n := w.waiting[last]
		w.waiting[last] = nil
		w.waiting = w.waiting[:last]
		w.busy++
		w.mu.Unlock()

		err := v.visit(n)
		if err != nil && w.ctx.Err() == nil {
			v.fail(n, err)
		}

		w.mu.Lock()
		w.busy--
		w.waiting = append(w.waiting, n.subs...)
		if len(w.waiting) > 1 || w.busy == 0 {
			w.wake.Broadcast()
		}
	}
}
