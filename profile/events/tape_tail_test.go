package events

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The tail of a tape must be a valid stream. It must have the events of all blocks with an event in
// the tail.
func TestTapeTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tape := OpenTape(played(t))
		if tape.State().Err != nil {
			t.Fatal(tape.State().Err)
		}
		from := rapid.Int64Range(-1, tape.State().End+1).Draw(t, "from")
		var want []Event
		names := tape.State().Names
		for _, b := range tape.State().Blocks {
			if b.To < from {
				continue
			}
			records, err := tape.Read(&b, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range records {
				want = append(want, b.event(&records[i], names))
			}
		}
		var to bytes.Buffer
		if err := tape.WriteTail(&to, from); err != nil {
			t.Fatal(err)
		}
		tail := OpenTape(to.Bytes())
		if tail.State().Err != nil {
			t.Fatal(tail.State().Err)
		}
		got, err := unrolled(t, tail)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("from %d of %d (-want +got):\n%s", from, tape.State().End, d)
		}
		if !tail.State().Start.Equal(tape.State().Start) || !tail.State().Ended {
			t.Errorf("the tail begins at %v, ended is %t", tail.State().Start, tail.State().Ended)
		}
	})
}
