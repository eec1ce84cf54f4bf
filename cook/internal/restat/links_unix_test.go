//go:build unix

package restat_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/restat"
	"github.com/assetcook/assetcook/cook/internal/scan"
)

func (w *tree) symlink(to, name string) { w.Helper(); w.must(os.Symlink(to, w.name(name))) }
func (w *tree) fifo(name string)        { w.Helper(); w.must(syscall.Mkfifo(w.name(name), 0o666)) }

func TestLinksAndPipes(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after func(w *tree) // changes before and after the index is made
		want          []string
	}{
		"link for source":         {after: func(w *tree) { w.remove("assets/a.txt"); w.symlink("b.txt", "assets/a.txt") }, want: []string{"appeared absent a.txt/no.inc", "list ./"}},
		"pipe for source":         {after: func(w *tree) { w.remove("assets/a.txt"); w.fifo("assets/a.txt") }, want: []string{"list ./"}},
		"pipe for output":         {after: func(w *tree) { w.remove("out/a.txt.out"); w.fifo("out/a.txt.out") }, want: []string{"changed made a.txt.out"}},
		"link for output":         {after: func(w *tree) { w.rename("out/a.txt.out", "out/b"); w.symlink("b", "out/a.txt.out") }, want: []string{"changed made a.txt.out"}},
		"dangling for output":     {after: func(w *tree) { w.remove("out/a.txt.out"); w.symlink("b", "out/a.txt.out") }, want: []string{"changed made a.txt.out"}},
		"directory became a link": {after: func(w *tree) { w.rename("assets/z", "assets/v"); w.symlink("v", "assets/z") }, want: []string{"gone ./z", "list ./"}},
		"it dangles":              {after: func(w *tree) { w.rename("assets/z", "v"); w.symlink("v", "assets/z") }, want: []string{"gone ./z", "list ./"}},
		"the directory above it":  {after: func(w *tree) { w.rename("assets/x", "x"); w.symlink("../x", "assets/x") }, want: []string{"gone ./x", "gone ./x/y", "list ./", "missing other x/p.inc", "appeared absent x/no.inc"}},
		"absent behind a link":    {after: func(w *tree) { w.symlink("z", "assets/nowhere") }, want: []string{"appeared absent nowhere/no.inc", "list ./"}},
		"dependency behind one":   {after: func(w *tree) { w.rename("assets/lib", "assets/z/lib"); w.symlink("z/lib", "assets/lib") }, want: []string{"list ./", "list ./z", "missing other lib/o.inc"}},
		"dangling where absent":   {after: func(w *tree) { w.symlink("nothing", "assets/x/no.inc") }, want: []string{"list ./x"}},
		"linked where absent":     {after: func(w *tree) { w.symlink("p.inc", "assets/x/no.inc") }, want: []string{"appeared absent x/no.inc", "list ./x"}},
		"looping where absent":    {after: func(w *tree) { w.symlink("no.inc", "assets/x/no.inc") }, want: []string{"appeared absent x/no.inc", "list ./x"}},
		"looping for dependency":  {after: func(w *tree) { w.remove("assets/lib/o.inc"); w.symlink("o.inc", "assets/lib/o.inc") }, want: []string{"missing other lib/o.inc"}},

		// An output directory may be replaced by a link. The link may lead to the same outputs or
		// to other files.
		"outputs moved":       {after: func(w *tree) { w.rename("out/x", "x"); w.symlink("../x", "out/x") }},
		"outputs elsewhere":   {after: func(w *tree) { w.rename("out/x", "out/v"); w.symlink("v/y", "out/x") }, want: []string{"missing made x/c.txt.out", "missing made x/y/d.txt.out"}},
		"other outputs":       {after: func(w *tree) { w.remove("out/x"); w.write("x/c.txt.out", ""); w.symlink("../x", "out/x") }, want: []string{"changed made x/c.txt.out", "missing made x/y/d.txt.out"}},
		"outputs in a circle": {after: func(w *tree) { w.remove("out/x"); w.symlink("x", "out/x") }, want: []string{"missing made x/c.txt.out", "missing made x/y/d.txt.out"}},

		// Files that recipes read may be reached by a link.
		"linked tool":          {before: linkTool},
		"linked tool touched":  {before: linkTool, after: func(w *tree) { w.touch("tools/real") }, want: []string{"changed other tools/cc"}},
		"linked tool replaced": {before: linkTool, after: func(w *tree) { w.write("tools/new", ""); w.remove("tools/cc"); w.symlink("new", "tools/cc") }, want: []string{"changed other tools/cc"}},
		"linked tool removed":  {before: linkTool, after: func(w *tree) { w.remove("tools/real") }, want: []string{"missing other tools/cc"}},
		"looping tools": {
			after: func(w *tree) { w.remove("tools"); w.symlink("tools", "tools") },
			want:  []string{"missing other tools/cc"},
		},
		"linked dependency": {
			before: func(w *tree) {
				w.write("assets/real", "")
				w.remove("assets/lib/o.inc")
				w.symlink("../real", "assets/lib/o.inc")
			},
			after: func(w *tree) { w.write("assets/real", "edited") },
			want:  []string{"changed asset real", "changed other lib/o.inc"},
		},

		// If a listed directory is reached through a link, its real path is compared.
		"linked directory": {before: linkFolder},
		"file behind it": {
			before: linkFolder, after: func(w *tree) { w.touch("assets/z/e.txt") },
			want: []string{"changed asset z/e.txt", "changed asset v/e.txt"},
		},
		"listing behind it": {
			before: linkFolder, after: func(w *tree) { w.write("assets/z/new", "") },
			want: []string{"list ./z", "list ./v"},
		},
		"gone behind it": {
			before: linkFolder, after: func(w *tree) { w.remove("assets/z") },
			want: []string{"list ./", "gone ./z", "gone ./v"},
		},
		"it leads elsewhere": {
			before: linkFolder, after: func(w *tree) { w.remove("assets/v"); w.symlink("x", "assets/v") },
			want: []string{"list ./"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := smallTree(t)
			if tc.before != nil {
				tc.before(w)
			}
			live := w.live()
			if w.links != nil {
				live = w.edited(func(x *index.Index, l *index.Next) {
					l.PutFile(w.file(w.name("assets/z/e.txt"), "v/e.txt", index.Asset))
				})
			}
			if tc.after != nil {
				tc.after(w)
			}
			w.expect(w.options(live), tc.want...)
		})
	}
}

func linkTool(w *tree) { w.rename("tools/cc", "tools/real"); w.symlink("real", "tools/cc") }

func linkFolder(w *tree) {
	w.links = map[string]string{"v": "z"}
	w.symlink("z", "assets/v")
}

// Files that are listed in the changes of the index appear and disappear together with their
// directory. The changes have an entry of their own for this directory.
func TestAddedBehindLink(t *testing.T) {
	w := smallTree(t)
	live := w.edited(func(x *index.Index, l *index.Next) {
		w.write("assets/z/new.txt", "")
		l.PutFile(w.file(w.name("assets/z/new.txt"), "z/new.txt", index.Asset))
		l.PutFolder(scan.Folder{Path: "z", Real: "z", Stamp: w.stamp(w.name("assets/z"))}, true)
	})
	w.expect(w.options(live))
	w.rename("assets/z", "assets/v")
	w.symlink("v", "assets/z")
	w.expect(w.options(live), "gone ./z", "list ./")
}

func TestLinked(t *testing.T) {
	w := smallTree(t)
	w.link("assets/x/c.txt", "one")
	w.link("out/a.txt.out", "two")
	w.link("tools/cc", "three")
	live := w.live()
	found := w.expect(w.options(live))
	got := []string{}
	for _, ref := range found.Linked {
		folder := live.Folder(ref)
		got = append(got, [...]string{"assets ", "out ", ""}[folder.Tree]+strings.TrimPrefix(folder.Path(), w.base))
	}
	if d := cmp.Diff([]string{"assets x", "out ", "/tools"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestComparePipe(t *testing.T) {
	w := smallTree(t)
	w.write("assets/large.txt", strings.Repeat("x", 2*buffer))
	opt := w.options(w.live())
	w.touch("assets/a.txt")
	w.touch("assets/large.txt")
	seen := w.sweep(opt)
	for _, name := range []string{"assets/a.txt", "assets/large.txt", "out/b.txt.out"} {
		w.remove(name)
		w.fifo(name)
	}
	for _, found := range []*restat.Found{seen, w.sweep(opt)} {
		if same := w.compare(opt, found, 0, 0); len(same) > 0 {
			t.Errorf("%q are the same", same)
		}
	}
}

func TestCompareBehindLink(t *testing.T) {
	w := smallTree(t)
	linkTool(w)
	opt := w.options(w.live())
	w.rename("out/x", "x")
	w.symlink("../x", "out/x")
	w.touch("x/c.txt.out")
	w.touch("tools/real")
	w.rename("out/a.txt.out", "out/real")
	w.symlink("real", "out/a.txt.out")
	found := w.expect(opt, "changed made x/c.txt.out", "changed other tools/cc", "changed made a.txt.out")
	if same := w.compare(opt, found, 0, 0); len(same) > 0 {
		t.Errorf("%q are the same", same)
	}
}

// A new file with several hard links does not put its directory into Found.Linked, because the
// directory will be listed.
func TestAppearedFileIsNotLinked(t *testing.T) {
	w := smallTree(t)
	live := w.live()
	w.link("assets/x/c.txt", "assets/x/no.inc")
	w.remove("assets/x/c.txt")
	w.link("assets/x/no.inc", "one")
	found := w.expect(w.options(live), "appeared absent x/no.inc", "list ./x")
	for _, ref := range found.Linked {
		if folder := live.Folder(ref); folder.Path() == "x" {
			t.Error("x is told of")
		}
	}
}
