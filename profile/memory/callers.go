package memory

import (
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
)

// callers numbers the call sites that allocate. If it is nil, call sites have no names.
type callers struct {
	mu      sync.RWMutex
	numbers map[[2]uintptr]uint32 // numbers of call sites; a key has the program counters of the site and of its caller
	byName  map[string]uint32
	names   []string // names such as "decode.go:42", by number; number 0 is empty
}

func newCallers() *callers {
	return &callers{numbers: map[[2]uintptr]uint32{}, byName: map[string]uint32{}, names: []string{""}}
}

// here returns the number of a call site. The parameter says how many calls up the stack it is: 1
// means the caller of here.
func (c *callers) here(above int) uint32 {
	// A single program counter could not distinguish an inlined function from the functions around
	// it.
	var at [2]uintptr
	runtime.Callers(above+1, at[:])
	c.mu.RLock()
	n, ok := c.numbers[at]
	c.mu.RUnlock()
	if ok {
		return n
	}
	frame, _ := runtime.CallersFrames(at[:]).Next()
	name := filepath.Base(filepath.Dir(frame.File)) + "/" + filepath.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok = c.byName[name]
	if !ok {
		n = uint32(len(c.names))
		c.byName[name] = n
		c.names = append(c.names, name)
	}
	c.numbers[at] = n
	return n
}

func (c *callers) name(n uint32) string {
	if c == nil {
		return ""
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.names[n]
}

// footprint returns the approximate number of bytes that the names take.
func (c *callers) footprint() int64 {
	if c == nil {
		return 0
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return int64(len(c.numbers)*40 + len(c.names)*100)
}
