package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drain takes what there is for a viewer.
func drain(f *Feed, v *viewer, to *[]byte) (ended bool) {
	parts, ended := f.take(v)
	for _, part := range parts {
		*to = append(*to, part...)
	}
	return ended
}

// However the stream is cut, a viewer who is there from the beginning gets all,
// the tables before the records; one who comes in the middle gets what is after
// that, with all names; one who comes after the end gets the names and the end.
func TestFeedJoin(t *testing.T) {
	stream, ends := sample(t)
	_, want := readAll(t, stream)
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		f := NewFeed()
		joinAt := rnd.IntN(len(stream) + 1)
		early, early2 := f.join(), []byte(nil)
		var middle *viewer
		var middle2 []byte
		for at := 0; at < len(stream); {
			if at >= joinAt && middle == nil {
				middle, joinAt = f.join(), at
			}
			n := min(1+rnd.IntN(100), len(stream)-at)
			if got, err := f.Write(stream[at : at+n]); got != n || err != nil {
				t.Fatal(got, err)
			}
			at += n
			if rnd.IntN(3) == 0 {
				drain(f, early, &early2)
			}
			if rnd.IntN(3) == 0 && middle != nil {
				drain(f, middle, &middle2)
			}
		}
		if middle == nil {
			middle, joinAt = f.join(), len(stream)
		}
		if !drain(f, early, &early2) || !drain(f, middle, &middle2) {
			t.Fatal("no end")
		}
		if _, got := readAll(t, early2); !cmp.Equal(got, want) {
			t.Fatalf("from the beginning: %s", cmp.Diff(want, got))
		}
		_, got := readAll(t, middle2)
		missed := len(eventsUpTo(t, stream, ends, joinAt))
		if len(got) != len(want)-missed {
			t.Fatalf("from %d on: %d events, want %d", joinAt, len(got), len(want)-missed)
		}
		for i, e := range got {
			if w := want[missed+i]; e.Kind != w.Kind || e.Name != w.Name || e.Detail != w.Detail {
				t.Fatalf("from %d on: event %d is %+v, want %+v", joinAt, i, e, w)
			}
		}
		f.leave(early)
		f.leave(middle)
		if len(f.viewers) != 0 {
			t.Fatal("viewers that left are still there")
		}
	}
}

// A viewer who takes nothing loses whole blocks, is told how many records, and has
// what comes afterwards.
func TestSlowViewer(t *testing.T) {
	f := NewFeed()
	r := New(f, Options{Buffers: 4 * maxQueue})
	v := f.join()
	w := r.Worker("worker")
	var got []byte
	block := func(i int) {
		want := r.Stats().Events + 3
		for range 3 {
			w.Instant(r.Symbol(fmt.Sprint("block ", i)), 0) // with a name that is new
		}
		w.Flush()
		for r.Stats().Events < want {
			w.Flush() // gives way, nothing more
		}
	}
	const blocks = 2*maxQueue + 5
	for i := range blocks {
		block(i)
		if i == maxQueue+9 { // 10 blocks are lost
			drain(f, v, &got)
		}
	}
	w.Release()
	r.Close()
	if !drain(f, v, &got) {
		t.Fatal("no end")
	}
	s := Read(bytes.NewReader(got))
	i := 0
	for e, err := range s.All() {
		if err != nil {
			t.Fatal(err)
		}
		block, dropped := i/3, int64(0)
		if block >= maxQueue {
			block, dropped = block+10, 30
		}
		if want := fmt.Sprint("block ", block); e.Name != want || s.Dropped() != dropped {
			t.Fatalf("event %d is of %q with %d dropped, want %q and %d", i, e.Name, s.Dropped(), want, dropped)
		}
		i++
	}
	if i != 3*(blocks-10) || s.Dropped() != 30 || r.Stats().Dropped != 0 {
		t.Errorf("%d events, %d dropped for the viewer, %d by the recorder", i, s.Dropped(), r.Stats().Dropped)
	}
}

func TestFeedTakesOnlyStreams(t *testing.T) {
	stream, _ := sample(t)
	for name, data := range map[string]string{
		"text":        "this is no stream",
		"long block":  magic + "\xff\xff\xff\xff\x04",
		"old version": magic[:len(magic)-1] + "\x00",
	} {
		f := NewFeed()
		for _, data := range []string{data, string(stream)} { // the feed has lost its place
			if n, err := f.Write([]byte(data)); n != 0 || !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
	}
}

// Over TCP: viewers come, go early, stay to the end or come after it; closing the
// listener ends Serve and every connection.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := NewFeed()
	served := make(chan error, 1)
	go func() { served <- f.Serve(l) }()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	r := New(f, Options{})
	w := r.Worker("worker")
	stays, goes := dial(), dial()
	s, gone := Read(stays), Read(goes)
	// A viewer has joined when it gets something; until then there is more.
	first := make(chan string, 2)
	for _, s := range []*Stream{s, gone} {
		go func() {
			for e, err := range s.All() {
				first <- fmt.Sprint(e.Name, err)
				break
			}
		}()
	}
	sent := int64(0)
	for joined := 0; joined < 2; sent++ {
		w.Instant(r.Symbol("hello"), 0)
		w.Flush()
		select {
		case got := <-first:
			if joined++; got != "hello<nil>" {
				t.Errorf("the first event is %s", got)
			}
		default:
		}
	}
	goes.Close()
	for waits := true; waits; { // so that there is room for the last block
		f.mu.Lock()
		waits = r.Stats().Events+r.Stats().Dropped < sent
		for v := range f.viewers {
			waits = waits || len(v.queue) > 0
		}
		f.mu.Unlock()
		runtime.Gosched()
	}
	w.Instant(r.Symbol("bye"), 0)
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := collect(s)
	if err != nil || len(rest) == 0 || rest[len(rest)-1].Name != "bye" {
		t.Errorf("the viewer who stayed got %d events and %v", len(rest), err)
	}
	if _, err := io.Copy(io.Discard, stays); err != nil { // it hangs up by itself
		t.Error(err)
	}
	late, err := collect(Read(dial()))
	if err != nil || len(late) != 0 {
		t.Errorf("the viewer who was late got %d events and %v", len(late), err)
	}
	l.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if len(f.viewers) != 0 {
		t.Errorf("%d viewers are left", len(f.viewers))
	}
}

// Closing the listener hangs up on viewers of a recording that goes on.
func TestServeHangsUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := NewFeed()
	r := New(f, Options{})
	defer r.Close()
	served := make(chan error, 1)
	go func() { served <- f.Serve(l) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len(magic))); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Logf("the connection ended with %v", err) // by end or by reset, but it ended
	}
}
