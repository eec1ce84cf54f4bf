package export

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/assetcook/assetcook/profile/events"
)

// These are the numbers of the fields that this package writes in Perfetto's messages
// (protos/perfetto/trace/*.proto in Perfetto's repository).
const (
	tracePacket = 1 // field number in the message Trace

	packetClockSnapshot   = 6 // field numbers in the message TracePacket
	packetTimestamp       = 8
	packetSequenceID      = 10
	packetTrackEvent      = 11
	packetInternedData    = 12
	packetSequenceFlags   = 13
	packetClockID         = 58
	packetDefaults        = 59
	packetTrackDescriptor = 60

	eventCategoryIIDs     = 3 // field numbers in the message TrackEvent
	eventDebugAnnotations = 4
	eventType             = 9
	eventNameIID          = 10
	eventTrackUUID        = 11
	eventFlowIDsOld       = 36
	eventDoubleCounter    = 44
	eventFlowIDs          = 47
	internedCategories    = 1 // field numbers in the message InternedData
	internedNames         = 2
	internedID            = 1 // field numbers in each entry of InternedData
	internedName          = 2
	annotationUint        = 3 // field numbers in the message DebugAnnotation
	annotationName        = 10
	snapshotClocks        = 1 // field number in the message ClockSnapshot
	clockID               = 1 // field numbers in the message Clock
	clockTimestamp        = 2
	clockIncremental      = 3
	trackUUID             = 1 // field numbers in the message TrackDescriptor
	trackName             = 2
	trackProcess          = 3
	trackThread           = 4
	trackParentUUID       = 5
	trackCounter          = 8
	counterUnit           = 3 // field number in the message CounterDescriptor
	processPID            = 1 // field numbers in the message ProcessDescriptor
	processName           = 6
	threadPID             = 1 // field numbers in the message ThreadDescriptor
	threadTID             = 2
	threadName            = 5
)

const (
	sliceBegin = 1 // values of the field TrackEvent.type
	sliceEnd   = 2
	instant    = 3
	counter    = 4

	stateCleared = 1 // values of the field TracePacket.sequence_flags
	stateNeeded  = 2

	clockRealtime = 1
	clockBoottime = 6
	clockOurs     = 64 // the smallest number allowed for custom clocks

	unitBytes = 3
)

// The recording is shown as one process with this arbitrary number.
const (
	processID   = 1
	processUUID = 1
)

// writePerfetto writes Perfetto's binary trace. A slice takes about 30 bytes.
//
// Each worker is a thread with its own packet sequence. A sequence contains each name once. Its
// times are differences to the previous event. The counters form another sequence.
func writePerfetto(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	p := perfettoWriter{out: bufio.NewWriterSize(w, 64<<10), timeline: t}
	p.sequence(processUUID)
	p.describeProcess()
	for i := range t.tracks {
		p.describeTrack(i)
	}
	for _, l := range t.levels {
		p.level(l)
	}
	for i, r := range t.rows {
		uuid := uint64(processUUID + 1 + i)
		p.sequence(uuid)
		p.describeThread(uuid, r.name)
		p.row(r)
	}
	return errors.Join(failed, p.out.Flush())
}

// A perfettoWriter writes packets. It keeps its buffers from packet to packet, to reuse their
// memory.
type perfettoWriter struct {
	*timeline
	out      *bufio.Writer
	seq      uint64
	last     int64             // time of the previous event in the sequence
	told     map[uint32]uint64 // roles of a name that the sequence already contains, by name
	packet   []byte
	event    []byte
	interned []byte
	part     []byte
}

const (
	asName     = 1 << iota // name of an event
	asCategory             // name of a category
)

// put writes the finished packet.
func (p *perfettoWriter) put() {
	p.part = appendTag(p.part[:0], tracePacket, wireBytes)
	p.out.Write(binary.AppendUvarint(p.part, uint64(len(p.packet))))
	p.out.Write(p.packet)
}

// sequence begins a new sequence of packets for the given track. The sequence contains no names
// yet, and its times are relative to 0.
func (p *perfettoWriter) sequence(track uint64) {
	p.seq++
	p.last = 0
	p.told = map[uint32]uint64{}

	clock := func(id uint64, at int64) []byte {
		c := appendUint(nil, clockID, id)
		c = appendUint(c, clockTimestamp, uint64(at))
		if id == clockOurs {
			c = appendUint(c, clockIncremental, 1)
		}
		return c
	}
	snapshot := appendBytes(nil, snapshotClocks, clock(clockOurs, 0))
	snapshot = appendBytes(snapshot, snapshotClocks, clock(clockBoottime, 0))
	if p.seq == 1 && !p.start.IsZero() {
		snapshot = appendBytes(snapshot, snapshotClocks, clock(clockRealtime, p.start.UnixNano()))
	}
	defaults := appendBytes(nil, packetTrackEvent, appendUint(nil, eventTrackUUID, track))
	defaults = appendUint(defaults, packetClockID, clockOurs)

	p.packet = appendUint(p.packet[:0], packetSequenceID, p.seq)
	p.packet = appendUint(p.packet, packetSequenceFlags, stateCleared)
	p.packet = appendBytes(p.packet, packetDefaults, defaults)
	p.packet = appendBytes(p.packet, packetClockSnapshot, snapshot)
	p.put()
}

func (p *perfettoWriter) describe(track []byte) {
	p.packet = appendUint(p.packet[:0], packetSequenceID, p.seq)
	p.packet = appendBytes(p.packet, packetTrackDescriptor, track)
	p.put()
}

func (p *perfettoWriter) describeProcess() {
	process := appendUint(nil, processPID, processID)
	process = appendBytes(process, processName, p.process)
	p.describe(appendBytes(appendUint(nil, trackUUID, processUUID), trackProcess, process))
}

// describeThread names a row. Viewers sort threads by number. The main thread is the thread whose
// number equals the process's number.
func (p *perfettoWriter) describeThread(uuid uint64, name string) {
	thread := appendUint(nil, threadPID, processID)
	thread = appendUint(thread, threadTID, uuid)
	thread = appendBytes(thread, threadName, name)
	p.describe(appendBytes(appendUint(nil, trackUUID, uuid), trackThread, thread))
}

func (p *perfettoWriter) describeTrack(i int) {
	var unit []byte
	if p.tracks[i].bytes {
		unit = appendUint(nil, counterUnit, unitBytes)
	}
	track := appendUint(nil, trackUUID, p.counterUUID(uint32(i)))
	track = appendUint(track, trackParentUUID, processUUID)
	track = appendBytes(track, trackName, p.tracks[i].name)
	p.describe(appendBytes(track, trackCounter, unit))
}

func (p *perfettoWriter) counterUUID(track uint32) uint64 {
	return uint64(processUUID + 1 + len(p.rows) + int(track))
}

// putEvent writes the finished event.
func (p *perfettoWriter) putEvent(at int64) {
	p.packet = appendUint(p.packet[:0], packetTimestamp, uint64(at-p.last))
	p.last = at
	p.packet = appendUint(p.packet, packetSequenceID, p.seq)
	if len(p.interned) > 0 {
		p.packet = appendBytes(p.packet, packetInternedData, p.interned)
		p.interned = p.interned[:0]
	}
	p.packet = appendBytes(p.packet, packetTrackEvent, p.event)
	p.packet = appendUint(p.packet, packetSequenceFlags, stateNeeded)
	p.put()
}

func (p *perfettoWriter) level(l level) {
	p.event = appendUint(p.event[:0], eventType, counter)
	p.event = appendUint(p.event, eventTrackUUID, p.counterUUID(l.track))
	p.event = appendDouble(p.event, eventDoubleCounter, l.value)
	p.putEvent(l.time)
}

func (p *perfettoWriter) row(r *row) {
	enter := func(place int) {
		s := &r.spans[place]
		kind := uint64(instant)
		if s.kind == events.Scope {
			kind = sliceBegin
		}
		p.event = appendUint(p.event[:0], eventType, kind)
		p.event = appendUint(p.event, eventCategoryIIDs, p.intern(s.name, internedCategories, asCategory))
		p.event = appendUint(p.event, eventNameIID, p.intern(s.title(), internedNames, asName))
		if s.kind == events.User {
			size := appendBytes(nil, annotationName, "bytes")
			size = appendUint(size, annotationUint, s.what)
			p.event = appendBytes(p.event, eventDebugAnnotations, size)
		}
		p.flows(r.out[place], func(a arrow) bool { return true })
		p.flows(r.in[place], func(a arrow) bool { return a.time == s.begin })
		p.putEvent(s.begin)
	}
	leave := func(place int) {
		s := &r.spans[place]
		p.event = appendUint(p.event[:0], eventType, sliceEnd)
		p.flows(r.in[place], func(a arrow) bool { return a.time > s.begin })
		p.putEvent(s.end)
	}
	r.walk(enter, leave)
}

// flows adds the arrows that the function now accepts. Readers from before 2022 know only the old
// field. Newer readers prefer the new field, and do not count an arrow twice.
func (p *perfettoWriter) flows(arrows []arrow, now func(arrow) bool) {
	for _, a := range arrows {
		if now(a) {
			p.event = appendUint(p.event, eventFlowIDsOld, a.id)
			p.event = appendFixed64(p.event, eventFlowIDs, a.id)
		}
	}
}

// intern returns the number of a name. If the sequence does not contain the name yet, intern adds
// it to the current event.
func (p *perfettoWriter) intern(name uint32, field, role uint64) uint64 {
	id := uint64(name)
	if p.told[name]&role == 0 {
		p.told[name] |= role
		entry := appendUint(p.part[:0], internedID, id)
		entry = appendBytes(entry, internedName, p.names[name])
		p.interned = appendBytes(p.interned, field, entry)
		p.part = entry
	}
	return id
}

// These functions append a field to a protocol buffer message
// (protobuf.dev/programming-guides/encoding). A nested message must be encoded first, because its
// length comes before it.

const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
)

func appendTag(b []byte, field, wire uint64) []byte {
	return binary.AppendUvarint(b, field<<3|wire)
}

func appendUint(b []byte, field, v uint64) []byte {
	return binary.AppendUvarint(appendTag(b, field, wireVarint), v)
}

func appendFixed64(b []byte, field, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(appendTag(b, field, wireFixed64), v)
}

func appendDouble(b []byte, field uint64, v float64) []byte {
	return appendFixed64(b, field, math.Float64bits(v))
}

func appendBytes[T string | []byte](b []byte, field uint64, v T) []byte {
	b = binary.AppendUvarint(appendTag(b, field, wireBytes), uint64(len(v)))
	return append(b, v...)
}
