package events

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The tail of a tape is a valid stream with the same events as the blocks that end in it.
func TestTapeTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tape := OpenTape(played(t))
		if tape.Err() != nil {
			t.Fatal(tape.Err())
		}
		from := rapid.Int64Range(-1, tape.End()+1).Draw(t, "from")
		var want []Event
		names := tape.Names()
		for _, b := range tape.Blocks() {
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
		if tail.Err() != nil {
			t.Fatal(tail.Err())
		}
		got, err := unrolled(t, tail)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("from %d of %d (-want +got):\n%s", from, tape.End(), d)
		}
		if !tail.Start().Equal(tape.Start()) || !tail.Ended() {
			t.Errorf("the tail begins at %v, ended is %t", tail.Start(), tail.Ended())
		}
	})
}
