package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
)

var hello = fmt.Sprintf("{\"wire\":%d}\n", remote.WireVersion)

// client returns a client and its notes. The function answer handles every request except the
// first.
func client(t *testing.T, answer func(to io.WriteCloser, r remote.Request)) (*remote.Client, *[]string) {
	return clientOf(t.Context(), func(to io.WriteCloser, r remote.Request) {
		if r.Op == remote.Hello {
			io.WriteString(to, hello)
		} else {
			answer(to, r)
		}
	})
}

// clientOf is like client, but answer also handles the first request.
func clientOf(ctx context.Context, answer func(to io.WriteCloser, r remote.Request)) (*remote.Client, *[]string) {
	notes := &[]string{}
	opt := remote.Options{URL: "grpc://h", Program: "serve-remote", Read: true, Upload: true, Exec: true}
	return remote.NewOver(ctx, opt, func(text string) { *notes = append(*notes, text) }, func() (io.ReadWriteCloser, error) {
		here, there := newWire()
		go func() {
			defer there.Close()
			for d := json.NewDecoder(bufio.NewReader(there)); ; {
				var r remote.Request
				if d.Decode(&r) != nil {
					return
				}
				answer(there, r)
			}
		}()
		return here, nil
	}), notes
}

// A wire is one end of a connection, like the pipes to a child process.
type wire struct {
	*io.PipeReader
	to, from *io.PipeWriter
}

func newWire() (here, there wire) {
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	return wire{r1, w2, w1}, wire{r2, w1, w2}
}

func (w wire) Write(b []byte) (int, error) { return w.to.Write(b) }

func (w wire) Close() error {
	w.to.Close()
	return w.from.Close()
}

var key = remote.Key{Action: store.ActionID{1}, Result: store.ResultID{2}}

// TestEveryFailureIsAMiss lets serve-remote answer wrongly in many ways. Every request must be a
// miss. A failure of the process must cause one note, which names it and its consequence.
func TestEveryFailureIsAMiss(t *testing.T) {
	say := func(text string) func(io.WriteCloser, remote.Request) {
		return func(to io.WriteCloser, r remote.Request) {
			if r.Seq != 0 {
				io.WriteString(to, strings.ReplaceAll(text, "SEQ", string(rune('0'+r.Seq))))
			}
		}
	}
	for name, c := range map[string]struct {
		answer func(io.WriteCloser, remote.Request)
		note   string
	}{
		"nothing known": {answer: say(`{"seq":SEQ}` + "\n")},
		"dies":          {func(to io.WriteCloser, _ remote.Request) { to.Close() }, "the process ended"},
		"garbage":       {say("what?\n"), "the process printed what?, which is not an answer"},
		"escapes":       {say("\x1b[31mred\n"), `the process printed "\x1b[31mred", which is not an answer`},
		"torn":          {func(to io.WriteCloser, _ remote.Request) { io.WriteString(to, `{"seq":`); to.Close() }, `the process printed {"seq":, which is not an answer`},
		"another type":  {say(`{"seq":"SEQ"}` + "\n"), `the process printed {"seq":"`},
		"another's answer": {func(to io.WriteCloser, _ remote.Request) {
			io.WriteString(to, `{"seq":99,"found":true}`+"\n")
			to.Close()
		}, "the process ended"},
		"records of another": {answer: say(`{"seq":SEQ,"result":"AAAA","readSets":"AAAA"}` + "\n")},
	} {
		t.Run(name, func(t *testing.T) {
			client, notes := client(t, c.answer)
			arrived := make(chan bool, 1)
			client.Expect([]remote.Expectation{{Key: key}}, func(_ int, whole bool) { arrived <- whole })
			if <-arrived {
				t.Error("arrived")
			}
			if known := client.Look(t.Context(), key, "a.png", time.Minute); known.Result != nil || known.ReadSets != nil {
				t.Errorf("known: %+v", known)
			}
			if client.Fetch(t.Context(), key, time.Minute) {
				t.Error("fetched")
			}
			client.Keep("a.png", key)
			if stats := client.Close(t.Context()); stats != (remote.Stats{}) {
				t.Errorf("%+v", stats)
			}
			checkNote(t, *notes, c.note)
		})
	}
}

// checkNote expects exactly one note, which contains text. If text is "", it expects no note.
func checkNote(t *testing.T, notes []string, text string) {
	t.Helper()
	if text == "" && len(notes) == 0 {
		return
	}
	if text == "" || len(notes) != 1 || !strings.HasPrefix(notes[0], "remote: the process that speaks to the server: ") || !strings.Contains(notes[0], text) || !strings.Contains(notes[0], "goes on without the server") {
		t.Errorf("notes: %q, want one with %q", notes, text)
	}
}

func TestOtherVersionOfServeRemoteIsNotUsed(t *testing.T) {
	for first, note := range map[string]string{
		hello:                          "",
		`{"wire":3}` + "\n":            "the protocol of the process is 3, not 2 (if its version differs from the version of cook, install both again)",
		`{"seq":1,"found":true}`:       "the protocol of the process is 0",
		"serve-remote 1.2.3 is here\n": `the process printed serve-remote 1.2.3 is here, which is not an answer`,
	} {
		client, notes := clientOf(t.Context(), func(to io.WriteCloser, r remote.Request) {
			switch {
			case r.Op == remote.Hello && r.Wire != remote.WireVersion:
				t.Errorf("hello of version %d", r.Wire)
			case r.Op == remote.Hello:
				io.WriteString(to, strings.TrimSpace(first)+"\n")
			case r.Seq > 0:
				json.NewEncoder(to).Encode(remote.Answer{Seq: r.Seq, Found: true, Stats: &remote.Stats{Requests: 1}})
			}
		})
		if found := client.Fetch(t.Context(), key, time.Minute); found != (note == "") {
			t.Errorf("%q: found %v", first, found)
		}
		client.Close(t.Context())
		checkNote(t, *notes, note)
	}
}

// TestSilentServeRemoteIsGivenUp checks that the client gives up a serve-remote that sends nothing,
// even if the run waits for answers. Heartbeats must prevent that.
func TestSilentServeRemoteIsGivenUp(t *testing.T) {
	for _, beats := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			client, notes := clientOf(ctx, func(to io.WriteCloser, r remote.Request) {
				if r.Op == remote.Hello {
					io.WriteString(to, hello)
				}
				for beats && r.Op == remote.Run {
					if _, err := io.WriteString(to, "{}\n"); err != nil {
						return
					}
					time.Sleep(remote.Beat)
				}
			})
			if ran, ok := client.Run(ctx, &remote.Root{}); ok || ran.Off == beats {
				t.Errorf("beats %v: %+v, %v", beats, ran, ok)
			}
			if took := time.Since(begun); beats != (took >= time.Hour) || !beats && took > time.Minute {
				t.Errorf("beats %v: given up after %v", beats, took)
			}
			client.Close(ctx)
			if beats {
				time.Sleep(2 * remote.Beat) // lets the goroutine of serve-remote end
				return
			}
			checkNote(t, *notes, "the process has sent nothing for 30s")
		})
	}
}

// TestInterruptedRunEndsSoon interrupts a run while serve-remote hangs. The run must end soon,
// without a note.
func TestInterruptedRunEndsSoon(t *testing.T) {
	for name, answer := range map[string]func(to io.WriteCloser, r remote.Request){
		"silent": func(io.WriteCloser, remote.Request) {},
		"deaf":   func(io.WriteCloser, remote.Request) { time.Sleep(time.Hour) },
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			client, notes := clientOf(ctx, answer)
			begun := time.Now()
			time.AfterFunc(time.Second, cancel)
			arrived := make(chan bool, 2)
			client.Expect([]remote.Expectation{{Key: key}}, func(_ int, whole bool) { arrived <- whole })
			client.Expect([]remote.Expectation{{Key: remote.Key{Reads: true}}}, func(_ int, whole bool) { arrived <- whole })
			client.Close(ctx)
			<-arrived
			<-arrived
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("%s: the run ended after %v", name, took)
			}
			if len(*notes) > 0 {
				t.Errorf("%s: notes: %q", name, *notes)
			}
			if name == "deaf" {
				time.Sleep(time.Hour) // lets the goroutine of serve-remote end
			}
		})
	}
}

// TestQuestionEndsWithTheRun checks that a request ends when the run ends. A missing program must
// cause one note.
func TestQuestionEndsWithTheRun(t *testing.T) {
	c, _ := client(t, func(io.WriteCloser, remote.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if known := c.Look(ctx, key, "a.png", time.Minute); known.Result != nil {
		t.Errorf("known: %+v", known)
	}
	var notes []string
	c = remote.NewOver(t.Context(), remote.Options{URL: "grpc://h", Read: true}, func(text string) { notes = append(notes, text) },
		func() (io.ReadWriteCloser, error) { return nil, errors.New("no such program") })
	for range 3 {
		if c.Fetch(t.Context(), key, time.Minute) {
			t.Error("fetched")
		}
	}
	c.Close(t.Context())
	if len(notes) != 1 || !strings.Contains(notes[0], "no such program; this run goes on without the server") {
		t.Errorf("notes: %q", notes)
	}
	var none *remote.Client
	none.Forget(key)
	none.Keep("", key)
	if none.Reads() || none.Fetch(t.Context(), key, time.Minute) || none.Look(t.Context(), key, "", time.Minute).Result != nil || none.Close(t.Context()) != (remote.Stats{}) {
		t.Error("a nil client has a result")
	}
}

func TestOptionsFollowTheProject(t *testing.T) {
	t.Setenv("CI", "")
	opt, err := remote.OptionsOf(rules.Remote{URL: "grpcs://h/main", Key: "k.pem", Cert: "c.pem"})
	if err != nil || opt.Upload || !opt.Read || strings.Join(opt.Args, " ") != "-url grpcs://h/main -cert c.pem -key k.pem" {
		t.Errorf("%+v, %v", opt, err)
	}
	for ci, want := range map[string]bool{"": false, "false": false, "true": true, "1": true} {
		t.Setenv("CI", ci)
		for upload, want := range map[string]bool{"": want, "ci": want, "always": true, "never": false} {
			if opt, err := remote.OptionsOf(rules.Remote{URL: "http://h", Upload: upload, NoRead: true}); err != nil || opt.Upload != want || opt.Read {
				t.Errorf("CI=%q, upload %q: %+v, %v", ci, upload, opt, err)
			}
		}
	}
	for _, wrong := range []rules.Remote{{URL: "h"}, {URL: "ftp://h"}, {URL: "http://u:p@h"}, {URL: "grpc://h", Upload: "sometimes"}} {
		if opt, err := remote.OptionsOf(wrong); err == nil {
			t.Errorf("%+v: %+v", wrong, opt)
		}
	}
	if opt, err := remote.OptionsOf(rules.Remote{Upload: "sometimes"}); err != nil || opt.URL != "" {
		t.Errorf("none: %+v, %v", opt, err)
	}
}

func TestOnlyExtraTimeUsesUpPatience(t *testing.T) {
	asked := 0
	c, _ := client(t, func(io.WriteCloser, remote.Request) { asked++ })
	c.SetPatience(0)
	if c.Fetch(t.Context(), key, 0) || c.Look(t.Context(), key, "", -time.Hour).Result != nil {
		t.Error("an answer")
	}
	c, _ = client(t, func(to io.WriteCloser, r remote.Request) {
		if r.Seq != 0 {
			json.NewEncoder(to).Encode(remote.Answer{Seq: r.Seq, Found: true})
		}
	})
	c.SetPatience(0)
	for range 2 {
		if !c.Fetch(t.Context(), key, time.Minute) {
			t.Error("the client did not wait for the time that the answer is worth")
		}
	}
	if left := c.Patience(); left != 0 {
		t.Errorf("the patience is %v", left)
	}
	c.SetPatience(time.Minute)
	for range 1000 { // repeats until the clock has advanced
		if !c.Fetch(t.Context(), key, 0) {
			t.Error("no answer")
		}
		if c.Patience() < time.Minute {
			break
		}
	}
	if left := c.Patience(); left >= time.Minute || left <= 0 {
		t.Errorf("the patience is %v", left)
	}
}

// TestReadsWhileSending checks that the client reads answers while serve-remote does not read
// requests. Otherwise both processes could wait for each other.
func TestReadsWhileSending(t *testing.T) {
	here, there := net.Pipe()
	noted := make(chan string)
	c := remote.NewOver(t.Context(), remote.Options{URL: "grpc://h", Read: true}, func(text string) { noted <- text }, func() (io.ReadWriteCloser, error) {
		return here, nil
	})
	go c.Forget(key) // serve-remote never reads this request
	io.WriteString(there, hello)
	there.SetWriteDeadline(time.Now().Add(10 * time.Second))
	for range 2 {
		if _, err := io.WriteString(there, `{"note":"a"}`+"\n"); err != nil {
			t.Fatalf("a note is not read while a request is sent: %v", err)
		}
		<-noted
	}
	there.Close()
}
