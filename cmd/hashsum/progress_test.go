package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
)

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		done, total, files int64
		rate               float64
		want               string
	}{
		{0, 0, 0, 0, "0 B, 0 files, 0 B/s"},
		{1 << 30, 0, 12, 500e6, "1.0 GiB, 12 files, 476.8 MiB/s"},
		{1 << 29, 1 << 30, 12, 1 << 28, "512.0 MiB of 1.0 GiB (50%), 12 files, 256.0 MiB/s, 2s left"},
		{3 << 30, 1 << 30, 1, 1 << 28, "3.0 GiB of 1.0 GiB (100%), 1 file, 256.0 MiB/s"},
		{1, 1 << 62, 1, 1e-9, "1 B of 4.0 EiB (0%), 1 file, 0 B/s, 100h0m0s left"},
	} {
		if got := progressLine(c.done, c.total, c.files, c.rate); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// screen returns the text that a terminal line shows after some writes.
func screen(written string) string {
	line, at := []byte{}, 0
	written = strings.ReplaceAll(written, "\r\x1b[K", "\n")
	for i := range len(written) {
		switch c := written[i]; {
		case c == '\r':
			at = 0
		case c == '\n':
			line, at = line[:0], 0
		case at < len(line):
			line[at] = c
			at++
		default:
			line, at = append(line, c), at+1
		}
	}
	return strings.TrimRight(string(line), " ")
}

func TestProgressDraws(t *testing.T) {
	var terminal bytes.Buffer
	columns := 80
	start := time.Unix(0, 0)
	p := newProgress(frontend.NewLive(&terminal, func() int { return columns }), start)
	shows := func(when, want string) {
		t.Helper()
		if got := screen(terminal.String()); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}

	p.countBytes(1_000_000)
	p.finished()
	p.drawAt(start.Add(time.Second))
	shows("after a second", "976.6 KiB, 1 file, 976.6 KiB/s")
	p.total.Store(10_000_000)
	p.countBytes(2_000_000)
	p.drawAt(start.Add(2 * time.Second))
	// The expected rate is 0.93*1e6 + 0.07*2e6 bytes per second.
	shows("after two", "2.9 MiB of 9.5 MiB (30%), 1 file, 1.0 MiB/s, 7s left")
	p.printBeside(func() {
		shows("aside", "")
		terminal.WriteString("hashsum: something\n")
	})
	columns = 10
	p.drawAt(start.Add(2 * time.Second))
	shows("in 10 columns", "2.9 MiB ~")
	columns = 0
	p.drawAt(start.Add(2 * time.Second))
	shows("in none", "")
}

func TestProgressRuns(t *testing.T) {
	var terminal bytes.Buffer
	start := time.Unix(0, 0)
	p := newProgress(frontend.NewLive(&terminal, func() int { return 80 }), start)
	ticks, stop, done := make(chan time.Time), make(chan struct{}), make(chan struct{})
	measures := 0
	go func() {
		p.drawProgress(ticks, stop, func() { measures++ })
		close(done)
	}()
	tick := func(at time.Duration) { ticks <- start.Add(at) }
	tick(progressAfter - 1)
	tick(0) // ticks is unbuffered, so the previous tick has been handled
	if terminal.Len() > 0 {
		t.Errorf("%q in the first second", terminal.String())
	}
	tick(progressAfter)
	tick(progressAfter + progressEvery)
	close(stop)
	<-done
	if got := screen(terminal.String()); terminal.Len() == 0 || got != "" || measures != 1 {
		t.Errorf("wrote %d bytes, left %q, measured %d times", terminal.Len(), got, measures)
	}
}

func TestNilProgress(t *testing.T) {
	var p *progressDisplay
	p.countBytes(1)
	p.finished()
	ran := false
	if p.printBeside(func() { ran = true }); !ran {
		t.Error("aside did nothing")
	}
}

// A pickyWriter fails on writes that are not whole lines.
type pickyWriter struct {
	t      *testing.T
	writes int
	err    error
	bytes.Buffer
}

func (w *pickyWriter) Write(b []byte) (int, error) {
	if w.writes++; b[len(b)-1] != '\n' {
		w.t.Errorf("half a line: %q", b[max(0, len(b)-40):])
	}
	w.Buffer.Write(b)
	return len(b), w.err
}

func TestOutputWritesWholeLines(t *testing.T) {
	w := &pickyWriter{t: t}
	o := &output{w: w}
	var want strings.Builder
	for i := range 10_000 {
		line := strings.Repeat("x", i%100)
		o.writeLine([]byte(line), '\n')
		want.WriteString(line + "\n")
	}
	o.flushOutput()
	if w.String() != want.String() || w.writes > want.Len()/outputSize+1 {
		t.Errorf("%d bytes of %d in %d writes", w.Len(), want.Len(), w.writes)
	}
}

func TestOutputOnTerminal(t *testing.T) {
	w := &pickyWriter{t: t}
	o := &output{w: w, terminal: true}
	o.writeLine([]byte("a\x1b[2Jb\xff\nc"), '\n')
	if got := w.String(); got != `a\x1b[2Jb\xff\nc`+"\n" {
		t.Errorf("%q", got)
	}
}

func TestOutputRemembersError(t *testing.T) {
	w := &pickyWriter{t: t, err: errors.New("full")}
	o := &output{w: w}
	for range 10 {
		o.writeLine([]byte("x"), '\n')
		o.flushOutput()
	}
	if o.err != w.err || w.writes != 1 {
		t.Errorf("%v after %d writes", o.err, w.writes)
	}
}
