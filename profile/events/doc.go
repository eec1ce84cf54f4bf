// Package events records what a program does and when, cheaply enough to leave it
// on: scopes, instants, values, memory and flows between workers, with time stamps
// of a few nanoseconds, as one compact stream that can be kept and watched live.
//
//	rec := events.New(file, events.Options{})
//	encode := rec.Symbol("cook/encode")
//
//	w := rec.Worker("worker 0") // one for each goroutine that works
//	defer w.Release()
//	mark := w.Begin(encode, rec.Symbol("textures/wall.png"))
//	...
//	mark.End()
//
// and finally rec.Close. [Read] reads the stream, a [Tape] any part of it, and a [Feed]
// serves it to viewers while it is recorded. A program that does not record uses a nil [Recorder]: it and everything
// derived from it do nothing, at the cost of a nil check.
//
// # How it works
//
// A [Worker] has a buffer of 64 KiB, and appends to it records of 16 bytes: no
// lock, no allocation, names by their [Symbol]. A full buffer goes whole to the
// recorder's goroutine, which encodes and writes it, and the worker takes an empty
// one from a pool that never grows. When writing cannot keep up the pool runs dry;
// then records are dropped, whole, and counted: a worker never waits.
//
// A record carries a tick, the processor's own count. Only blocks of the stream
// pair ticks with monotonic time; the reader converts.
//
// A scope is one record, written where it ends, so what a worker did comes in the
// order of ends: inner scopes before the one around them. Their times nest
// exactly.
//
// A scope is one record, written where it ends. Which scopes have begun and not ended
// is in the stream all the same, so that what hangs shows, also when the process was
// killed: a worker keeps them, to a depth of 32, in words that the recorder's goroutine
// reads without either waiting, and that goroutine writes them down where a worker is
// flushed, every second (see [Options]) and at Close. A reader gets them as events of
// the kind [Open]; [Stream.Open] says which are open where it has come to. A recording
// that is cut off can be read up to its last whole block.
//
// # Format
//
// A stream, in files ending in .events, is the 8 bytes 89 45 56 45 4e 54 53 01, of
// which the last is the version, and blocks:
//
//	length   4 bytes, little endian, at most 262144
//	kind     1 byte
//	content  as many bytes as length says
//	sum      4 bytes, little endian: CRC-32C of all before it in the block
//
// Readers pass over blocks whose kind they do not know, and over what follows the
// content described here. Numbers are varints as in encoding/binary, "signed" ones
// zigzag; a string is its length and its bytes. A float is the varint of its 64
// bits with the bytes reversed, so that round numbers are short. Ticks and
// nanoseconds count from the beginning of the recording.
//
//	1 start    time of day of the beginning: nanoseconds of Unix time, signed
//	2 names    number of the first, count, strings: a part of the table of names
//	3 workers  number of the first, count, strings: a part of the table of rows
//	4 records  count of records, row, records of this row dropped before these,
//	           the moment of writing as ticks and as nanoseconds, base tick (signed),
//	           records
//	5 lost     records that a feed left out here for this viewer
//	6 end      records in the stream, records dropped, both in all
//	7 open     a moment as ticks and as nanoseconds, first row, count of rows, how many
//	           of these have scopes that were open at that moment; for each of those,
//	           in order: row, count of scopes at most 1023, and of each scope, outermost
//	           first: ticks since the begin of the one before (signed; of the first:
//	           since the beginning), name, detail
//
// Names and rows come before the first block that uses them, and without a gap; they
// may come again. What a block says to be open on its rows replaces what was said
// before; a scope is no longer open when its record comes, or that of one around it.
// The moments of successive blocks are the points between which ticks are converted
// to nanoseconds linearly, the beginning being
// the point 0, 0.
//
// A record is
//
//	head       shape * 4 + 2 if the detail is that of the record before (at first: 0)
//	                     + 1 if it is a scope that began before "last"
//	shape      kind, name: only if the number of the shape is that of those defined
//	           in the block so far; others refer to an earlier definition
//	detail     name: only if it differs
//	time       ticks from "last" to the record; of a scope to its beginning or, if
//	           that was before "last", to its end
//	body       scope (1): duration in ticks; instant (2): nothing; value (3): float;
//	           vector (4): count, floats; alloc (5), free (6): bytes, signed;
//	           flow out (7), flow in (8): id; user (9): length, bytes;
//	           any other: length, bytes, so that it can be passed over
//
// where "last" is the time of the record before, of a scope its end, and at first
// the base.
package events
