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

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strings"
)

// A Profile holds the heap's memory by call stack, or the difference of two profiles. It belongs to
// the caller, and has a JSON form.
type Profile struct {
	// Rate is the average number of allocated bytes between two samples. Rate 1 means that every
	// allocation was recorded, and 0 that none was.
	Rate int `json:"rate"`

	Frames []Frame `json:"frames"` // distinct frames; Stack.Calls has their indexes
	Stacks []Stack `json:"stacks"` // most bytes in use first
}

// A Frame is a place in the program's source.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// A Stack is the memory that one call stack allocated.
type Stack struct {
	Calls []uint32 `json:"calls"` // indexes into Profile.Frames, the allocating function first

	InUseBytes       int64 `json:"inuse_bytes"`
	InUseObjects     int64 `json:"inuse_objects"`
	AllocatedBytes   int64 `json:"allocated_bytes"` // bytes since the start of the program, also of freed objects
	AllocatedObjects int64 `json:"allocated_objects"`
}

// Read returns the current profile, which may lag behind the program as the package comment
// describes.
func Read() *Profile {
	var records []runtime.MemProfileRecord
	for n, ok := runtime.MemProfile(nil, true); !ok; {
		records = make([]runtime.MemProfileRecord, n+n/8+64) // There is room for stacks that appear meanwhile.
		n, ok = runtime.MemProfile(records, true)
		records = records[:min(n, len(records))]
	}
	b := newStackTable(runtime.MemProfileRate)
	for i := range records {
		b.addRecord(&records[i])
	}
	return b.finish()
}

// Sub returns the changes since an earlier profile, for all stacks whose figures changed. The
// stacks that grew most are first. Of the memory that a stack allocated between the two profiles,
// the part AllocatedBytes-InUseBytes was freed, or replaces memory that was freed.
//
// Profiles of different programs can be compared, too. Their stacks match by function, file and
// line.
func (p *Profile) Sub(earlier *Profile) *Profile {
	b := newStackTable(p.Rate)
	for _, s := range p.Stacks {
		b.addStack(p, s, 1)
	}
	for _, s := range earlier.Stacks {
		b.addStack(earlier, s, -1)
	}
	return b.finish()
}

// A stackTable sums figures by call stack.
type stackTable struct {
	Profile
	numbers map[Frame]uint32
	places  map[uintptr]uint32 // frame numbers of program counters
	stacks  map[string]int     // index into Stacks, by key
	key     []byte
	calls   []uint32
}

func newStackTable(rate int) *stackTable {
	return &stackTable{
		Profile: Profile{Rate: rate, Frames: []Frame{}, Stacks: []Stack{}},
		numbers: map[Frame]uint32{}, places: map[uintptr]uint32{}, stacks: map[string]int{},
	}
}

func (b *stackTable) frameNumber(f Frame) uint32 {
	n, known := b.numbers[f]
	if !known {
		n = uint32(len(b.Frames))
		b.numbers[f] = n
		b.Frames = append(b.Frames, f)
	}
	return n
}

// stackOf returns the stack with the calls in b.calls.
func (b *stackTable) stackOf() *Stack {
	b.key = b.key[:0]
	for _, c := range b.calls {
		b.key = append(b.key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	i, known := b.stacks[string(b.key)]
	if !known {
		i = len(b.Stacks)
		b.stacks[string(b.key)] = i
		b.Stacks = append(b.Stacks, Stack{Calls: slices.Clone(b.calls)})
	}
	return &b.Stacks[i]
}

func (b *stackTable) addRecord(r *runtime.MemProfileRecord) {
	b.calls = b.calls[:0]
	for _, pc := range r.Stack() {
		b.calls = append(b.calls, b.frameAt(pc))
	}
	if last := len(b.calls) - 1; last > 0 && b.Frames[b.calls[last]].Function == "runtime.goexit" {
		b.calls = b.calls[:last] // It is the outermost frame of each goroutine.
	}
	// Like pprof, a stack begins with the function that called the runtime.
	if outer := slices.IndexFunc(b.calls, func(n uint32) bool { return !inRuntime(b.Frames[n].Function) }); outer > 0 {
		b.calls = slices.Delete(b.calls, 0, outer)
	}
	s := b.stackOf()
	objects, bytes := scaleSample(r.InUseObjects(), r.InUseBytes(), b.Rate)
	s.InUseObjects += objects
	s.InUseBytes += bytes
	objects, bytes = scaleSample(r.AllocObjects, r.AllocBytes, b.Rate)
	s.AllocatedObjects += objects
	s.AllocatedBytes += bytes
}

// frameAt returns the frame of a return address.
func (b *stackTable) frameAt(pc uintptr) uint32 {
	n, known := b.places[pc]
	if !known {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		n = b.frameNumber(Frame{f.Function, f.File, f.Line})
		b.places[pc] = n
	}
	return n
}

func inRuntime(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "internal/runtime/")
}

// scaleSample estimates the figures of all allocations from the figures of the sampled ones. An
// allocation of size bytes is sampled with a probability of 1-exp(-size/rate). All objects of a
// record have the same size.
func scaleSample(objects, bytes int64, rate int) (allObjects, allBytes int64) {
	if objects == 0 || bytes == 0 {
		return 0, 0
	}
	if rate <= 1 {
		return objects, bytes
	}
	size := float64(bytes) / float64(objects)
	scale := 1 / (1 - math.Exp(-size/float64(rate)))
	return int64(float64(objects) * scale), int64(float64(bytes) * scale)
}

// addStack adds the figures of a stack of p, multiplied by sign.
func (b *stackTable) addStack(p *Profile, s Stack, sign int64) {
	b.calls = b.calls[:0]
	for _, c := range s.Calls {
		b.calls = append(b.calls, b.frameNumber(p.Frames[c]))
	}
	sum := b.stackOf()
	sum.InUseBytes += sign * s.InUseBytes
	sum.InUseObjects += sign * s.InUseObjects
	sum.AllocatedBytes += sign * s.AllocatedBytes
	sum.AllocatedObjects += sign * s.AllocatedObjects
}

// finish returns the sorted profile, without stacks whose figures are zero.
func (b *stackTable) finish() *Profile {
	b.Stacks = slices.DeleteFunc(b.Stacks, func(s Stack) bool {
		return s.InUseBytes == 0 && s.InUseObjects == 0 && s.AllocatedBytes == 0 && s.AllocatedObjects == 0
	})
	slices.SortFunc(b.Stacks, func(x, y Stack) int {
		return cmp.Or(cmp.Compare(y.InUseBytes, x.InUseBytes), cmp.Compare(y.AllocatedBytes, x.AllocatedBytes),
			slices.CompareFunc(x.Calls, y.Calls, func(c, d uint32) int { return compareFrames(b.Frames[c], b.Frames[d]) }))
	})
	return &b.Profile
}

func compareFrames(f, g Frame) int {
	return cmp.Or(cmp.Compare(f.Function, g.Function), cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line))
}
