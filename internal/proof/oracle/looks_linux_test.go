package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A tracedTree is a project with one asset, which a traced shell script cooks.
type tracedTree struct {
	*testing.T
	dir string
}

func newTracedTree(t *testing.T, script string) *tracedTree {
	l := &tracedTree{t, t.TempDir()}
	l.sh(`mkdir -p assets/v1 assets/v2 assets/src && echo s > assets/a.s && echo 1 > assets/v1/x && echo 2 > assets/v2/x && echo x > assets/src/x && ln -s v1 assets/cur && ln -s src/x assets/file && echo '*' > assets/.cookignore && printf '!*.s\n' >> assets/.cookignore`)
	rule := "[[rule]]\nmatch = \"*.s\"\ncommand = [\"sh\", \"-c\", '''" + script + "''', \"sh\", \"{in}\", \"{out}\", \"{scratch}\"]\noutputs = [\"{path}\"]\ndeps = \"trace\"\n"
	if err := os.WriteFile(filepath.Join(l.dir, "assets/cook.toml"), []byte(rule), 0o666); err != nil {
		t.Fatal(err)
	}
	return l
}

// sh runs a shell script that edits the project, in the project's directory.
func (l *tracedTree) sh(script string) {
	l.Helper()
	cmd := exec.CommandContext(l.Context(), "sh", "-c", script)
	cmd.Dir = l.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		l.Fatalf("%s: %v\n%s", script, err, text)
	}
}

// cook cooks the project into a directory, and returns the output of the asset.
func (l *tracedTree) cook(out, store string) (text string, worked int) {
	l.Helper()
	r, err := InProcess(l.Context(), Folders{filepath.Join(l.dir, "assets"), filepath.Join(l.dir, out), filepath.Join(l.dir, store)}, Mode{})
	if err != nil || r.Failed > 0 {
		l.Fatalf("%s: %v", r.Line, err)
	}
	data, err := os.ReadFile(filepath.Join(l.dir, out, "a.s"))
	if err != nil {
		l.Fatal(err)
	}
	return string(data), r.Worked
}

// isRight checks that the output equals the output of a cook from scratch, and the output of a cook
// from the store. Another cook must have nothing to do.
func (l *tracedTree) isRight() (text string) {
	l.Helper()
	text, _ = l.cook("cooked", "store")
	if want, _ := l.cook("fresh", "freshstore"); text != want {
		l.Errorf("output %q, from scratch %q", text, want)
	}
	if stored, _ := l.cook("stored", "store"); stored != text {
		l.Errorf("output %q, from the store %q", text, stored)
	}
	if _, worked := l.cook("cooked", "store"); worked > 0 {
		l.Error("another cook did work")
	}
	l.sh("rm -rf fresh freshstore stored")
	return text
}

// The test edits files that a traced program observes. Then the incremental output must equal the
// output of a cook from scratch.
func TestEveryAnswerToTracedProgramIsInputOrConstant(t *testing.T) {
	for _, tc := range []struct {
		name, script, edit string
		changes            bool // whether the edit must change the output
	}{
		{"directory through a link", `cd cur && cat x > "$2"`, `ln -sfn v2 assets/cur`, true},
		{"text of a link", `readlink cur > "$2"`, `ln -sfn v2 assets/cur`, true},
		{"final target of a link", `readlink -f cur > "$2"`, `ln -sfn v2 assets/cur`, true},
		{"parent through a link", `cat cur/../v1/x > "$2"; (cd -P cur; pwd) >> "$2"`, `ln -sfn v2 assets/cur`, true},
		{"descriptor of a link", `exec 7< cur; cat /proc/self/fd/7/x > "$2"`, `ln -sfn v2 assets/cur`, true},
		{"kind of a link", `[ -L cur ] && echo link > "$2" || echo none > "$2"`, `rm assets/cur; cp -r assets/v1 assets/cur`, true},
		{"kind of a directory that becomes a link", `[ -L v1 ] && echo link > "$2" || echo none > "$2"`, `mv assets/v1 assets/v3; ln -s v3 assets/v1`, true},
		{"link that appears", `[ -L new ] && echo link > "$2" || echo none > "$2"`, `ln -s nowhere assets/new`, true},
		{"links in an archive", `tar -cf "$2" --mtime=@0 cur v1`, `ln -sfn v2 assets/cur`, true},
		{"file behind a link", `cat file > "$2"`, `ln -sfn v1/x assets/file`, true},
		{"link in the scratch directory", `ln -s "$PWD/src" "$3/l"; cat "$3/l/x" "$3/l/extra" > "$2" 2>&-; true`, `echo extra > assets/src/extra`, true},
		{"missing directory", `if cd extra 2>&-; then echo yes > "$2"; else echo no > "$2"; fi`, `mkdir assets/extra`, true},
		{"directory that is removed", `if cd src 2>&-; then echo yes > "$2"; else echo no > "$2"; fi`, `rm -r assets/src`, true},
		{"program that appears", `./gen 2>&-; echo $? > "$2"`, `echo > assets/gen; chmod +x assets/gen`, true},
		{"directory that cannot be made", `mkdir new 2> "$2"; true`, `mkdir assets/new`, true},
		{"file that cannot be removed", `rm new 2> "$2"; true`, `echo > assets/new`, true},
		{"file that cannot be renamed", `mv new other 2> "$2"; true`, `echo > assets/new`, true},
		{"file that cannot be linked", `ln new h 2> "$2"; true`, `echo > assets/new`, true},
		{"mode that cannot be changed", `chmod 600 new 2> "$2"; true`, `echo > assets/new`, true},
		{"file that cannot be cut", `truncate -s 0 -c new 2> "$2"; echo $? >> "$2"`, `echo > assets/new`, true},
		{"file system", `stat -f -c %l new > "$2" 2>&1; true`, `echo > assets/new`, true},
		{"root of a process", `[ -e "/proc/self/root$PWD/new" ] && echo yes > "$2" || echo no > "$2"`, `echo > assets/new`, true},
		{"directory of a thread", `[ -e /proc/thread-self/cwd/new ] && echo yes > "$2" || echo no > "$2"`, `echo > assets/new`, true},
		{"mode", `[ -x src/x ] && echo x > "$2" || echo - > "$2"; ls -l src >> "$2"; stat -c %a src/x src >> "$2"`, `chmod 777 assets/src/x; chmod 700 assets/src`, false},
		{"mode in an archive", `tar -cf "$2" --owner=0 --group=0 src`, `chmod 755 assets/src/x`, false},
		{"mode of an open file", `exec 7< src/x; stat -L -c '%a %Y %h' /proc/self/fd/7 > "$2"; cp -p src/x "$3/c"; stat -c %a:%Y "$3/c" >> "$2"`, `chmod 755 assets/src/x; touch assets/src/x`, false},
		{"times", `stat -c '%X %Y %Z' src/x src > "$2"; [ src/x -nt v1/x ] && echo newer >> "$2"; true`, `touch -d 2035-01-01 assets/src/x`, false},
		{"link count", `stat -c %h src/x src > "$2"`, `ln assets/src/x hard; mkdir assets/src/sub`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			l := newTracedTree(t, tc.script)
			before := l.isRight()
			l.sh(tc.edit)
			if after := l.isRight(); (after != before) != tc.changes {
				t.Errorf("output %q before the edit and %q after it, want changed %v", before, after, tc.changes)
			}
		})
	}
}

// The test changes a file while a program runs. The recorded state must be one that the program
// saw.
func TestChangeDuringTracedRunIsNotRecorded(t *testing.T) {
	for _, tc := range []struct{ name, look, edit, after string }{
		{"file added", `ls src > "$2"`, `echo z > assets/src/z`, ""},
		{"file removed", `ls src > "$2"`, `rm assets/src/x`, ""},
		{"file renamed", `find src > "$2"`, `mv assets/src/x assets/src/y`, ""},
		{"file added to a pattern", `cat src/* > "$2"`, `echo z > assets/src/z`, ""},
		{"file that exists for a moment", `ls src > "$2"`, `echo z > assets/src/z`, `rm assets/src/z`},
		{"file that is looked for", `[ -e new ] && echo yes > "$2" || echo no > "$2"`, `echo > assets/new`, `rm assets/new`},
		{"directory replaced by another", `cat src/x > "$2"`, `mv assets/src k; mkdir assets/src; echo other > assets/src/x`, `rm -r assets/src; mv k assets/src`},
		{"listed directory replaced by another", `ls src > "$2"`, `mv assets/src k; mkdir assets/src; echo other > assets/src/y`, `rm -r assets/src; mv k assets/src`},
		{"link retargeted", `readlink cur > "$2"`, `ln -sfn v2 assets/cur`, `ln -sfn v1 assets/cur`},
	} {
		for _, when := range []string{"before the look", "after the look"} {
			t.Run(tc.name+" "+when, func(t *testing.T) {
				t.Parallel()
				// The program creates a file to report each step, and waits until the test
				// creates another file.
				wait := func(n string) string {
					return `: > "$3/` + n + `"; until [ -e "$3/go` + n + `" ]; do sleep 0.01; done; `
				}
				l := newTracedTree(t, wait("1")+tc.look+"; "+wait("2")+"true")
				ended := make(chan error, 1)
				go func() {
					_, err := InProcess(l.Context(), Folders{filepath.Join(l.dir, "assets"), filepath.Join(l.dir, "cooked"), filepath.Join(l.dir, "store")}, Mode{})
					ended <- err
				}()
				edits := []string{tc.edit, tc.after}
				if when == "after the look" {
					edits = []string{"true", tc.edit + "; " + tc.after}
				}
				for i, edit := range edits {
					step := string(rune('1' + i))
					scratch := l.await("cooked/.cook/tmp/*/tmp/" + step)
					l.sh(edit + "\ntrue")
					l.sh("touch '" + filepath.Join(filepath.Dir(scratch), "go"+step) + "'")
				}
				over := make(chan struct{})
				defer close(over)
				go l.goOn(over)
				if err := <-ended; err != nil {
					t.Fatal(err)
				}
				l.isRight()
			})
		}
	}
}

// await waits for a file that matches a pattern, and returns its name.
func (l *tracedTree) await(pattern string) string {
	for {
		if names, _ := filepath.Glob(filepath.Join(l.dir, pattern)); len(names) > 0 {
			return names[0]
		}
		time.Sleep(time.Millisecond)
	}
}

// goOn lets all programs continue without waiting.
func (l *tracedTree) goOn(over <-chan struct{}) {
	for {
		folders, _ := filepath.Glob(filepath.Join(l.dir, "*/.cook/tmp/*/tmp"))
		for _, folder := range folders {
			for _, name := range []string{"go1", "go2"} {
				os.WriteFile(filepath.Join(folder, name), nil, 0o666) // the program may already have ended
			}
		}
		select {
		case <-over:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// Random traced programs and random edits must give the outputs of a run from scratch.
func TestTracedProgramsEqualCookFromScratch(t *testing.T) {
	sequences := uint64(12)
	if testing.Short() {
		sequences = 3
	}
	for seed := range sequences {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			counts, err := PlayLooks(t.Context(), t.TempDir(), seed, LooksOptions{Steps: 5, Racing: true})
			if err != nil {
				t.Error(err)
			}
			if counts.Runs == 0 {
				t.Error("nothing was cooked")
			}
		})
	}
}
