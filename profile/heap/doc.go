// Package heap reads the heap profile of the running Go program: for each call stack that allocates,
// the bytes and objects in use, and all bytes and objects allocated since the program started. It
// finds growth in ordinary Go memory, such as a slice that a function only ever appends to.
//
//	runtime.GC()
//	before := heap.Read()
//	// ...
//	runtime.GC()
//	grown := heap.Read().Sub(before) // the stack that grew most is first
//
// Package memory, in contrast, records every allocation of its own pools, under names that the
// program chooses.
//
// # Accuracy
//
// A profile is a sample. The runtime records one allocation in 512 KiB on average
// ([runtime.MemProfileRate]), and [Read] scales the figures as pprof does. A stack with much more
// than 512 KiB is shown to within some percent; one object of a few bytes is usually missing. With
// a rate of 1, the figures are exact.
//
// A profile describes the heap at the latest complete garbage collection. It lags behind the
// program by up to two collections, because allocations count only when it is known which of their
// objects survived. After [runtime.GC] it describes the heap at the start of that collection, so
// garbage is left out. Objects with a finalizer stay for one more collection.
//
// Stacks have at most 32 frames, the innermost ones. Stacks of equal functions and lines are one
// stack. Frames of the runtime above the allocating function are left out.
//
// # Cost
//
// The runtime samples allocations only in programs that contain [runtime.MemProfile], so in
// programs that refer to Read. Reading a profile takes some microseconds for each stack, and does
// not stop the program.
package heap
