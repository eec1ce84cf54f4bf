package events

import "strconv"

// Kind is the kind of an [Event].
type Kind uint8

const (
	Scope   Kind = iota + 1 // a scope lasted from Time to Time+Dur
	Instant                 // something happened at Time
	Value                   // a quantity is Values[0] from Time on
	Vector                  // a quantity of several numbers is Values from Time on
	Alloc                   // Values[0] bytes were allocated
	Free                    // Values[0] bytes were freed
	FlowOut                 // the flow with the id Flow leaves the worker's innermost open scope
	FlowIn                  // the flow with the id Flow arrives in the worker's innermost open scope
	User                    // bytes in Data, whose meaning depends on Name
	Open                    // a scope began at Time and had not ended at Time+Dur
)

// An Event is a decoded record of a stream.
type Event struct {
	Kind   Kind
	Worker int    // index of the row in the stream's Workers
	Name   string // kind of work, such as "cook/encode"
	Detail string // object of the work, such as "textures/wall.png"; empty if none
	Time   int64  // nanoseconds since the recording began
	Dur    int64  // nanoseconds, for Scope and Open
	Values []float64
	Flow   uint64 // id of the flow, the same in its FlowOut and all its FlowIns
	Data   []byte
}

// String returns the name of a kind in lower case, such as "scope" or "flow out".
func (k Kind) String() string {
	names := [...]string{"", "scope", "instant", "value", "vector", "alloc", "free", "flow out", "flow in", "user", "open"}
	if k == 0 || int(k) >= len(names) {
		return "kind " + strconv.Itoa(int(k))
	}
	return names[k]
}
