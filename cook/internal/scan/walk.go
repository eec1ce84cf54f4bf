package scan

import (
	"context"
	"os"
	"runtime"
	"sync"
)

// folder is an open directory.
type folder interface {
	Readdirnames(n int) ([]string, error)
	lstat(name string) (Stamp, error)
	stat() (Stamp, error) // returns the stamp of this directory
	trusted() bool        // whether an unchanged stamp proves an unchanged listing
	Close() error
}

// openFunc opens the directory rel of root. rel has the separators of the system. Tests use it to
// make directories fail.
type openFunc func(root *os.Root, rel string) (folder, error)

// node is a directory of the tree, with its findings.
type node struct {
	path     string      // path in the tree; "" for the root
	real     string      // real path; "." for the root
	linked   bool        // set if the directory was reached by a link
	passing  bool        // set if the walk only passes through the directory, without listing it
	ignore   *ignoreList // patterns of Defaults, and of the .cookignore files in the directory and above
	findings findings
}

// findings are what a worker has found in a directory.
type findings struct {
	stamp    Stamp
	listed   bool  // set if the listing is complete
	gone     bool  // set if the directory has disappeared
	odd      bool  // set if an entry makes the stamp unreliable
	stats    int64 // number of lstat calls
	entries  []Entry
	configs  []Entry   // the cook.toml of the directory, if any
	ignores  []Entry   // .cookignore, and files whose content determines whether they are assets
	leftOut  []Entry   // files and directories that Defaults excludes
	problems []Problem // problems of the directory or its entries
	subs     []*node   // subdirectories, sorted as if each path ended in '/'
}

// walker distributes directories to workers. Waiting directories form a stack, so that the walk is
// depth-first and few directories wait.
type walker struct {
	ctx     context.Context
	tree    resolver
	open    openFunc
	errand  *errand // nil for the whole tree
	room    int     // length of the longest path below the root that can be opened
	devices devices
	opt     Options

	mu      sync.Mutex
	wake    *sync.Cond
	waiting []*node
	busy    int // number of workers that may add to waiting
	stop    bool
}

func newWalker(ctx context.Context, tree resolver, open openFunc) *walker {
	w := &walker{ctx: ctx, tree: tree, open: open, room: maxPath() - len(tree.real) - 1}
	w.wake = sync.NewCond(&w.mu)
	return w
}

// maxPath returns the length in bytes of the longest path that the system can open. Tools could not
// read files with longer paths.
func maxPath() int {
	switch runtime.GOOS {
	case "windows":
		return 32766
	case "linux":
		return 4095
	}
	return 1023
}

// walkTree visits the directories of the errand, and returns the root of the tree. Each .cookignore
// overrides the patterns in ignore. The root is visited first, so that its error can be returned.
func (w *walker) walkTree(workers int, ignore *ignoreList) (*node, error) {
	first := w.errand.rootNode()
	if first == nil {
		return &node{passing: true}, nil
	}
	first.ignore = ignore
	if err := (&visitor{walker: w}).visit(first); err != nil {
		return nil, err
	}
	w.waiting = append(w.waiting, first.findings.subs...)

	unhook := context.AfterFunc(w.ctx, func() {
		w.mu.Lock()
		w.stop = true
		w.mu.Unlock()
		w.wake.Broadcast()
	})
	defer unhook()
	var group sync.WaitGroup
	for range workers {
		group.Go(w.visitWaiting)
	}
	group.Wait()
	return first, w.ctx.Err()
}

// visitWaiting visits directories until none is waiting and no worker can add one.
func (w *walker) visitWaiting() {
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
			v.recordFailure(n, err)
		}

		w.mu.Lock()
		w.busy--
		w.waiting = append(w.waiting, n.findings.subs...)
		if len(w.waiting) > 1 || w.busy == 0 {
			w.wake.Broadcast()
		}
	}
}
