package events

import "strconv"

// Kind is what an [Event] tells.
type Kind uint8

const (
	Scope   Kind = iota + 1 // something lasted from Time to Time+Dur
	Instant                 // something happened
	Value                   // a quantity was Values[0] from now on
	Vector                  // a quantity of several numbers
	Alloc                   // Values[0] bytes were taken
	Free                    // Values[0] bytes were given back
	FlowOut                 // Flow leaves the scope that is open on the worker
	FlowIn                  // Flow arrives in the scope that is open on the worker
	User                    // Data, whose meaning its Name tells
	Open                    // a scope that began at Time had not ended by Time+Dur
)

// An Event is one record of a stream as a reader gets it.
type Event struct {
	Kind   Kind
	Worker int    // the row it is on, from 0; see Workers of the stream
	Name   string // what kind of thing: "cook/encode"
	Detail string // what it was done to: "textures/wall.png"; "" for nothing in particular
	Time   int64  // nanoseconds since the recording began
	Dur    int64  // nanoseconds; Scope and Open
	Values []float64
	Flow   uint64 // equal for the FlowOut and the FlowIns of one arrow
	Data   []byte
}

// String returns the name of a kind in lower case: "scope", "flow out".
func (k Kind) String() string {
	names := [...]string{"", "scope", "instant", "value", "vector", "alloc", "free", "flow out", "flow in", "user", "open"}
	if k == 0 || int(k) >= len(names) {
		return "kind " + strconv.Itoa(int(k))
	}
	return names[k]
}
