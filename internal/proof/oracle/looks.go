package oracle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// LooksOptions are the options of PlayLooks.
type LooksOptions struct {
	Steps int // number of rounds; each makes edits and then runs
	// Racing makes some edits while cook is running.
	Racing bool
}

// LooksCounts counts the work of PlayLooks.
type LooksCounts struct{ Runs, Edits, Raced, Failed int }

// PlayLooks cooks assets with traced programs that access a tree in many ways. They open, list and
// execute files, change their directory, read links, stat files, and try to change files. PlayLooks
// edits the tree between runs and during runs. After each round, three runs must leave the same
// outputs: an incremental run, a run from scratch, and a run that has only the store. A fourth run
// must find nothing to do. dir must be empty.
func PlayLooks(ctx context.Context, dir string, seed uint64, opt LooksOptions) (LooksCounts, error) {
	l := &looker{Rand: rand.New(rand.NewPCG(seed, 38)), ctx: ctx, dir: dir}
	if err := l.begin(); err != nil {
		return l.counts, err
	}
	for step := range opt.Steps {
		var log []string
		for range 1 + l.IntN(3) {
			log = append(log, l.editLookedTree()())
		}
		l.counts.Edits += len(log)
		if opt.Racing && l.IntN(3) == 0 {
			raced, err := l.race()
			if err != nil {
				return l.counts, err
			}
			log = append(log, raced...)
		}
		if err := l.compareFourRuns(step); err != nil {
			return l.counts, fmt.Errorf("seed %d, step %d, after\n  %s\n%w\nsources:\n%s", seed, step, strings.Join(log, "\n  "), err, strings.Join(l.scripts, "\n--\n"))
		}
	}
	return l.counts, nil
}

type looker struct {
	*rand.Rand
	ctx     context.Context
	dir     string
	scripts []string
	counts  LooksCounts
}

// Paths of the tree: directories, files in them, and links. An edit may change the type of a path,
// for example from a file to a directory.
var (
	lookFolders = []string{"d", "e", "d/sub", "e/sub"}
	lookFiles   = []string{"x.dat", "y.dat"}
	lookLinks   = []string{"l", "m", "d/l"}
	lookTexts   = []string{"1\n", "2\n", "echo 1\n"}
)

// looks holds lines of programs. @P and @Q are replaced by paths of the tree, @F by the name of a
// file. Traces do not record whether two names are the same file, nor the order of names in a
// directory. So no line depends on either.
var looks = []string{
	"cat @P", "cat @P/@F", "cat @P/*", "wc -c < @P/@F", "(cd @P && cat @F)", "(cd @P && cat ../@F)", "cat @P/../@F", "(cd @P && pwd -P)", "cd @P && echo yes && cd \"$OLDPWD\"",
	"ls @P", "ls -l @P | tail -n +2", "ls -lL @P", "ls -A @P/..", "find @P | sort", "find @P -type l | sort", "find @P -perm -u+x | sort", "find @P -newer @Q | sort", "for f in @P/*; do echo $f; done",
	"test -e @P && echo e", "test -f @P && echo f", "test -d @P && echo d", "test -L @P && echo L", "test -h @P/@F && echo h", "test -x @P/@F && echo x", "test -w @P/@F && echo w", "test -r @P && echo r",
	"readlink @P", "readlink -f @P", "readlink -e @P/@F", "realpath @P/@F", "stat -c '%F %a %s %Y %h %u %b' @P", "stat -L -c '%F %a %s %X %Z %h' @P/@F", "test @P -nt @Q && echo newer",
	"tar -cf - @P | cksum", "tar -chf - @P | cksum", "cp -r @P \"$2/c\" && (cd \"$2/c\" && ls -lR --time-style=+) | grep -v ^total; rm -rf \"$2/c\"", "cp -pL @P/@F \"$2/p\" && stat -c '%a %Y' \"$2/p\"; rm -f \"$2/p\"", "du -a --apparent-size @P | sort",
	"ln -s \"$PWD/@P\" \"$2/s\"; cat \"$2/s/@F\"; test -e \"$2/s/none\" && echo none; rm \"$2/s\"", "ln -s \"$PWD\" \"$2/t\"; ls \"$2/t/@P\" | wc -l; rm \"$2/t\"",
	"./@P", "@P/@F", "mkdir @P", "rm -f @P", "rmdir @P", "mv @P @Q", "ln @P/@F \"$2/h\"", "ln -s @F @P", "touch @P/@F", "chmod 600 @P/@F", "truncate -s 1 @P/@F", "mkfifo @P", "stat -f -c %T @P > /dev/null", "echo > @P",
	"cat /proc/self/cwd/@P", "cat /proc/self/root\"$PWD\"/@P/@F", "test -e /proc/thread-self/cwd/@P && echo e", "(exec 7< @P && cat /proc/self/fd/7/@F)", "(exec 7< @P && stat -c '%F %a %Y' -L /proc/self/fd/7)",
	"grep -r 1 @P | sort", "cmp @P/@F @Q/@F", "diff -r @P @Q", "sh @P/@F", "(. ./@P)",
}

func (l *looker) assets() string { return filepath.Join(l.dir, "assets") }

func (l *looker) lookedAt(name string) string {
	return filepath.Join(l.assets(), filepath.FromSlash(name))
}

// randomLookedPath picks a random path of the tree, which may go through a link.
func (l *looker) randomLookedPath() string {
	switch l.IntN(6) {
	case 0, 1:
		return oneOf(l.Rand, lookFolders...)
	case 2, 3:
		return oneOf(l.Rand, lookLinks...)
	case 4:
		return path.Join(oneOf(l.Rand, lookLinks...), oneOf[string](l.Rand, "sub", "l", "x.dat"))
	}
	return path.Join(oneOf(l.Rand, lookFolders...), oneOf(l.Rand, lookFiles...))
}

func (l *looker) begin() error {
	rule := "[[rule]]\nmatch = \"*.look\"\ncommand = [\"sh\", \"{in}\", \"{out}\", \"{scratch}\"]\noutputs = [\"{path}.out\"]\ndeps = \"trace\"\ntimeout = \"30s\"\n"
	files := map[string]string{"cook.toml": rule, ".cookignore": "*.dat\n"}
	for i := range 4 {
		script := "exec > \"$1\" 2> /dev/null\n"
		for range 2 + l.IntN(4) {
			line := strings.NewReplacer("@P", l.randomLookedPath(), "@Q", l.randomLookedPath(), "@F", oneOf(l.Rand, lookFiles...)).Replace(oneOf(l.Rand, looks...))
			script += line + "\necho $?\n"
			if l.IntN(3) == 0 {
				script += "sleep 0.02\n"
			}
		}
		files[fmt.Sprint(i, ".look")] = script + "exit 0\n"
		l.scripts = append(l.scripts, script)
	}
	for _, folder := range lookFolders {
		for _, file := range lookFiles {
			files[path.Join(folder, file)] = oneOf(l.Rand, lookTexts...)
		}
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(l.lookedAt(name)), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(l.lookedAt(name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return os.Symlink("d", l.lookedAt("l"))
}

// editLookedTree picks a random edit and returns a function that applies it. The function does
// nothing if the edit is impossible in the current tree.
func (l *looker) editLookedTree() (do func() string) {
	name := l.randomLookedPath()
	if l.IntN(3) == 0 {
		name = oneOf(l.Rand, lookLinks...)
	}
	at := l.lookedAt(name)
	other := oneOf(l.Rand, lookFolders...)
	text := oneOf(l.Rand, lookTexts...)
	switch n := l.IntN(100); {
	case n < 25:
		return func() string { os.WriteFile(at, []byte(text), 0o666); return fmt.Sprintf("write %s %q", name, text) }
	case n < 35:
		return func() string { os.RemoveAll(at); return "remove " + name }
	case n < 45:
		return func() string { os.RemoveAll(at); os.MkdirAll(at, 0o777); return "empty directory " + name }
	case n < 65:
		to := oneOf[string](l.Rand, "d", "e", "d/sub", "none", "d/x.dat", "../e", "sub", "x.dat", "l")
		if path.Dir(name) == "." {
			to = strings.TrimPrefix(to, "../") // files outside the tree are not inputs
		}
		return func() string {
			os.RemoveAll(at)
			os.MkdirAll(filepath.Dir(at), 0o777)
			os.Symlink(filepath.FromSlash(to), at)
			return "link " + name + " to " + to
		}
	case n < 75:
		mode := oneOf[fs.FileMode](l.Rand, 0o644, 0o755, 0o600)
		return func() string { os.Chmod(at, mode); return fmt.Sprintf("chmod %o %s", mode, name) }
	case n < 82:
		when := time.Unix(oneOf[int64](l.Rand, 1e9, 2e9, time.Now().Unix()), 0)
		return func() string { os.Chtimes(at, when, when); return "touch " + name }
	case n < 87:
		return func() string {
			hard := filepath.Join(l.dir, "hard")
			os.Remove(hard)
			os.Link(at, hard)
			return "hard link of " + name
		}
	case n < 94:
		return func() string {
			between := filepath.Join(l.assets(), "between")
			os.Rename(at, between)
			os.Rename(l.lookedAt(other), at)
			os.Rename(between, l.lookedAt(other))
			return "exchange " + name + " and " + other
		}
	}
	return func() string { os.Rename(at, l.lookedAt(other)); return "rename " + name + " to " + other }
}

// race makes edits during a run. It reverts some of them immediately.
func (l *looker) race() (log []string, err error) {
	done := make(chan error, 1)
	go func() {
		_, err := InProcess(l.ctx, Folders{l.assets(), filepath.Join(l.dir, "cooked"), filepath.Join(l.dir, "store")}, Mode{})
		done <- err
	}()
	for range 1 + l.IntN(4) {
		time.Sleep(time.Duration(l.IntN(40)) * time.Millisecond)
		l.counts.Raced++
		if l.IntN(2) == 0 {
			log = append(log, "meanwhile: "+l.editLookedTree()())
			continue
		}
		name := l.randomLookedPath()
		away := filepath.Join(l.dir, "away")
		moved := os.Rename(l.lookedAt(name), away) == nil
		log = append(log, "meanwhile, for a moment: "+l.editLookedTree()())
		time.Sleep(time.Duration(l.IntN(10)) * time.Millisecond)
		if moved {
			os.RemoveAll(l.lookedAt(name))
			os.Rename(away, l.lookedAt(name))
		}
	}
	return log, <-done
}

// A failureLog writes a description of each failed asset to a writer.
type failureLog struct {
	cook.Observers
	io.Writer
}

func (f failureLog) Event(e cook.Event) {
	if e.Outcome == cook.Failed {
		fmt.Fprintf(f, "failed: %s: %v\n", e.Path, e.Err)
	}
}

// diffWhole returns the result of Diff, followed by the contents that differ.
func (t Tree) diffWhole(got Tree) string {
	text := t.Diff(got)
	for name, want := range t {
		if have, ok := got[name]; ok && have != want {
			text += fmt.Sprintf("\n%s is\n%s\nand should be\n%s", name, have, want)
		}
	}
	return text
}

// compareFourRuns cooks four times in one round and compares the outputs.
func (l *looker) compareFourRuns(step int) error {
	l.counts.Runs++
	store := filepath.Join(l.dir, "store")
	fresh := filepath.Join(l.dir, fmt.Sprint("fresh", step))
	defer os.RemoveAll(fresh)
	trees := make([]Tree, 3)
	var failures strings.Builder
	folders := []Folders{
		{l.assets(), filepath.Join(l.dir, "cooked"), store},
		{l.assets(), filepath.Join(fresh, "scratch"), filepath.Join(fresh, "store")},
		{l.assets(), filepath.Join(fresh, "stored"), store},
	}
	for i, f := range folders {
		ctx, run := Mode{}.Options(l.ctx, f)
		run.Observer = cook.Observers{failureLog{Writer: &failures}}
		got, err := Cook(ctx, run)
		if err != nil {
			return err
		}
		l.counts.Failed += got.Failed
		if trees[i], err = ReadTree(f.Out); err != nil {
			return err
		}
		delete(trees[i], "manifest.json")
	}
	if d := trees[1].diffWhole(trees[0]); d != "" {
		return errors.New("the incremental run differs from a run from scratch:\n" + d + failures.String())
	}
	if d := trees[1].diffWhole(trees[2]); d != "" {
		return errors.New("the run that has only the store differs from a run from scratch:\n" + d + failures.String())
	}
	again, err := InProcess(l.ctx, folders[0], Mode{})
	if err == nil && again.Worked > 0 {
		err = errors.New("another run did work: " + again.Line)
	}
	return err
}
