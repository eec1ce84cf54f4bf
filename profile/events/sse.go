package events

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"
)

// heartbeat is the maximum time without data to a viewer. After a longer silence, the viewer or a
// proxy could consider the connection dead.
const heartbeat = 15 * time.Second

// WriteSSE writes the stream as server-sent events, for an EventSource in a browser, and calls
// flush after each write. It ends, and returns errors, as [Feed.WriteStream] does. The data of each
// event is JSON. Times are nanoseconds since the beginning, and names are indexes into the table of
// names sent so far:
//
//	event: start    {"start":"2006-01-02T15:04:05.999Z"}
//	event: names    {"first":0,"names":["","…","cook/encode"]}
//	event: workers  {"first":0,"names":["worker 0"]}
//	event: events   {"worker":0,"dropped":0,"events":[
//	                  {"kind":"scope","name":2,"detail":0,"time":1200,"dur":350},
//	                  {"kind":"value","name":2,"time":1300,"values":[0.5]},
//	                  {"kind":"flow out","time":1300,"flow":"7"},
//	                  {"kind":"user","name":2,"time":1400,"data":"base64"}]}
//	event: open     {"first":0,"count":1,"scopes":[
//	                  {"worker":0,"name":2,"detail":0,"time":1200,"dur":2000000000}]}
//	event: end      {"dropped":0}
//
// All names so far come first, then an "events" event for each buffer of a worker. "dropped" is
// [Stream.Dropped]. Values that are NaN or infinite are null. After 15 seconds without data,
// WriteSSE sends a comment.
//
// After "end" a page should close its EventSource, otherwise it reconnects and gets everything
// again.
func (f *Feed) WriteSSE(ctx context.Context, w io.Writer, flush func() error) error {
	v := f.join()
	defer f.leave(v)
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var page sse
	for {
		ended := false
		page.out = page.out[:0]
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			page.out = append(page.out, ": nothing new\n\n"...)
		case <-v.wake:
			var parts [][]byte
			parts, ended = f.takeForViewer(v)
			for _, part := range parts {
				if err := page.appendBlocks(part); err != nil {
					return err
				}
			}
			beat.Reset(heartbeat)
		}
		if _, err := w.Write(page.out); err != nil {
			return err
		}
		if err := flush(); err != nil || ended {
			return err
		}
	}
}

// An sse converts blocks of a stream to server-sent events.
type sse struct {
	decoder
	out                []byte
	toldNames, toldRow int
}

// appendBlocks converts a part of the stream: whole blocks, with the magic bytes before the first
// block.
func (s *sse) appendBlocks(part []byte) error {
	if len(part) >= len(magic) && string(part[:len(magic)]) == magic {
		part = part[len(magic):]
	}
	for len(part) > 0 {
		n, _ := blockLen(part)
		kind, content, ok := openedBlock(part[:n])
		if !ok {
			return damaged("the checksum of a block does not match")
		}
		if err := s.openContent(kind, content); err != nil {
			return err
		}
		part = part[n:]
		switch kind {
		case blockStart:
			s.event("start", map[string]any{"start": time.Unix(0, s.began).UTC()})
		case blockNames:
			s.event("names", map[string]any{"first": s.toldNames, "names": s.names[s.toldNames:]})
			s.toldNames = len(s.names)
		case blockRows:
			s.event("workers", map[string]any{"first": s.toldRow, "names": s.rows[s.toldRow:]})
			s.toldRow = len(s.rows)
		case blockRecords:
			if err := s.records(); err != nil {
				return err
			}
		case blockOpen:
			s.stillsOf(content)
		case blockEnd:
			s.event("end", map[string]any{"dropped": addCapped(s.dropped, uint64(s.lost))})
		}
	}
	return nil
}

func (s *sse) event(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic("events: " + err.Error()) // Numbers, strings and times can always be marshaled.
	}
	s.out = fmt.Appendf(s.out, "event: %s\ndata: %s\n\n", name, text)
}

// records converts an opened block of records. It does not use encoding/json, because there may be
// thousands of records, and no field needs escaping.
func (s *sse) records() error {
	b := fmt.Appendf(s.out, "event: events\ndata: {\"worker\":%d,\"dropped\":%d,\"events\":[",
		s.row, addCapped(s.dropped, uint64(s.lost)))
	var r record
	for between := ""; ; between = "," {
		more, err := s.next(&r)
		if err != nil {
			return err
		}
		if !more {
			break
		}
		b = append(b, between...)
		b = appendJSON(b, &r)
	}
	s.out = append(b, "]}\n\n"...)
	return nil
}

// stillsOf converts an opened block of open scopes.
func (s *sse) stillsOf(content []byte) {
	p := parser{rest: content}
	p.any() // Skip the time of the list.
	p.any()
	b := fmt.Appendf(s.out, "event: open\ndata: {\"first\":%d,\"count\":%d,\"scopes\":[", p.any(), p.any())
	var r record
	for between := ""; s.nextStill(&r); between = "," {
		b = fmt.Appendf(b, `%s{"worker":%d,"name":%d,"detail":%d,"time":%d,"dur":%d}`, between, s.row, r.name, r.detail, r.start, r.dur)
	}
	s.out = append(b, "]}\n\n"...)
}

func appendJSON(b []byte, r *record) []byte {
	number := func(key string, n int64) {
		b = append(b, key...)
		b = strconv.AppendInt(b, n, 10)
	}
	b = append(b, `{"kind":"`...)
	b = append(b, r.kind.String()...)
	b = append(b, '"')
	if r.kind != FlowOut && r.kind != FlowIn {
		number(`,"name":`, int64(r.name))
	}
	if r.kind == Scope || r.kind == Instant {
		number(`,"detail":`, int64(r.detail))
	}
	number(`,"time":`, r.start)
	switch r.kind {
	case Scope:
		number(`,"dur":`, r.dur)
	case Value, Vector, Alloc, Free:
		b = append(b, `,"values":[`...)
		for i, v := range r.values {
			if i > 0 {
				b = append(b, ',')
			}
			if math.IsNaN(v) || math.IsInf(v, 0) {
				b = append(b, "null"...)
			} else {
				b = strconv.AppendFloat(b, v, 'g', -1, 64)
			}
		}
		b = append(b, ']')
	case FlowOut, FlowIn: // The id is written as a string, because a double cannot hold all ids.
		b = append(b, `,"flow":"`...)
		b = strconv.AppendUint(b, r.flow, 10)
		b = append(b, '"')
	case User:
		b = append(b, `,"data":"`...)
		b = base64.StdEncoding.AppendEncode(b, r.data)
		b = append(b, '"')
	}
	return append(b, '}')
}
