//go:build amd64 || arm64

package sandbox

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The trace must record the target of each symbolic link that a program follows. It must also
// record each path that a program found not to be a symbolic link.
func TestTraceRecordsLinks(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	for _, dir := range []string{"/v1/sub", "/v2"} {
		if err := os.MkdirAll(p.in+dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"/cur": "v1", "/two": "cur", "/out": "/usr", "/abs": p.in + "/v2", "/none": "gone", "/loop": "loop"} {
		if err := os.Symlink(to, p.in+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(p.in+"/v1/x", []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		script, printed string
		links           []string
	}{
		{`cat v1/x`, "x", nil},
		{`cat cur/x`, "x", []string{"cur -> v1"}},
		{`cat two/x`, "x", []string{"cur -> v1", "two -> cur"}},
		{`cd two && cat x`, "x", []string{"cur -> v1", "two -> cur", "v1 ->"}},
		{`cat cur/../given`, "given", []string{"cur -> v1", "v1 ->"}},
		{`readlink cur`, "v1\n", []string{"cur -> v1"}},
		{`readlink v1; true`, "", []string{"v1 ->"}},
		{`test -L given; true`, "", []string{"given ->"}},
		{`test -L new; true`, "", []string{"new ->"}},
		{`test -L cur && echo link`, "link\n", []string{"cur -> v1"}},
		{`test -e none; true`, "", []string{"none -> gone"}},
		{`cat loop 2>&-; true`, "", []string{"loop -> loop"}},
		{`test -d out/bin && echo yes`, "yes\n", []string{"out -> /usr"}},
		{`test -d abs && echo yes`, "yes\n", []string{"abs -> " + p.in + "/v2"}},
		{`ln -s "$PWD/cur" ../w/l && cat ../w/l/x; rm ../w/l`, "x", []string{"cur -> v1"}},
		{`exec 7< two; cat /proc/self/fd/7/x`, "x", []string{"cur -> v1", "two -> cur"}},
		{`cat /proc/self/root"$PWD"/cur/x`, "x", []string{"cur -> v1"}},
		{`cat /proc/thread-self/cwd/cur/x`, "x", []string{"cur -> v1"}},
		{`cat cur/x/ 2>&-; true`, "", []string{"cur -> v1", "v1 ->", "v1/x ->"}},
	} {
		trace := &Trace{Folder: p.in, Seen: map[string]Access{}}
		printed := inBox(t, Policy{Write: []string{p.w}, Trace: trace}, "/bin/sh", "-c", "cd '"+p.in+"' && "+tc.script)
		var links []string
		for _, name := range slices.Sorted(maps.Keys(trace.Links)) {
			rel, err := filepath.Rel(p.in, name)
			if err != nil {
				t.Error(err)
			}
			links = append(links, strings.TrimSpace(rel+" -> "+trace.Links[name]))
		}
		if printed != tc.printed {
			t.Errorf("%s: printed %q", tc.script, printed)
		}
		if d := cmp.Diff(tc.links, links); d != "" {
			t.Errorf("%s: -want +got\n%s", tc.script, d)
		}
		if trace.Changed() != "" {
			t.Errorf("%s: %s has changed", tc.script, trace.Changed())
		}
	}
}

// Programs must see fixed modes, times and link counts on traced files, and the real ones on other
// files.
func TestTraceShowsFixedAttributes(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	if err := os.Mkdir(p.in+"/sub", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(p.in+"/given", p.in+"/again"); err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		trace := &Trace{Folder: p.in, Seen: map[string]Access{}, Programs: []string{p.in + "/again"}, Plain: plain}
		printed := inBox(t, Policy{Write: []string{p.w}, Trace: trace}, "/bin/sh", "-c", "cd '"+p.in+`' && stat -c '%a %Y %h %s' given again; stat -c %a sub; exec 7< given; stat -L -c '%a %Y' /proc/self/fd/7
test -x given && echo x; test -x again && echo x; test -w given && echo w; test -x sub && echo x
umask 0; echo > ../w/own; stat -c %a ../w/own; find . -newer ../w/own`)
		want := "444 315532800 1 5\n555 315532800 1 5\n755\n444 315532800\nx\nx\n666\n"
		if !plain && printed != want || plain && (strings.Contains(printed, "315532800") || !strings.HasPrefix(printed, "755 ")) {
			t.Errorf("plain %v: %q, want %q", plain, printed, want)
		}
	}
}

func TestChangedReportsChanges(t *testing.T) {
	needBox(t)
	for _, tc := range []struct{ look, change string }{
		{"cat given", "echo more >> given"},
		{"cat given", "cp given copy; mv copy given"},
		{"test -e new || true", "echo > new"},
		{"test -e given", "rm given"},
		{"test -d sub", "rm -r sub; echo > sub"},
		{"ls sub", "echo > sub/new"},
		{"ls sub", "echo > sub/new; rm sub/new"},
		{"cd sub", "mv sub k; mv k sub"},
		{"cd sub/deep", "mv sub k; mv k sub"},
		{"readlink cur", "ln -sfn other cur"},
		{"test -L given || true", "mv given copy; ln -s copy given"},
		{"test -L new || true", "ln -s gone new"},
	} {
		p := newPlace(t)
		if err := os.MkdirAll(p.in+"/sub/deep", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("sub", p.in+"/cur"); err != nil {
			t.Fatal(err)
		}
		trace := &Trace{Folder: p.in, Seen: map[string]Access{}}
		inBox(t, Policy{Write: []string{p.w}, Trace: trace}, "/bin/sh", "-c", "cd '"+p.in+"' && "+tc.look)
		if trace.Changed() != "" {
			t.Errorf("%s: %s has changed", tc.look, trace.Changed())
		}
		cmd := exec.Command("sh", "-c", tc.change)
		cmd.Dir = p.in
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", tc.change, err, text)
		}
		if trace.Changed() == "" {
			t.Errorf("%s, then %s: it is the same", tc.look, tc.change)
		}
	}
}
