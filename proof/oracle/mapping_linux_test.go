package oracle

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A second write through a mapping changes the content but no stamp; otherwise the
// edit would test nothing.
func TestMappedWriteKeepsStamp(t *testing.T) {
	p, err := NewPlayer(Place{Dir: t.TempDir(), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	look := func() (stamp unix.Stat_t, text string) {
		data, err := os.ReadFile(p.name("assets/a"))
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Stat(p.name("assets/a"), &stamp); err != nil {
			t.Fatal(err)
		}
		stamp.Atim = unix.Timespec{} // changed by reading
		return stamp, string(data)
	}
	for _, e := range []Edit{{Kind: Write, Path: "assets/a", Data: "one"}, {Kind: Map, Path: "assets/a", N: 2}, {Kind: Tick}} {
		if err := p.Edit(e); err != nil {
			t.Fatal(err)
		}
	}
	before, text := look()
	if text != "ond" {
		t.Errorf("mapped and written to: %q", text)
	}
	if err := p.Edit(Edit{Kind: MapWrite, Path: "assets/a", N: 1}); err != nil {
		t.Fatal(err)
	}
	if after, text := look(); after != before || text != "ood" {
		t.Errorf("written to: %q, stamp %+v, was %+v", text, after, before)
	}
	if err := p.Edit(Edit{Kind: Truncate, Path: "assets/a"}); err != nil {
		t.Fatal(err)
	}
	if err := p.Edit(Edit{Kind: MapWrite, Path: "assets/a", N: 1}); err != nil { // faults, which is not an error
		t.Fatal(err)
	}
}
