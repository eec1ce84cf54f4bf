package cook_test

import (
	"os"
	"testing"
	"time"
)

// A watcher notices what lists say that are no assets, and come and go, also by another name of
// the file elsewhere.
func TestWatcherSeesExtracts(t *testing.T) {
	g := newGallery(t, "m/a.pic", "m/t/a.pic", "m/t/b.pic")
	g.run.Now = func() time.Time { return time.Now().Add(time.Minute) } // so that stamps are trusted at once
	awaitRound(t, watch(t, g.run))
	step := func(name, want string) {
		t.Helper()
		if s, err := g.run.Cook(t.Context()); err != nil || !s.Told {
			t.Fatalf("%s, %v", s.String(), err)
		}
		g.made(name, want)
	}
	g.write("m/one.list", "use t/a.pic x\n")
	step("m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic x\n")
	g.write("m/one.list", "use t/a.pic y\n")
	step("m/t/a.pic", "m/t/a.pic\n../one.list: use t/a.pic y\n")
	g.write("m/mute.list", "")
	step("m/t/b.pic", "m/t/b.pic\n")
	g.write("m/mute.list", "use t/b.pic x\n")
	step("m/t/b.pic", "m/t/b.pic\n../mute.list: use t/b.pic x\n")
	g.writeFile("elsewhere.list", "use a.pic x\n")
	g.must(os.Link(g.path("elsewhere.list"), g.asset("m/linked.list")))
	step("m/a.pic", "m/a.pic\nlinked.list: use a.pic x\n")
	g.writeFile("elsewhere.list", "use a.pic another\n") // in place
	step("m/a.pic", "m/a.pic\nlinked.list: use a.pic another\n")
	g.remove("m/linked.list")
	step("m/a.pic", "m/a.pic\n")
}
