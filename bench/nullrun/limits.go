package main

import (
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

//go:embed limits/list.h limits/statknown.c limits/readall.c
var limitSources embed.FS

// modulePath is the path of this module.
const modulePath = "github.com/assetcook/assetcook/"

// hello is the source of a minimal Go program.
const hello = `package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
`

// limits are the minimal programs whose times are lower bounds for cook.
type limits struct {
	dir       string // directory of the programs statknown, readall, golimit and hello
	threads   int
	noC, noGo string // reasons why the programs in C or in Go are missing; "" if present
}

// buildLimits builds the limit programs in an existing directory.
func buildLimits(ctx context.Context, dir string, threads int) (*limits, error) {
	l := &limits{dir: dir, threads: threads}
	for _, name := range []string{"list.h", "statknown.c", "readall.c"} {
		text, err := limitSources.ReadFile("limits/" + name)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	if cc, err := exec.LookPath("cc"); err != nil {
		l.noC = "no C compiler installed"
	} else {
		for _, name := range []string{"statknown", "readall"} {
			if err := tool(ctx, dir, cc, "-O2", "-pthread", "-o", name, name+".c"); err != nil {
				l.noC = "not built: " + err.Error()
			}
		}
	}
	golimit := modulePath + "bench/nullrun/limits/golimit"
	if err := tool(ctx, "", "go", "build", "-o", filepath.Join(dir, "golimit"), golimit); err != nil {
		l.noGo = "not built: " + err.Error()
	}
	if err := os.WriteFile(filepath.Join(dir, "hello.go"), []byte(hello), 0o666); err != nil {
		return nil, err
	}
	return l, tool(ctx, dir, "go", "build", "-o", "hello", "hello.go")
}

// buildCook builds the measured command.
func buildCook(ctx context.Context, to string) error {
	return tool(ctx, "", "go", "build", "-o", to, modulePath+"cmd/cook")
}

// tool runs a compiler. The error contains the compiler's output.
func tool(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// These are the names of the limit programs as contestants.
const (
	statC  = "statknown (C)"
	statGo = "statknown (Go)"
	readC  = "readall (C)"
	readGo = "readall (Go)"
)

// stat returns the contestants that call stat on each file of the tree below roots.
func (l *limits) stat(ctx context.Context, t *Tree, roots ...string) ([]Contestant, error) {
	return l.pair(ctx, t, roots, 1, "stat", "statknown", statC, statGo)
}

// statAgain is like stat, but each contestant visits every directory the given number of times.
func (l *limits) statAgain(ctx context.Context, t *Tree, times int, roots ...string) ([]Contestant, error) {
	return l.pair(ctx, t, roots, times, "stat", "statknown", statC, statGo)
}

func (l *limits) readContestants(ctx context.Context, t *Tree, roots ...string) ([]Contestant, error) {
	return l.pair(ctx, t, roots, 1, "read", "readall", readC, readGo)
}

func (l *limits) pair(ctx context.Context, t *Tree, roots []string, times int, verb, program, inC, inGo string) ([]Contestant, error) {
	list := filepath.Join(t.Root, fmt.Sprintf("list%d", len(roots)))
	if err := t.writeList(ctx, list, roots, times); err != nil {
		return nil, err
	}
	args := append([]string{list, strconv.Itoa(l.threads)}, roots...)
	n := times * len(roots)
	check := says(fmt.Sprintf("%d directories, %d files, %d bytes\n", t.Folders()*n, t.Files*n, t.bytes()*int64(n)))
	contestant := func(name, missing string, argv ...string) Contestant {
		return Contestant{Name: name, Missing: missing, Check: check, Command: Command{Argv: append(argv, args...), Dir: t.Root}}
	}
	return []Contestant{
		contestant(inC, l.noC, filepath.Join(l.dir, program)),
		contestant(inGo, l.noGo, filepath.Join(l.dir, "golimit"), verb),
	}, nil
}

// bytes returns the total size of the sources in bytes.
func (t *Tree) bytes() (n int64) {
	for i := range t.Files {
		n += int64(t.Size(i))
	}
	return n
}

// hello returns a contestant that only starts, prints a line and exits.
func (l *limits) hello() Contestant {
	return Contestant{Name: oneLine, Check: says("hello\n"), Command: Command{Argv: []string{filepath.Join(l.dir, "hello")}, Dir: l.dir}}
}

const oneLine = "one-line Go program"
