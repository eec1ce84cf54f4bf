package cooktest

import (
	"os"
	"testing"

	"github.com/assetcook/assetcook/cook/scan"
)

// A write through a mapping that has written before changes the content and no
// stamp. Without that the edit would show nothing.
func TestMappingLeavesNoTrace(t *testing.T) {
	p, err := NewPlayer(Place{Dir: t.TempDir(), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	look := func() (scan.Stamp, string) {
		data, err := os.ReadFile(p.name("assets/a"))
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(p.name("assets/a"))
		if err != nil {
			t.Fatal(err)
		}
		return scan.StampOf(info), string(data)
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
	if err := p.Edit(Edit{Kind: MapWrite, Path: "assets/a", N: 1}); err != nil { // a fault, which is not ours
		t.Fatal(err)
	}
}
