package export

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/profile/events"
)

// writeChrome writes Chrome's trace event format as gzipped JSON. A slice takes about 90 bytes
// before compression.
//
// Times are microseconds with three decimals. Some have a fourth decimal, a tenth of a nanosecond,
// so that a reader that calculates in floating point does not lose one nanosecond. The format has a
// setting to show nanoseconds (displayTimeUnit), but some trace processors then misread the numbers
// as nanoseconds, so writeChrome does not use it. JSON cannot express infinities and NaN, so such
// counter values are omitted.
func writeChrome(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	packed := gzip.NewWriter(w)
	c := chromeWriter{out: bufio.NewWriterSize(packed, 64<<10), timeline: t}
	c.out.WriteString(`{"traceEvents":[` + "\n")
	c.metadata("process_name", processID, t.process)
	for i, r := range t.rows {
		c.metadata("thread_name", threadOf(i), r.name)
	}
	for i, r := range t.rows {
		for place := range r.spans {
			c.span(r, place, threadOf(i))
		}
	}
	for _, l := range t.levels {
		c.level(l)
	}
	c.out.WriteString("\n]")
	if !t.start.IsZero() {
		c.out.WriteString(`,"otherData":{"start":"` + t.start.UTC().Format(time.RFC3339Nano) + `"}`)
	}
	c.out.WriteString("}\n")
	return errors.Join(failed, c.out.Flush(), packed.Close())
}

// threadOf returns the thread number of a row. The counters belong to the main thread.
func threadOf(row int) int { return processID + 1 + row }

// A chromeWriter writes events as JSON. For each event call begin, add the fields, and call put.
type chromeWriter struct {
	*timeline
	out   *bufio.Writer
	line  []byte
	lines int
}

func (c *chromeWriter) begin(phase byte, thread int) {
	c.line = append(c.line[:0], `{"ph":"`...)
	c.line = append(c.line, phase)
	c.line = append(c.line, `","pid":`...)
	c.line = strconv.AppendInt(c.line, processID, 10)
	c.line = append(c.line, `,"tid":`...)
	c.line = strconv.AppendInt(c.line, int64(thread), 10)
}

func (c *chromeWriter) put() {
	if c.lines++; c.lines > 1 {
		c.out.WriteString(",\n")
	}
	c.line = append(c.line, '}')
	c.out.Write(c.line)
}

// micros adds a field with a time in microseconds. Trace processors multiply the floating-point
// number by 1000 and truncate, which makes some numbers one nanosecond smaller. A fourth decimal
// prevents this.
func (c *chromeWriter) micros(field string, ns int64) {
	c.line = append(c.line, field...)
	c.line = strconv.AppendInt(c.line, ns/1000, 10)
	c.line = append(c.line, '.', byte('0'+ns/100%10), byte('0'+ns/10%10), byte('0'+ns%10))
	if us := float64(ns) / 1000; int64(us*1000) < ns {
		c.line = append(c.line, '1')
	}
}

// text adds a text field. It escapes only two characters, because the text has no unprintable ones.
func (c *chromeWriter) text(field, s string) {
	c.line = append(c.line, field...)
	c.line = append(c.line, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			c.line = append(c.line, '\\')
		}
		c.line = append(c.line, s[i])
	}
	c.line = append(c.line, '"')
}

func (c *chromeWriter) metadata(kind string, thread int, name string) {
	c.begin('M', thread)
	c.text(`,"name":`, kind)
	c.text(`,"args":{"name":`, name)
	c.line = append(c.line, '}')
	c.put()
}

// span writes a span, and then the arrows that begin or end at the span. Readers attach an arrow to
// the preceding span.
func (c *chromeWriter) span(r *row, place, thread int) {
	s := &r.spans[place]
	phase := byte('i')
	if s.kind == events.Scope {
		phase = 'X'
	}
	c.begin(phase, thread)
	c.micros(`,"ts":`, s.begin)
	if s.kind == events.Scope {
		c.micros(`,"dur":`, s.end-s.begin)
	} else {
		c.text(`,"s":`, "t") // For an instant event, the field "s" is the scope; t means the thread.
	}
	c.text(`,"name":`, c.names[s.title()])
	c.text(`,"cat":`, c.names[s.name])
	if s.kind == events.User {
		c.line = append(c.line, `,"args":{"bytes":`...)
		c.line = strconv.AppendUint(c.line, s.what, 10)
		c.line = append(c.line, '}')
	}
	c.put()
	for _, a := range r.out[place] {
		c.arrow('s', a, thread)
	}
	for _, a := range r.in[place] {
		c.arrow('f', a, thread)
	}
}

func (c *chromeWriter) arrow(phase byte, a arrow, thread int) {
	c.begin(phase, thread)
	c.micros(`,"ts":`, a.time)
	c.text(`,"name":`, c.names[a.name])
	c.text(`,"cat":`, "flow")
	c.line = append(c.line, `,"id":`...)
	c.line = strconv.AppendUint(c.line, a.id, 10)
	if phase == 'f' {
		c.text(`,"bp":`, "e") // This attaches the arrow to the enclosing slice, not to the next one.
	}
	c.put()
}

func (c *chromeWriter) level(l level) {
	if math.IsNaN(l.value) || math.IsInf(l.value, 0) {
		return
	}
	c.begin('C', processID)
	c.micros(`,"ts":`, l.time)
	c.text(`,"name":`, c.tracks[l.track].name)
	c.line = append(c.line, `,"args":{"value":`...)
	c.line = strconv.AppendFloat(c.line, l.value, 'g', -1, 64)
	c.line = append(c.line, '}')
	c.put()
}
