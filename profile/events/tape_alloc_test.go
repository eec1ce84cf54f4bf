//go:build !race

package events

import "testing"

func TestTapeAllocatesNothing(t *testing.T) {
	data, _ := sample(t)
	tape := OpenTape(data)
	blocks := tape.State().Blocks
	var records []Record
	n := testing.AllocsPerRun(100, func() {
		for i := range blocks {
			var err error
			if records, err = tape.Read(&blocks[i], records[:0]); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n >= 1 { // A garbage collection may empty the pool; the race detector always does.
		t.Errorf("%v allocations for %d blocks", n, len(blocks))
	}
}
