package export

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"unicode/utf8"

	"github.com/assetcook/assetcook/profile/events"
)

// Numbers of the Fuchsia trace format
// (fuchsia.dev/fuchsia-src/reference/tracing/trace-format).
const (
	fuchsiaMagic = 0x0016547846040010

	recordInitialization = 1
	recordString         = 2
	recordThread         = 3
	recordEvent          = 4
	recordKernelObject   = 7

	eventInstant   = 0
	eventCounter   = 1
	eventComplete  = 4
	eventFlowBegin = 8
	eventFlowEnd   = 10

	argumentUint64 = 4
	argumentDouble = 5
	argumentKoid   = 8

	objectProcess = 1
	objectThread  = 2

	inlineString = 1 << 15
	mostStrings  = 1<<15 - 1 // entries of the string table, from 1
	mostThreads  = 1<<8 - 1  // entries of the thread table, from 1

	// A record has at most 4095 words; an event may carry two strings.
	longestString = 15_000
)

// WriteFuchsia writes the trace format of the Fuchsia operating system, 24 bytes a
// slice. Threads beyond the 255th and names beyond the 32,767th have no place in its
// tables and stand in each event.
func WriteFuchsia(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	f := fuchsiaWriter{out: bufio.NewWriterSize(w, 64<<10), timeline: t, table: map[string]uint64{}}
	f.begin(fuchsiaMagic)
	f.put()
	f.begin(recordInitialization)
	f.word(1e9) // ticks a second
	f.put()
	f.processKey = f.intern("process").ref // while the table has room
	f.bytesKey = f.intern("bytes").ref
	f.valueKey = f.intern("value").ref
	f.object(objectProcess, processID, t.process)
	f.thread(processID)
	for i, r := range t.rows {
		f.thread(threadOf(i))
		f.object(objectThread, uint64(threadOf(i)), r.name)
	}
	for i, r := range t.rows {
		for place := range r.spans {
			f.span(r, place, threadOf(i))
		}
	}
	for _, l := range t.levels {
		f.level(l)
	}
	return errors.Join(failed, f.out.Flush())
}

// threadOf is the number of a row's thread. That of the process carries the counters.
func threadOf(row int) int { return processID + 1 + row }

// A fuchsiaWriter writes records: begin, then their words and strings, then put. A
// string that is new may come before, as a record of its own.
type fuchsiaWriter struct {
	*timeline
	out    *bufio.Writer
	table  map[string]uint64 // strings that have a place in the table
	record []byte

	processKey, bytesKey, valueKey uint64 // references to names of arguments
}

func (f *fuchsiaWriter) begin(header uint64) {
	f.record = binary.LittleEndian.AppendUint64(f.record[:0], header)
}

func (f *fuchsiaWriter) word(v uint64) {
	f.record = binary.LittleEndian.AppendUint64(f.record, v)
}

// text adds a string that is no reference, filled up to whole words.
func (f *fuchsiaWriter) text(s string) {
	f.record = append(f.record, s...)
	for len(f.record)%8 != 0 {
		f.record = append(f.record, 0)
	}
}

// put writes the record, whose size in words only now is known. The magic number is
// a record like any other and has its size already.
func (f *fuchsiaWriter) put() {
	header := binary.LittleEndian.Uint64(f.record)
	binary.LittleEndian.PutUint64(f.record, header|uint64(len(f.record)/8)<<4)
	f.out.Write(f.record)
}

// A fuchsiaString is how a record refers to a string: a place in the table, or the
// length of text that then has to follow in the record.
type fuchsiaString struct {
	ref  uint64
	text string
}

// intern returns the reference to a string, after writing the record that gives it a
// place while there are some.
func (f *fuchsiaWriter) intern(s string) fuchsiaString {
	s = shortened(s, longestString)
	ref, ok := f.table[s]
	if !ok {
		if len(f.table) == mostStrings {
			return fuchsiaString{ref: inlineString | uint64(len(s)), text: s}
		}
		ref = uint64(len(f.table) + 1)
		f.table[s] = ref
		f.begin(recordString | ref<<16 | uint64(len(s))<<32)
		f.text(s)
		f.put()
	}
	return fuchsiaString{ref: ref}
}

// shortened cuts a string to at most so many bytes, between two characters.
func shortened(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// object tells the name of the process or of a thread.
func (f *fuchsiaWriter) object(kind, id uint64, name string) {
	n := f.intern(name)
	var arguments uint64
	if kind == objectThread {
		arguments = 1
	}
	f.begin(recordKernelObject | kind<<16 | n.ref<<24 | arguments<<40)
	f.word(id)
	f.text(n.text)
	if kind == objectThread {
		f.word(argumentKoid | 2<<4 | f.processKey<<16)
		f.word(processID)
	}
	f.put()
}

// thread gives a thread a place in the table while there are some.
func (f *fuchsiaWriter) thread(thread int) {
	if thread > mostThreads {
		return
	}
	f.begin(recordThread | uint64(thread)<<16)
	f.word(processID)
	f.word(uint64(thread))
	f.put()
}

// event begins an event record, up to its arguments.
func (f *fuchsiaWriter) event(kind, arguments uint64, thread int, category, name string, at int64) {
	c, n := f.intern(category), f.intern(name)
	ref := uint64(thread)
	if thread > mostThreads {
		ref = 0
	}
	f.begin(recordEvent | kind<<16 | arguments<<20 | ref<<24 | c.ref<<32 | n.ref<<48)
	f.word(uint64(at))
	if ref == 0 {
		f.word(processID)
		f.word(uint64(thread))
	}
	f.text(c.text)
	f.text(n.text)
}

// span writes a span and after it the arrows that begin or end there, which readers
// tie to the last span before them.
func (f *fuchsiaWriter) span(r *row, place, thread int) {
	s := &r.spans[place]
	category, name := f.names[s.name], f.names[s.title()]
	switch s.kind {
	case events.Scope:
		f.event(eventComplete, 0, thread, category, name, s.begin)
		f.word(uint64(s.end))
	case events.User:
		f.event(eventInstant, 1, thread, category, name, s.begin)
		f.word(argumentUint64 | 2<<4 | f.bytesKey<<16)
		f.word(s.what)
	default:
		f.event(eventInstant, 0, thread, category, name, s.begin)
	}
	f.put()
	for _, a := range r.out[place] {
		f.event(eventFlowBegin, 0, thread, "flow", f.names[a.name], a.time)
		f.word(a.id)
		f.put()
	}
	for _, a := range r.in[place] {
		f.event(eventFlowEnd, 0, thread, "flow", f.names[a.name], a.time)
		f.word(a.id)
		f.put()
	}
}

func (f *fuchsiaWriter) level(l level) {
	f.event(eventCounter, 1, processID, "counter", f.tracks[l.track].name, l.time)
	f.word(argumentDouble | 2<<4 | f.valueKey<<16)
	f.word(math.Float64bits(l.value))
	f.word(uint64(l.track)) // tells counters of one name apart
	f.put()
}
