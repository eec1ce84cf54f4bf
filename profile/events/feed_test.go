package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drain appends all new data of a viewer to a slice.
func drain(f *Feed, v *viewer, to *[]byte) (ended bool) {
	parts, ended := f.takeForViewer(v)
	for _, part := range parts {
		*to = append(*to, part...)
	}
	return ended
}

// TestViewerGetsTheStreamFromWhereItJoins cuts the stream at random. A viewer that joins at the
// beginning must get everything, with tables before records. A later viewer must get the later
// records, with all names. A viewer that joins after the end must get the names and the end.
func TestViewerGetsTheStreamFromWhereItJoins(t *testing.T) {
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
			t.Fatal("the feed still holds viewers that left")
		}
	}
}

// A viewer that reads nothing for a while loses whole blocks. It must get the number of lost
// records, and then the later blocks.
func TestSlowViewerLosesWholeBlocks(t *testing.T) {
	f := NewFeed()
	r := New(f, Options{Buffers: 4 * maxQueue})
	v := f.join()
	w := r.Worker("worker")
	var got []byte
	block := func(i int) {
		want := r.Stats().Events + 3
		for range 3 {
			w.Instant(r.Symbol(fmt.Sprint("block ", i)), 0) // Each instant has a new name.
		}
		w.Flush()
		for r.Stats().Events < want {
			w.Flush() // There is nothing to flush, but the call lets other goroutines run.
		}
	}
	const blocks = 2*maxQueue + 5
	for i := range blocks {
		block(i)
		if i == maxQueue+9 { // The viewer has lost 10 blocks.
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
		t.Errorf("%d events; %d dropped for the viewer, %d by the recorder", i, s.Dropped(), r.Stats().Dropped)
	}
}

func TestFeedTakesOnlyStreams(t *testing.T) {
	stream, _ := sample(t)
	for name, data := range map[string]string{
		"text":        "this is not a stream",
		"long block":  magic + "\xff\xff\xff\xff\x04",
		"old version": magic[:len(magic)-1] + "\x00",
	} {
		f := NewFeed()
		for _, data := range []string{data, string(stream)} { // After the error, the feed does not know where a block begins.
			if n, err := f.Write([]byte(data)); n != 0 || !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
	}
}

func TestViewersComeAndGo(t *testing.T) {
	f := NewFeed()
	var serving sync.WaitGroup
	view := func() net.Conn {
		here, there := net.Pipe()
		serving.Go(func() {
			f.WriteStream(t.Context(), there)
			there.Close()
		})
		return here
	}
	r := New(f, Options{})
	w := r.Worker("worker")
	stays, goes := view(), view()
	s, gone := Read(stays), Read(goes)
	// A viewer has joined when it gets an event, so keep recording until then.
	first := make(chan string, 2)
	for _, s := range []*Stream{s, gone} {
		go func() {
			for e, err := range s.All() {
				first <- fmt.Sprint(e.Name, err)
				break
			}
		}()
	}
	for joined := 0; joined < 2; {
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
	w.Release()
	rest := make(chan error)
	go func() {
		_, err := collect(s)
		rest <- err
	}()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-rest; err != nil {
		t.Errorf("the viewer that stayed got %v", err)
	}
	if n, err := stays.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after the end the connection gave %d bytes and %v", n, err)
	}
	late, err := collect(Read(view()))
	if err != nil || len(late) != 0 {
		t.Errorf("the late viewer got %d events and %v", len(late), err)
	}
	serving.Wait()
	if len(f.viewers) != 0 {
		t.Errorf("%d viewers are left", len(f.viewers))
	}
}

func TestWriteStreamDone(t *testing.T) {
	f := NewFeed()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- f.WriteStream(ctx, io.Discard) }()
	cancel()
	if err := <-served; err != nil || len(f.viewers) != 0 {
		t.Errorf("%v, %d viewers are left", err, len(f.viewers))
	}
}

// The feed must hang up when a viewer of an idle recording hangs up, or when a viewer sends too
// much.
func TestServeConnHangUp(t *testing.T) {
	for name, end := range map[string]func(net.Conn){
		"hangs up": func(viewer net.Conn) { viewer.Close() },
		"floods": func(viewer net.Conn) {
			if n, err := viewer.Write(make([]byte, 2*maxSaid)); n != maxSaid || err == nil {
				t.Errorf("%d bytes were read, %v", n, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := NewFeed()
			here, there := net.Pipe()
			served := make(chan struct{})
			go func() {
				defer close(served)
				f.ServeConn(t.Context(), there)
			}()
			end(here)
			<-served
			if n, err := here.Read(make([]byte, 1)); n != 0 || err == nil || len(f.viewers) != 0 {
				t.Errorf("the viewer can read %d bytes, %v; %d viewers are left", n, err, len(f.viewers))
			}
		})
	}
}

// A connection to a viewer that reads nothing must end when its context ends.
func TestServeConnStuck(t *testing.T) {
	f := NewFeed()
	r := New(f, Options{})
	defer r.Close()
	ctx, cancel := context.WithCancel(t.Context())
	here, there := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		f.ServeConn(ctx, there)
	}()
	if _, err := here.Read(make([]byte, 1)); err != nil { // After this byte the feed blocks, because no further bytes are read.
		t.Error(err)
	}
	cancel()
	<-served
	if _, err := here.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
}
