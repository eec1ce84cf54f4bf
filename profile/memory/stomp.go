package memory

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/internal/guard"
)

// Stomp selects how to detect accesses outside slices, for tests and debugging. Each slice gets its
// own pages between two unreadable pages, and is filled with 0xA5. A freed slice is not reused, and
// stays unreadable until [Options].Keep more bytes have been freed.
type Stomp uint8

const (
	// The zero Stomp is StompOff, or StompOverruns in a program built with the tag guard.
	stompDefault Stomp = iota

	StompOff

	// StompOverruns ends slices at an unreadable page. Reading or writing the byte after the end
	// faults at once. Free panics if there was a write just before the start. Slices are not
	// aligned.
	StompOverruns

	// StompUnderruns begins slices at an unreadable page. Reading or writing the byte before the
	// start faults at once. Free panics if there was a write just after the end.
	StompUnderruns
)

// keepUnreadable is the default of Options.Keep if Options.Stomp is set.
const keepUnreadable = 256 << 20

// newSource returns a source for the Stomp setting.
func newSource(o Options, keep int64) *source {
	mode := o.Stomp
	if mode == stompDefault {
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
	panic(fmt.Sprintf("memory: new: unknown value %d of Stomp", mode))
}

// A Fault is a read or write outside the slices of a tracker that [Options].Stomp has detected.
type Fault struct {
	Address uintptr // address from the processor; a wide load may report a later byte
	Kind    string  // "overrun", "underrun" or "use after free"
	Offset  int64   // distance of Address from the start of the slice
	Bytes   int64   // size of the slice
	Owner   Key     // owner of the slice
	Site    string  // directory/file.go:line of the allocation

	// These fields are set if the slice had been freed: the call site and, if [Pool.Free] was given
	// a worker, the worker and its scope.
	FreedBy   Key // only Worker and Scope are set
	FreedSite string
}

// These are the kinds of faults.
const (
	overrun      = "overrun"
	underrun     = "underrun"
	useAfterFree = "use after free"
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
	if f.Kind == useAfterFree {
		text += ", and already freed"
		if by := strings.Trim(f.FreedBy.Worker+";"+f.FreedBy.Scope, ";"); by != "" {
			text += " by " + by
		}
		text += " at " + f.FreedSite
	}
	return text
}

// A freeing records which call and which worker freed a block.
type freeing struct {
	owner        Key
	site, freed  string
	worker, path string // worker that freed the block, and its scopes
}

// noteFreeing records the call that freed a block, to explain faults. An exported function must
// call noteFreeing's caller directly; see callers.here.
func (p *Pool) noteFreeing(b *block, w *Worker) {
	t := p.group.tracker
	note := freeing{owner: b.owner.Load().key(), site: t.callers.name(b.caller), freed: t.callers.name(t.callers.here(4))}
	if w != nil {
		note.worker, note.path = t.names(w.frames[len(w.frames)-1].stack)
	}
	t.stock.source.stomp.Note(b.mem(), note)
}

// Catch calls f and returns the memory fault that ended it, or nil if there was no fault. With
// [Options].Stomp the error is a *[Fault] if the address belongs to a slice of the tracker. Catch
// does not recover other panics. A fault in a goroutine started by f ends the program.
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
	f := &Fault{Address: addr, Offset: int64(addr - place.Start), Bytes: int64(place.Bytes), Kind: overrun}
	if f.Offset < 0 {
		f.Kind = underrun
	}
	if note, ok := place.Note.(freeing); ok {
		f.Kind = useAfterFree
		f.Owner, f.Site = note.owner, note.site
		f.FreedBy, f.FreedSite = Key{Worker: note.worker, Scope: note.path}, note.freed
	} else if b := t.stock.find(place.Start); b != nil && b.state.CompareAndSwap(live, listed) {
		f.Owner, f.Site = b.owner.Load().key(), t.callers.name(b.caller)
		b.state.Store(live)
	}
	return f
}
