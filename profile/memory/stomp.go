package memory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/guard"
)

// Stomp is a way to find accesses outside of slices, for tests and for bugs that are hunted.
// Each slice gets pages of its own, between two that cannot be read, and is filled with
// 0xA5. What was given back cannot be read any more until [Options].Keep bytes were given
// back after it, and is not used again.
type Stomp uint8

const (
	// StompDefault is StompOff, and StompOverruns in a program that is built with the
	// tag guard.
	StompDefault Stomp = iota

	StompOff

	// StompOverruns ends slices at an unreadable page: reading or writing the byte after
	// the end faults at once. Writing just before the start is found by Free, which
	// panics. Slices are not aligned.
	StompOverruns

	// StompUnderruns begins slices at an unreadable page: reading or writing the byte
	// before the start faults at once. Writing just after the end is found by Free, which
	// panics.
	StompUnderruns
)

// keepUnreadable is Options.Keep with Stomp, if that is 0.
const keepUnreadable = 256 << 20

// newSource returns a source with Stomp as far as the option says.
func newSource(o Options, keep int64) *source {
	mode := o.Stomp
	if mode == StompDefault {
		mode = defaultStomp
	}
	switch mode {
	case StompOff:
		return &source{}
	case StompOverruns:
		return &source{stomp: guard.NewAllocator(keep, guard.AtEnd)}
	case StompUnderruns:
		return &source{stomp: guard.NewAllocator(keep, guard.AtStart)}
	}
	panic(fmt.Sprintf("memory: new: there is no Stomp %d", mode))
}

// A Fault is a read or write outside of the slices of a tracker with [Options].Stomp.
type Fault struct {
	Address uintptr   // as the processor gave it: with wide loads not always the first bad byte
	Kind    FaultKind // how it lies to the slice that is next
	Offset  int64     // of the address, from the start of that slice
	Bytes   int64     // of that slice
	Owner   Key       // who allocated it
	Site    string    // folder/file.go:line where it was allocated

	// After it was given back: by whom, if [Pool.FreeBy] said so, and where.
	FreedBy   Key // Worker and Scope
	FreedSite string
}

// FaultKind is how an address lies to a slice.
type FaultKind string

const (
	Overrun      FaultKind = "overrun"
	Underrun     FaultKind = "underrun"
	UseAfterFree FaultKind = "use after free"
)

func (f *Fault) Error() string {
	text := fmt.Sprintf("memory: %s at %#x: ", f.Kind, f.Address)
	switch past := f.Offset - f.Bytes; {
	case past >= 0:
		text += fmt.Sprintf("byte %d after the end of %d", past+1, f.Bytes)
	case f.Offset < 0:
		text += fmt.Sprintf("byte %d before the start of %d", -f.Offset, f.Bytes)
	default:
		text += fmt.Sprintf("byte %d of %d", f.Offset, f.Bytes)
	}
	text += " bytes that were allocated as " + f.Owner.sentence() + " at " + f.Site
	if f.Kind == UseAfterFree {
		text += ", and given back"
		if by := strings.Trim(f.FreedBy.Worker+";"+f.FreedBy.Scope, ";"); by != "" {
			text += " by " + by
		}
		text += " at " + f.FreedSite
	}
	return text
}

// A freeing is what the allocator keeps of a block that was given back.
type freeing struct {
	owner        Key
	site, freed  string
	worker, path string // by whom
}

// noteFreeing keeps who gave a block back, for faults. Exported functions call one that
// calls this.
func (p *Pool) noteFreeing(b *block, w *Worker) {
	t := p.group.tracker
	note := freeing{owner: b.owner.Load().key(), site: t.callers.name(b.caller), freed: t.callers.name(t.callers.here(4))}
	if w != nil {
		note.worker, note.path = t.names(w.frames[len(w.frames)-1].stack)
	}
	t.stock.source.stomp.Note(b.mem(), note)
}

// Fault explains a panic that was recovered from: a memory fault, which is a panic after
// debug.SetPanicOnFault(true) in the goroutine. It returns nil if it is none, or not
// at a slice of the tracker, or without [Options].Stomp.
func (t *Tracker) Fault(recovered any) *Fault {
	addr, ok := guard.FaultAddr(recovered)
	if !ok {
		return nil
	}
	return t.faultAt(addr)
}

// Catch calls f and returns the memory fault that ended it, nil if there was none: a
// *[Fault] if the address belongs to a slice of the tracker, with [Options].Stomp. Other
// panics pass through. A fault in a goroutine that f starts ends the program.
func (t *Tracker) Catch(f func()) error {
	err := guard.Catch(f)
	var at *guard.Fault
	if errors.As(err, &at) {
		if known := t.faultAt(at.Addr); known != nil {
			return known
		}
	}
	return err
}

func (t *Tracker) faultAt(addr uintptr) *Fault {
	if t == nil || t.stock.source.stomp == nil {
		return nil
	}
	place, ok := t.stock.source.stomp.Find(addr)
	if !ok {
		return nil
	}
	f := &Fault{Address: addr, Offset: int64(addr - place.Start), Bytes: int64(place.Bytes), Kind: Overrun}
	if f.Offset < 0 {
		f.Kind = Underrun
	}
	if note, ok := place.Note.(freeing); ok {
		f.Kind = UseAfterFree
		f.Owner, f.Site = note.owner, note.site
		f.FreedBy, f.FreedSite = Key{Worker: note.worker, Scope: note.path}, note.freed
	} else if b := t.stock.find(place.Start); b != nil && b.state.CompareAndSwap(live, listed) {
		f.Owner, f.Site = b.owner.Load().key(), t.callers.name(b.caller)
		b.state.Store(live)
	}
	return f
}
