// Package events records what a program does and when, cheaply enough to leave it on: scopes,
// instants, values, memory and flows between workers, with time stamps accurate to a few
// nanoseconds, as one compact stream that can be kept and watched live.
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
// At the end call rec.Close. [Read] reads the stream from its beginning, a [Tape] reads any part
// of it, and a [Feed] serves it to viewers during the recording. A program that does not record
// uses a nil [Recorder]: the recorder and everything derived from it then do nothing except a nil
// check.
//
// # How it works
//
// A [Worker] appends records of 16 bytes to a buffer of 64 KiB. It takes no lock, allocates
// nothing and stores names as [Symbol] values. The recorder's goroutine encodes and writes full
// buffers, and the worker takes an empty buffer from a pool that never grows. A worker never
// waits: if writing cannot keep up and the pool is empty, records are dropped and counted.
//
// The time in a record is a tick of the processor's counter. Each block of the stream pairs a
// tick with the monotonic time, so that the reader can convert ticks to nanoseconds.
//
// A scope is one record, written when the scope ends. The records of a worker are therefore
// ordered by end: inner scopes come before the scope around them. The times of scopes nest
// exactly.
//
// The stream also lists open scopes, which have begun and not ended, so that a hanging scope is
// visible, even after the process was killed. A worker stores its open scopes, to a depth of 32,
// in words that the recorder's goroutine reads without a lock. That goroutine writes the open
// scopes when a worker is flushed, every second (see [Options]) and at Close. A reader gets open
// scopes as events of the kind [Open]; [Stream.Open] returns the scopes that are open at the
// reader's position. A truncated recording can be read up to its last whole block.
//
// # Format
//
// A stream, in files ending in .events, is the 8 bytes 89 45 56 45 4e 54 53 01, whose last byte
// is the version, and blocks:
//
//	length   4 bytes, little endian, at most 262144
//	kind     1 byte
//	content  as many bytes as length says
//	sum      4 bytes, little endian: CRC-32C of all bytes before it in the block
//
// Readers skip blocks of unknown kinds, and bytes that follow the content described here. Numbers
// are varints as in encoding/binary, "signed" ones zigzag; a string is its length and its bytes.
// A float is the varint of its 64 bits with the bytes reversed, so that round numbers are short.
// Ticks and nanoseconds count from the beginning of the recording.
//
//	1 start    time of day of the beginning: nanoseconds of Unix time, signed
//	2 names    number of the first, count, strings: a part of the table of names
//	3 workers  number of the first, count, strings: a part of the table of rows
//	4 records  count of records, row, records of this row dropped before these,
//	           the moment of writing as ticks and as nanoseconds, base tick (signed),
//	           records
//	5 lost     number of records that a feed left out here for this viewer
//	6 end      total of records in the stream, total of records dropped
//	7 open     a moment as ticks and as nanoseconds, first row, count of rows, number of
//	           these rows with open scopes at that moment; for each such row, in order:
//	           row, count of scopes at most 1023, and for each scope, outermost first:
//	           ticks since the begin of the previous scope (signed; for the first scope
//	           since the beginning), name, detail
//
// Names and rows come without gaps, before the first block that uses them, and may be repeated. A
// block of open scopes replaces earlier information about its rows. An open scope ends when its
// own record or the record of a scope around it follows. Ticks between the moments of successive
// blocks are converted to nanoseconds by linear interpolation, beginning with tick 0 at 0 ns.
//
// A record is
//
//	head       shape * 4 + 2 if the detail equals the previous record's (at first: 0)
//	                     + 1 if it is a scope that began before "last"
//	shape      kind, name: only if the number of the shape equals the number of shapes
//	           defined in the block so far; smaller numbers refer to a defined shape
//	detail     name: only if it differs
//	time       ticks from "last" to the record; for a scope to its beginning or, if it
//	           began before "last", to its end
//	body       scope (1): duration in ticks; instant (2): nothing; value (3): float;
//	           vector (4): count, floats; alloc (5), free (6): bytes, signed;
//	           flow out (7), flow in (8): id; user (9): length, bytes;
//	           any other: length, bytes, so that readers can skip it
//
// where "last" is the time of the previous record, or its end if it is a scope. For the first
// record of a block, "last" is the base.
package events
