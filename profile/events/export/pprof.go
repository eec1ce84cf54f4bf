package export

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// writePprof writes a profile for go tool pprof. The profile has the count and time of each stack
// of scopes, summed over all workers. The functions in the profile are the Names of scopes. The
// label "detail" is the Detail of the innermost scope that has one. So -tagfocus selects an asset,
// and -tagleaf=detail shows each asset separately. Marks, counters and flows are omitted.
func writePprof(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	p := pprof{strings: map[string]uint64{}, places: map[uint32]uint64{}}
	p.string("") // pprof requires that string 0 is empty.
	p.valueType("calls", "count")
	p.valueType("time", "nanoseconds")
	var all []*stack
	known := map[stack]*stack{}
	for _, r := range t.rows {
		all = r.sumRowByStack(all, known)
	}
	for _, s := range all {
		p.sample(s, t.names)
	}
	if !t.start.IsZero() {
		p.out = appendUint(p.out, profileTime, uint64(t.start.UnixNano()))
	}
	p.out = appendUint(p.out, profileDuration, uint64(t.length()))
	if t.dropped > 0 {
		p.out = appendUint(p.out, profileComment, p.string(fmt.Sprintf("%d events are missing", t.dropped)))
	}
	p.out = appendUint(p.out, profileDefaultType, p.string("time"))

	packed := gzip.NewWriter(w)
	_, err := packed.Write(p.out)
	return errors.Join(failed, err, packed.Close())
}

// These are field numbers from profile.proto of github.com/google/pprof. Its Go package is not
// used, because it compiles regular expressions at the start of every program that links it.
const (
	profileType        = 1 // repeated field of type ValueType
	profileSample      = 2
	profileLocation    = 4
	profileFunction    = 5
	profileString      = 6
	profileTime        = 9
	profileDuration    = 10
	profileComment     = 13
	profileDefaultType = 14

	typeName, typeUnit                        = 1, 2
	sampleLocation, sampleValue, sampleLabel  = 1, 2, 3 // location IDs of the stack, beginning with the leaf
	labelKey, labelString                     = 1, 2
	locationID, locationLine                  = 1, 4
	lineFunction                              = 1
	functionID, functionName, functionSysName = 1, 2, 3
)

// A pprof writes a profile. It writes an entry of a table as soon as the entry is added. Readers
// accept fields in any order, and keep the order of repeated fields.
type pprof struct {
	out     []byte
	message []byte
	inner   []byte
	strings map[string]uint64 // index of each string in the string table
	places  map[uint32]uint64 // ID of the location and function for each name
}

// string returns the index of s in the string table, and adds s if needed.
func (p *pprof) string(s string) uint64 {
	n, ok := p.strings[s]
	if !ok {
		n = uint64(len(p.strings))
		p.strings[s] = n
		p.out = appendBytes(p.out, profileString, s)
	}
	return n
}

func (p *pprof) valueType(name, unit string) {
	p.message = appendUint(p.message[:0], typeName, p.string(name))
	p.message = appendUint(p.message, typeUnit, p.string(unit))
	p.out = appendBytes(p.out, profileType, p.message)
}

func (p *pprof) sample(s *stack, names []string) {
	calls, self, detail := s.calls, s.self, uint32(0)
	p.inner = p.inner[:0]
	for ; s != nil; s = s.under {
		p.inner = appendUint(p.inner, sampleLocation, p.locationID(s.name, names[s.name]))
		detail = cmp.Or(detail, s.detail)
	}
	p.inner = appendUint(p.inner, sampleValue, uint64(calls))
	p.inner = appendUint(p.inner, sampleValue, uint64(self))
	if detail != 0 {
		p.message = appendUint(p.message[:0], labelKey, p.string("detail"))
		p.message = appendUint(p.message, labelString, p.string(names[detail]))
		p.inner = appendBytes(p.inner, sampleLabel, p.message)
	}
	p.out = appendBytes(p.out, profileSample, p.inner)
}

// locationID returns the ID of the location for a function name.
func (p *pprof) locationID(number uint32, name string) uint64 {
	if id, ok := p.places[number]; ok {
		return id
	}
	id := uint64(len(p.places) + 1)
	p.places[number] = id

	p.message = appendUint(p.message[:0], functionID, id)
	p.message = appendUint(p.message, functionName, p.string(name))
	p.message = appendUint(p.message, functionSysName, p.string(name))
	p.out = appendBytes(p.out, profileFunction, p.message)

	line := appendUint(nil, lineFunction, id)
	p.message = appendUint(p.message[:0], locationID, id)
	p.message = appendBytes(p.message, locationLine, line)
	p.out = appendBytes(p.out, profileLocation, p.message)
	return id
}

// length returns the length of the recording, which is the time of the last event.
func (t *timeline) length() int64 {
	var last int64
	for _, r := range t.rows {
		for _, s := range r.spans {
			last = max(last, s.end)
		}
	}
	if len(t.levels) > 0 {
		last = max(last, t.levels[len(t.levels)-1].time)
	}
	return last
}
