package oracle

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A second write through a mapping must change the content but no file time. The kernel may write
// the page back at any time. If it does so between the two writes, the second write changes the
// time, and the test tries another file.
func TestMappedWriteKeepsStamp(t *testing.T) {
	p, err := NewPlayer(Place{Dir: t.TempDir(), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	edit := func(e Edit) {
		t.Helper()
		if err := p.Edit(e); err != nil {
			t.Fatal(err)
		}
	}
	look := func(name string) (stamp unix.Stat_t, text string) {
		data, err := os.ReadFile(p.name(name))
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Stat(p.name(name), &stamp); err != nil {
			t.Fatal(err)
		}
		stamp.Atim = unix.Timespec{} // reading a file changes its access time
		return stamp, string(data)
	}
	kept, name := false, ""
	for i := 0; i < 100 && !kept; i++ {
		name = fmt.Sprintf("assets/a%d", i)
		edit(Edit{Kind: Write, Path: name, Data: "one"})
		edit(Edit{Kind: Map, Path: name, N: 2})
		edit(Edit{Kind: Tick})
		before, text := look(name)
		if text != "ond" {
			t.Errorf("mapped and written to: %q", text)
		}
		edit(Edit{Kind: MapWrite, Path: name, N: 1})
		after, text := look(name)
		if text != "ood" {
			t.Errorf("written to: %q", text)
		}
		kept = after == before
	}
	if !kept {
		t.Error("no second write through a mapping kept the stamp")
	}
	edit(Edit{Kind: Truncate, Path: name})
	edit(Edit{Kind: MapWrite, Path: name, N: 1}) // writing to the mapping causes a page fault, which is not an error
}
