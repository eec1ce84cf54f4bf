package faultlink

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// echo starts a server that sends back all bytes, and returns its address.
func echo(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				io.Copy(c, c)
				c.Close()
			}()
		}
	}()
	return listener.Addr().String()
}

func open(t *testing.T, opt Options) *Link {
	l, err := Open(echo(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// through sends bytes over a link in small pieces. It returns up to n bytes of the answer, or fewer
// if the connection stalls or ends.
func through(t *testing.T, l *Link, data []byte, n int) []byte {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() {
		for data := data; len(data) > 0; data = data[min(100, len(data)):] {
			if _, err := c.Write(data[:min(100, len(data))]); err != nil {
				return
			}
		}
	}()
	back := make([]byte, n)
	got, _ := io.ReadFull(c, back)
	return back[:got]
}

func someBytes() []byte {
	data := make([]byte, 50_000)
	for i := range data {
		data[i] = byte(i % 251)
	}
	return data
}

func TestEachFaultHasItsEffect(t *testing.T) {
	data := someBytes()
	const at = 20_000
	corrupt := bytes.Clone(data)
	corrupt[at] ^= 0x10
	for name, tc := range map[string]struct {
		fault Fault
		n     int
		want  []byte
	}{
		"nothing":    {Fault{}, len(data), data},
		"cut":        {Fault{Kind: Cut, At: at}, len(data), data[:at]},
		"corrupt":    {Fault{Kind: Corrupt, At: at, Size: 1, Mask: 0x10}, len(data), corrupt},
		"duplicated": {Fault{Kind: Duplicate, At: at, Size: 1}, len(data), append(bytes.Clone(data[:at+1]), data[at:len(data)-1]...)},
	} {
		for _, down := range []bool{false, true} {
			tc.fault.Down = down
			l := open(t, Options{Fault: func() Fault { return tc.fault }})
			got := through(t, l, data, tc.n)
			if name == "cut" && !down && bytes.HasPrefix(tc.want, got) {
				continue // closing the connection discards bytes that are still on their way
			}
			if !bytes.Equal(got, tc.want) {
				t.Errorf("%s, down %v: %d bytes, want %d", name, down, len(got), len(tc.want))
			}
		}
	}
}

// TestFrozenConnectionPassesNothing checks that a frozen connection forwards nothing in either
// direction, and ends when the link is closed.
func TestFrozenConnectionPassesNothing(t *testing.T) {
	l := open(t, Options{Fault: func() Fault { return Fault{Kind: Freeze, Down: true, At: 10} }})
	c, err := net.Dial("tcp", l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(make([]byte, 100))
	back := make([]byte, 100)
	if n, err := io.ReadFull(c, back[:10]); n != 10 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	ended := make(chan int)
	go func() {
		c.Write(make([]byte, 100))
		n, _ := c.Read(back)
		ended <- n
	}()
	select {
	case n := <-ended:
		t.Errorf("%d bytes from a frozen connection", n)
	default:
	}
	l.Refuse()
	if n := <-ended; n != 0 {
		t.Errorf("%d bytes from a frozen connection", n)
	}
}

func TestEndedServerRefuses(t *testing.T) {
	l := open(t, Options{Fault: func() Fault { return Fault{Kind: Refusal} }})
	if got := through(t, l, []byte("hello"), 5); len(got) > 0 {
		t.Errorf("%q from a server that has ended", got)
	}
	if c, err := net.Dial("tcp", l.Addr()); err == nil {
		c.Close()
		t.Error("connected")
	}
}

// TestBytesAreLateByDelayAndRate checks that bytes arrive after the delay, and not faster than the
// rate.
func TestBytesAreLateByDelayAndRate(t *testing.T) {
	w := &wire{delay: time.Hour, rate: 1000}
	first, second := w.dueTime(500), w.dueTime(1500)
	if until := time.Until(first); until < time.Hour || until > time.Hour+time.Second {
		t.Errorf("due in %v", until)
	}
	if after := second.Sub(first); after != 1500*time.Millisecond {
		t.Errorf("1500 bytes take %v", after)
	}
}

// TestEveryKindIsDrawn calls Draw often for each kind, and expects different faults.
func TestEveryKindIsDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, kind := range Kinds() {
		seen, bad := map[Fault]bool{}, 0
		for range 50 {
			opt := Draw(kind, r.IntN)
			if opt.Fault == nil {
				seen[Fault{At: int64(opt.Rate)}] = true
				bad++
				continue
			}
			if f := opt.Fault(); f.Kind != Nothing {
				seen[f] = true
				bad++
			}
		}
		if bad < 20 || len(seen) < bad*9/10 {
			t.Errorf("%s: %d faults, %d of them different", kind, bad, len(seen))
		}
	}
}
