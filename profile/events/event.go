package events

import "strconv"

// Kind is the kind of an [Event].
type Kind uint8

const (
	Scope   Kind = iota + 1 // a scope lasted from Time to Time+Dur
	Instant                 // something happened
	Value                   // a quantity is Values[0] from now on
	Vector                  // a quantity of several numbers is Values from now on
	Alloc                   // Values[0] bytes were allocated
	Free                    // Values[0] bytes were freed
	FlowOut                 // Flow leaves the innermost scope open on the worker
	FlowIn                  // Flow arrives in the innermost scope open on the worker
	User                    // Data, interpreted by its Name
	Open                    // a scope begun at Time had not ended by Time+Dur
)

// An Event is one record of a stream, decoded.
type Event struct {
	Kind   Kind
	Worker int    // index of the row in the stream's Workers
	Name   string // kind of work, such as "cook/encode"
	Detail string // object of the work, such as "textures/wall.png"; may be empty
	Time   int64  // nanoseconds since the recording began
	Dur    int64  // nanoseconds; Scope and Open
	Values []float64
	Flow   uint64 // the same for the FlowOut and all FlowIns of one flow
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
