package remote_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// client returns a client that speaks to a function, and what it notes.
func client(answer func(to io.WriteCloser, r remote.Request)) (*remote.Client, *[]string) {
	notes := &[]string{}
	opt := remote.Options{URL: "grpc://h", Read: true, Upload: true}
	return remote.NewOver(opt, func(text string) { *notes = append(*notes, text) }, func() (io.ReadWriteCloser, error) {
		here, there := net.Pipe()
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

var key = remote.Key{Action: store.ActionID{1}, Result: store.ResultID{2}}

// Whatever the other end of the wire does, it is a miss, and no question waits for ever.
func TestMisses(t *testing.T) {
	say := func(text string) func(io.WriteCloser, remote.Request) {
		return func(to io.WriteCloser, r remote.Request) {
			if r.Seq != 0 {
				io.WriteString(to, strings.ReplaceAll(text, "SEQ", string(rune('0'+r.Seq))))
			}
		}
	}
	for name, answer := range map[string]func(io.WriteCloser, remote.Request){
		"nothing known": say(`{"seq":SEQ}` + "\n"),
		"dies":          func(to io.WriteCloser, _ remote.Request) { to.Close() },
		"garbage":       say("what?\n"),
		"torn":          func(to io.WriteCloser, _ remote.Request) { io.WriteString(to, `{"seq":`); to.Close() },
		"another's answer": func(to io.WriteCloser, _ remote.Request) {
			io.WriteString(to, `{"seq":99,"found":true}`+"\n")
			to.Close()
		},
		"records of another": say(`{"seq":SEQ,"result":"AAAA","readSets":"AAAA"}` + "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := client(answer)
			arrived := make(chan bool, 1)
			c.Expect([]remote.Wanted{{Key: key}}, func(_ int, whole bool) { arrived <- whole })
			if <-arrived {
				t.Error("arrived")
			}
			if known := c.Look(t.Context(), key, time.Minute); known.Result != nil || known.ReadSets != nil {
				t.Errorf("known: %+v", known)
			}
			if c.Fetch(t.Context(), key, time.Minute) {
				t.Error("fetched")
			}
			c.Keep(key)
			if stats := c.Close(t.Context()); stats != (remote.Stats{}) {
				t.Errorf("%+v", stats)
			}
		})
	}
}

// A question ends with the run, and a program that is not there is said once.
func TestNobodyAnswers(t *testing.T) {
	c, _ := client(func(io.WriteCloser, remote.Request) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if known := c.Look(ctx, key, time.Minute); known.Result != nil {
		t.Errorf("known: %+v", known)
	}
	var notes []string
	c = remote.NewOver(remote.Options{URL: "grpc://h", Read: true}, func(text string) { notes = append(notes, text) },
		func() (io.ReadWriteCloser, error) { return nil, errors.New("no such program") })
	for range 3 {
		if c.Fetch(t.Context(), key, time.Minute) {
			t.Error("fetched")
		}
	}
	c.Close(t.Context())
	if len(notes) != 1 || !strings.Contains(notes[0], "no such program; this run goes on without it") {
		t.Errorf("notes: %q", notes)
	}
	var none *remote.Client
	none.Forget(key)
	none.Keep(key)
	if none.Reads() || none.Fetch(t.Context(), key, time.Minute) || none.Look(t.Context(), key, time.Minute).Result != nil || none.Close(t.Context()) != (remote.Stats{}) {
		t.Error("no client knows something")
	}
}

func TestOptionsOf(t *testing.T) {
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

// Answers that take longer than cooking use up the patience of a run, and those that take as
// long as cooking may do not.
func TestPatience(t *testing.T) {
	asked := 0
	c, _ := client(func(io.WriteCloser, remote.Request) { asked++ })
	c.SetPatience(0)
	if c.Fetch(t.Context(), key, 0) || c.Look(t.Context(), key, -time.Hour).Result != nil {
		t.Error("an answer")
	}
	c, _ = client(func(to io.WriteCloser, r remote.Request) {
		if r.Seq != 0 {
			json.NewEncoder(to).Encode(remote.Answer{Seq: r.Seq, Found: true})
		}
	})
	c.SetPatience(0)
	for range 2 {
		if !c.Fetch(t.Context(), key, time.Minute) {
			t.Error("what it is worth to wait for was not waited for")
		}
	}
	if left := c.Patience(); left != 0 {
		t.Errorf("the patience is %v", left)
	}
	c.SetPatience(time.Minute)
	if !c.Fetch(t.Context(), key, 0) {
		t.Error("no answer")
	}
	if left := c.Patience(); left >= time.Minute || left <= 0 {
		t.Errorf("the patience is %v", left)
	}
}

// What the other end says is read while a request waits for it to be taken. Else the two would
// wait for each other.
func TestReadsWhileSending(t *testing.T) {
	here, there := net.Pipe()
	noted := make(chan string)
	c := remote.NewOver(remote.Options{URL: "grpc://h", Read: true}, func(text string) { noted <- text }, func() (io.ReadWriteCloser, error) {
		return here, nil
	})
	go c.Forget(key) // nothing takes it
	there.SetWriteDeadline(time.Now().Add(10 * time.Second))
	for range 2 {
		if _, err := io.WriteString(there, `{"note":"a"}`+"\n"); err != nil {
			t.Fatalf("a note is not read while a request is sent: %v", err)
		}
		<-noted
	}
	there.Close()
}
