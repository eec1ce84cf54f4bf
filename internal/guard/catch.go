package guard

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Fault is the error of a read or write of memory that did not allow it.
type Fault struct {
	Addr uintptr // as the processor gave it: with wide loads not always the first bad byte
}

func (f *Fault) Error() string { return fmt.Sprintf("guard: memory fault at address %#x", f.Addr) }

// Catch calls f and returns the memory fault that ended it as a *[Fault], nil
// if there was none. Other panics, nil pointers among them, pass through. A
// fault in a goroutine that f starts ends the program all the same.
func Catch(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if addr, ok := FaultAddr(p); ok {
			err = &Fault{Addr: addr}
		} else if p != nil {
			panic(p)
		}
	}()
	f()
	return nil
}

// FaultAddr returns the address of a memory fault that was recovered from, and whether it
// is one.
func FaultAddr(recovered any) (addr uintptr, ok bool) {
	fault, ok := recovered.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return 0, false
	}
	return fault.Addr(), true
}
