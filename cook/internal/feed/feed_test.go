package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/leaktest"
)

func change(path string) Change {
	blob := hashing.DigestOf([]byte(path))
	return Change{Path: []byte(path), Blob: blob[:], Source: []byte(path), Reason: "content changed"}
}

// ask sends a request to a history and returns the answer.
func ask(t *testing.T, h *History, from Position, settle func()) Answer {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	question := append([]byte(prefix), text...)
	if !Asks(question) {
		t.Fatal("is no question")
	}
	a, err := parseFeedLine(Reply(t.Context(), h, question, settle), from)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func never() { panic("settled") }

func TestBatchesInOrder(t *testing.T) {
	h := NewHistory()
	settled := false
	a := ask(t, h, Position{}, func() { settled = true })
	if !a.Compare || !settled || a.Position != h.Now() {
		t.Fatalf("a follower that begins: %+v, settled %t", a, settled)
	}
	want := [][]Change{{change("a"), change("\xff \"b")}, {{Path: []byte("a"), Removed: true, Source: []byte("s")}}}
	for _, batch := range want {
		h.Add(Encode(batch))
	}
	got := ask(t, h, a.Position, never)
	if !reflect.DeepEqual(got.Batches, want) || got.Number != a.Number+2 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := ask(t, h, Position{a.Teller, a.Number + 1}, never); !reflect.DeepEqual(got.Batches, want[1:]) {
		t.Errorf("%+v, want %+v", got, want[1:])
	}
}

func TestFollowersThatMustCompare(t *testing.T) {
	for name, tell := range map[string]func(h *History){
		"too many batches": func(h *History) {
			for range mostBatches + 1 {
				h.Add([]byte("[]"))
			}
		},
		"too many bytes": func(h *History) {
			for range 3 {
				h.Add(make([]byte, mostBytes/2))
			}
		},
		"one large batch": func(h *History) { h.Add(make([]byte, mostBytes+1)) },
		"lost":            func(h *History) { h.Add([]byte("[]")); h.Lost(); h.Add([]byte("[]")) },
	} {
		h := NewHistory()
		from := h.Now()
		tell(h)
		if now, batches, err := h.After(t.Context(), from); err != nil || len(batches) > 0 || now != h.Now() {
			t.Errorf("%s: %v, %d batches, %v", name, now, len(batches), err)
		}
		if h.size > mostBytes || len(h.batches) > mostBatches {
			t.Errorf("%s: holds %d batches of %d bytes", name, len(h.batches), h.size)
		}
	}
	h := NewHistory()
	h.Add([]byte("[]"))
	now := h.Now()
	for _, from := range []Position{{"other", now.Number}, {now.Teller, now.Number + 1}, {now.Teller, -1 << 63}, {now.Teller, 1<<63 - 1}} {
		if got, batches, err := h.After(t.Context(), from); err != nil || len(batches) > 0 || got != now {
			t.Errorf("%v: %v, %d batches, %v", from, got, len(batches), err)
		}
	}
}

func TestFollowersWait(t *testing.T) {
	leaktest.Check(t)
	h := NewHistory()
	from := h.Now()
	ctx, cancel := context.WithCancel(t.Context())
	var waiting sync.WaitGroup
	ends := make(chan error, mostFollowers)
	for range mostFollowers {
		waiting.Go(func() {
			_, _, err := h.After(ctx, from)
			ends <- err
		})
	}
	for taken := 0; taken < mostFollowers; {
		h.mu.Lock()
		taken = h.followers
		h.mu.Unlock()
	}
	if _, _, err := h.After(t.Context(), from); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	cancel()
	waiting.Wait()
	for range mostFollowers {
		if err := <-ends; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	told := make(chan [][]byte)
	go func() {
		_, batches, _ := h.After(t.Context(), from)
		told <- batches
	}()
	h.Add([]byte("[1]"))
	if got := <-told; fmt.Sprintf("%s", got) != "[[1]]" {
		t.Errorf("told %s", got)
	}
}

// A server may send any answer: an invalid answer is an error.
func TestHostileAnswers(t *testing.T) {
	from := Position{"w", 1}
	for _, text := range []string{
		"", "null", "{", "[]", `{"compare":true}`, `{"teller":"w","number":2}`, `{"teller":"x","number":2,"batches":[[]]}`,
		`{"teller":"w","number":9,"batches":[[]]}`, `{"teller":"w","number":2,"compare":true,"batches":[[]]}`,
		`{"teller":"w","number":2,"batches":[[{"path":"Li4vYQ=="}]]}`,
		`{"teller":"w","number":2,"batches":[[{"path":"YQ==","blob":"YQ=="}]]}`,
		`{"teller":"w","number":2,"batches":[[{"path":"Li4vYQ==","removed":true}]]}`,
	} {
		if a, err := parseFeedLine([]byte(text), from); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	if _, err := parseFeedLine([]byte(`{"teller":"w","number":2,"batches":[[{"path":"YQ==","removed":true}]]}`), from); err != nil {
		t.Error(err)
	}
}

// A client may send any request: an invalid request gets no answer.
func TestHostileQuestions(t *testing.T) {
	h := NewHistory()
	for _, text := range []string{"", "null", "{", `{"teller":1}`, `{"number":1e99}`, `{"number":"1"}`} {
		got := Reply(t.Context(), h, []byte(prefix+text), func() {})
		if text != "null" && got != nil {
			t.Errorf("%q: %s", text, got)
		}
	}
	if Asks(nil) || Asks(bytes.Repeat([]byte("x"), 100)) {
		t.Error("cooks are taken for followers")
	}
}
