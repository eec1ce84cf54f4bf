package memory

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"
)

// captured returns a tracker and its capture. It has sites, accounts, slices of two pools, and
// names that need escapes.
func captured(t *testing.T) (*Tracker, *Capture) {
	tracker := New(Options{Sites: true, Totals: true})
	g := tracker.Group("images", GroupOptions{Budget: 1000})
	p := g.Pool("pixels \"<\n", PoolOptions{Type: "RGBA", Lifetime: Permanent})
	w := tracker.Worker("worker 1").Push("a.png;decode")
	p.Bytes(w, 700)
	g.Grow(w, 500)
	g.Pool("rows", PoolOptions{}).Bytes(nil, 0)
	p.Free(nil, p.Bytes(w, 64))
	return tracker, tracker.Capture(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

func TestCaptureSurvivesAFile(t *testing.T) {
	_, want := captured(t)
	want.Program = "cook"
	var file bytes.Buffer
	if err := want.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	got, err := ReadCapture(&file)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v %+v\nwrote %+v %+v", got, got.List, want, want.List)
	}
	if len(got.List.Items) != 2 || len(got.Snapshot.Rows) != 3 {
		t.Errorf("%d items and %d rows", len(got.List.Items), len(got.Snapshot.Rows))
	}
	for n := range len(text) - 1 { // The text is complete even without its final newline.
		if _, err := ReadCapture(strings.NewReader(text[:n])); err == nil {
			t.Fatalf("the first %d bytes were accepted as a capture", n)
		}
	}
	if _, err := readCapture(strings.NewReader(text), int64(len(text)-1)); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("one byte too many: %v", err)
	}
	var empty *Tracker
	file.Reset()
	if err := empty.Capture(want.At).WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadCapture(&file); err != nil || len(got.List.Items) != 0 {
		t.Errorf("of nothing: %+v, %v", got, err)
	}
}

func TestInvalidCaptureIsRefused(t *testing.T) {
	const head = `{"format":"memory capture 1","usage":{},"snapshot":`
	for _, tc := range []struct{ name, text, want string }{
		{"no object", `[]`, "cannot unmarshal"},
		{"other format", `{"format":"events"}`, `the format is "events"`},
		{"nothing in it", `{"format":"memory capture 1"}`, "missing"},
		{"more behind", head + `{}} {}`, "after the end"},
		{"negative bytes", head + `{"rows":[{"bytes":-1}]}}`, "negative"},
		{"sum overflows", head + `{"rows":[{"bytes":9007199254740992},{"bytes":1,"scope":"a"}]}}`, "2^53"},
		{"twice", head + `{"rows":[{"worker":"w"},{"worker":"w"}]}}`, "two rows"},
		{"owner", head + `{}, "owners":[{}], "allocations":[1,1,1,1,1]}`, "owner 1, but the number of owners is 1"},
		{"owner wraps", head + `{}, "owners":[{}], "allocations":[1,1,1,1,4294967296]}`, "2^53"},
		{"capacity", head + `{}, "owners":[{}], "allocations":[1,1,2,1,0]}`, "2 bytes, but a capacity of only 1"},
		{"figure", head + `{}, "owners":[{}], "allocations":[1,1,18446744073709551615,1,0]}`, "2^53"},
		{"sum of allocations", head + `{}, "owners":[{}], "allocations":[1,1,0,9007199254740992,0, 2,2,0,1,0]}`, "2^53"},
		{"four numbers", head + `{}, "owners":[{}], "allocations":[1,1,1,1]}`, "4 of 5"},
		{"fraction", head + `{}, "owners":[{}], "allocations":[1,1,1.5,1,0]}`, "a whole number"},
		{"nested", head + `{}, "owners":[{}], "allocations":[[1,1,1,1,0]]}`, "a whole number"},
		{"object", head + `{}, "allocations":{}}`, "not an array"},
		{"very large number", head + `{}, "owners":[{}], "allocations":[` + strings.Repeat("9", 400) + `,1,1,1,0]}`, "a whole number"},
		{"negative size", `{"format":"memory capture 1","snapshot":{},"usage":{"sizes":[{"kept":-1}]}}`, "negative"},
		{"long name", head + `{"rows":[{"scope":"` + strings.Repeat("x", maxName+1) + `"}]}}`, "16385 bytes"},
		{"long owner", head + `{}, "owners":[{"site":"` + strings.Repeat("x", maxName+1) + `"}]}`, "16385 bytes"},
		{"budget", head + `{"groups":[{"budget":-1}]}}`, "negative"},
		{"several", head + `{"rows":[{"bytes":-1,"count":-1,"peak":-1}]}, "owners":[], "allocations":[1,1,1,1,1]}`, "negative"},
		{"frame", head + `{}, "heap":{"frames":[{}],"stacks":[{"calls":[1]}]}}`, "frame 1, but the number of frames is 1"},
		{"negative objects", head + `{}, "heap":{"stacks":[{"inuse_objects":-1}]}}`, "negative"},
		{"rate", head + `{}, "heap":{"rate":-1}}`, "negative"},
		{"groups", head + `{"groups":[` + strings.Repeat("{},", maxGroups) + `{}]}}`, "257 groups"},
		{"deep", head + `{"rows":[` + strings.Repeat(`{"scope":"`+strings.Repeat(";", 101)+`"},`, maxLevels/100) + `{}]}}`, "more than"},
	} {
		c, err := ReadCapture(strings.NewReader(tc.text))
		if err == nil || !strings.Contains(err.Error(), tc.want) || c != nil {
			t.Errorf("%s: %v, want ...%s", tc.name, err, tc.want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: several lines: %v", tc.name, err)
		}
	}
}

func FuzzReadCapture(f *testing.F) {
	f.Add([]byte(`{"format":"memory capture 1","snapshot":{"rows":[{"scope":"a;b","bytes":3}]},"usage":{},"owners":[{}],"allocations":[1,1,1,1,0],"heap":{"frames":[{"function":"f"}],"stacks":[{"calls":[0],"inuse_bytes":8}]}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := ReadCapture(bytes.NewReader(file))
		if err != nil {
			return
		}
		tree := c.Snapshot.Tree(Query{Since: c.Snapshot, Empty: true, By: []Part{byAsset, byScope, byName}})
		if tree.Change != 0 || tree.Bytes < 0 || tree.Was.Bytes != tree.Bytes {
			t.Errorf("a capture differs from itself: %+v", tree)
		}
		if d := c.List.Sub(c.List); len(d.Changed.Items) != 0 || len(d.New.Items) != 0 {
			t.Errorf("a list differs from itself: %+v", d)
		}
		if c.Heap != nil {
			if d := c.Heap.Sub(c.Heap); len(d.Stacks) != 0 {
				t.Errorf("a heap differs from itself: %+v", d)
			}
		}
		var again bytes.Buffer
		if err := c.WriteJSON(&again); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadCapture(&again); err != nil {
			t.Errorf("written again: %v", err)
		}
	})
}
