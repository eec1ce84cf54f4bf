package peer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// upper answers a request with its text in upper case.
func upper(_ context.Context, question []byte) []byte { return bytes.ToUpper(question) }

// client returns one end of a connection. A call of answerClient serves the other end. ended is
// closed when this call has returned.
func client(t *testing.T, ctx context.Context, handle Handler) (conn net.Conn, ended chan struct{}) {
	t.Helper()
	conn, other := net.Pipe()
	t.Cleanup(func() { conn.Close() })
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		answerClient(ctx, other, handle)
	}()
	return conn, ended
}

func TestSeveralQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, ended := client(t, t.Context(), upper)
		for _, q := range []string{"a", "", strings.Repeat("b", MaxPayload)} {
			if err := sendFrame(conn, []byte(q)); err != nil {
				t.Fatal(err)
			}
			if got, err := receiveFrame(conn); err != nil || string(got) != strings.ToUpper(q) {
				t.Fatalf("%d bytes: %v", len(got), err)
			}
			time.Sleep(patience - 1) // simulated time; just before the client would be disconnected
		}
		conn.Close()
		<-ended
	})
}

// TestSlowClients expects the server to disconnect a slow or silent client after 5 seconds.
func TestSlowClients(t *testing.T) {
	for name, act := range map[string]func(conn net.Conn){
		"silent":             func(net.Conn) {},
		"silent in the head": func(conn net.Conn) { conn.Write([]byte("\x02\x05")) },
		"silent in the body": func(conn net.Conn) { conn.Write([]byte("\x02\x05\x00\x00\x00ab")) },
		"dripping": func(conn net.Conn) {
			for _, b := range []byte("\x02\x05\x00\x00\x00abcd") {
				conn.Write([]byte{b})
				time.Sleep(patience / 4)
			}
		},
		"does not take the answer": func(conn net.Conn) { sendFrame(conn, []byte("q")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				conn, ended := client(t, t.Context(), upper)
				var acting sync.WaitGroup
				acting.Go(func() { act(conn) })
				<-ended
				if took := time.Since(start); took != patience {
					t.Errorf("given up after %v", took)
				}
				acting.Wait()
			})
		})
	}
}

// TestGarbage expects the server to close the connection at once. A client of another version can
// still read the version of the server.
func TestGarbage(t *testing.T) {
	for name, test := range map[string]struct{ wire, answer string }{
		"version":  {"\x03\x01\x00\x00\x00a", "\x02\x00\x00\x00\x00"},
		"text":     {"GET / HTTP/1.1\r\n\r\n", "\x02\x00\x00\x00\x00"},
		"too long": {"\x02\xff\xff\xff\xff", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				conn, ended := client(t, t.Context(), func(context.Context, []byte) []byte {
					t.Error("a question was heard")
					return nil
				})
				go conn.Write([]byte(test.wire))
				got, err := io.ReadAll(conn)
				<-ended
				if string(got) != test.answer || err != nil || time.Since(start) != 0 {
					t.Errorf("%q, %v after %v", got, err, time.Since(start))
				}
			})
		})
	}
}

// TestHangUp closes the client, and expects the context of the handler to end.
func TestHangUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, ended := client(t, t.Context(), func(ctx context.Context, _ []byte) []byte {
			<-ctx.Done()
			return nil
		})
		if err := sendFrame(conn, nil); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, conn) // this discards the heartbeats
		time.Sleep(time.Hour)        // simulated time; the time to answer is not limited
		select {
		case <-ended:
			t.Fatal("ended early")
		default:
		}
		conn.Close()
		<-ended
	})
}

// TestServerEnds ends the server. A waiting client is disconnected at once, but a client whose
// request is being handled still gets its answer.
func TestServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		handle := func(ctx context.Context, _ []byte) []byte {
			<-ctx.Done()
			return []byte("ended")
		}
		idle, idleEnded := client(t, ctx, handle)
		busy, busyEnded := client(t, ctx, handle)
		if err := sendFrame(busy, nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		start := time.Now()
		cancel()
		<-idleEnded
		if _, err := receiveFrame(idle); err == nil {
			t.Error("an answer without a question")
		}
		if got, err := receiveFrame(busy); string(got) != "ended" {
			t.Errorf("%q, %v", got, err)
		}
		<-busyEnded
		if took := time.Since(start); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// TestQuestionsInAdvance sends a request while the previous one is still being handled.
func TestQuestionsInAdvance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, ended := client(t, t.Context(), func(ctx context.Context, q []byte) []byte {
			select {
			case <-ctx.Done():
				t.Error("taken for hung up")
			case <-time.After(time.Minute):
			}
			return upper(ctx, q)
		})
		go func() {
			sendFrame(conn, []byte("a"))
			sendFrame(conn, []byte("b"))
		}()
		for _, want := range []string{"A", "B"} {
			if got, err := awaitAnswer(conn); string(got) != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		conn.Close()
		<-ended
	})
}

func TestAnswerTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, ended := client(t, t.Context(), func(context.Context, []byte) []byte { return make([]byte, MaxPayload+1) })
		if err := sendFrame(conn, nil); err != nil {
			t.Fatal(err)
		}
		if got, err := receiveFrame(conn); err != io.EOF {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		<-ended
	})
}

// TestAwait expects Ask to wait for a process that works for a long time.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := client(t, t.Context(), func(ctx context.Context, q []byte) []byte {
			time.Sleep(time.Hour) // simulated time
			return upper(ctx, q)
		})
		if err := sendFrame(conn, []byte("q")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if got, err := awaitAnswer(conn); string(got) != "Q" || time.Since(start) != time.Hour {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
		start = time.Now()
		if got, err := awaitAnswer(conn); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != silence {
			t.Errorf("of one that does not answer: %q, %v after %v", got, err, time.Since(start))
		}
	})
}

// TestClientStops expects the server to disconnect a client that stops reading.
func TestClientStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, ended := client(t, t.Context(), func(ctx context.Context, q []byte) []byte {
			<-ctx.Done()
			return nil
		})
		if err := sendFrame(conn, []byte("q")); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		<-ended
		if took := time.Since(start); took != beat+patience {
			t.Errorf("hung up on after %v", took)
		}
	})
}
