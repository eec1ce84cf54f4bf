package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assetcook/assetcook/internal/frontend"
)

// runs calls the command within the test's process.
func runs(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = parseAndRun(ctx, args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestInterruptedRunExitsWithSignalStatus(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := tree(t, "a", "b/c")
	for _, args := range [][]string{{root}, {}, {"-check", root + "/a"}, {root + "/a", "-", root + "/b/c"}} {
		if code, stdout, stderr := runs(ctx, "x", args...); code != frontend.Interrupted || stdout != "" || stderr != "" {
			t.Errorf("%q: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// An endless reader cancels its context during a read, and never returns io.EOF.
type endless struct {
	cancel context.CancelFunc
	reads  int
}

func (e *endless) Read(b []byte) (int, error) {
	if e.reads++; e.reads == 3 {
		e.cancel()
	}
	return copy(b, "8cb841db40e6ae83  -\n"), nil
}

// An interrupted run prints the finished sums and nothing else.
func TestRunInterruptedAtWork(t *testing.T) {
	root := tree(t, "a")
	for _, args := range [][]string{{root + "/a", "-", root + "/a"}, {"-check", "-"}} {
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		code := parseAndRun(ctx, args, &endless{cancel: cancel}, &out, &errs)
		lines := strings.Count(out.String(), "\n")
		if code != frontend.Interrupted || !strings.HasSuffix(out.String(), "\n") || args[0] != "-check" && lines != 1 {
			t.Errorf("%q: exit %d, %d lines, %.200q", args, code, lines, errs.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFailedOutputIsAnError(t *testing.T) {
	root := tree(t, "a")
	var errs bytes.Buffer
	code := parseAndRun(t.Context(), []string{root}, nil, full{}, &errs)
	if want := "hashsum: error: not all output could be printed: no space left on device\n"; code != frontend.Failed || errs.String() != want {
		t.Errorf("exit %d, %q, want %q", code, errs.String(), want)
	}
}

// The test checks a list that mixes functions and styles, with several numbers of workers. The
// results must equal the results of checking its files one by one.
func TestCheckMixedList(t *testing.T) {
	var list, want strings.Builder
	var names []string
	for i := range 300 {
		names = append(names, fmt.Sprintf("%d/%d", i%7, i))
	}
	root := tree(t, names...)
	for i, name := range names {
		f := &functions[i/3%len(functions)]
		path := root + "/" + name
		e := entry{fn: f, name: path, size: -1}
		f.Sum([]byte(name)).Append(e.digest[:0])
		text := "OK"
		switch i % 10 {
		case 3:
			e.digest[0]++
			text = "FAILED"
		case 7:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			text = "FAILED open or read"
		}
		list.Write(layout{style: []style{styleTag, styleJSON}[i%2]}.appendEntry(nil, &e))
		list.WriteString("\n")
		fmt.Fprintf(&want, "%s: %s\n", path, text)
	}
	for _, workers := range []string{"1", "2", "9"} {
		code, stdout, stderr := runs(t.Context(), list.String(), "-check", "-", "-j", workers)
		if diff := cmp.Diff(want.String(), stdout); code != frontend.Failed || diff != "" {
			t.Errorf("-j %s: exit %d\n%s", workers, code, diff)
		}
		if !strings.HasSuffix(stderr, "hashsum: warning: 30 listed files could not be read\nhashsum: warning: 30 computed checksums did NOT match\n") {
			t.Errorf("-j %s: %.500q", workers, stderr)
		}
	}
}

// A list becomes unreadable in the middle. The check must fail, whatever the earlier lines contain.
func TestCheckTornReader(t *testing.T) {
	root := tree(t, "a")
	e := entry{fn: lookupFunction("crc32"), name: root + "/a"}
	e.fn.Sum([]byte("a")).Append(e.digest[:0])
	line := string(layout{style: styleTag}.appendEntry(nil, &e)) + "\n"
	in := io.MultiReader(strings.NewReader(line), errReader{})
	var out, errs bytes.Buffer
	if code := parseAndRun(t.Context(), []string{"-check", "-"}, in, &out, &errs); code != frontend.Failed ||
		out.String() != e.name+": OK\n" || errs.String() != "hashsum: error: torn cable\n" {
		t.Errorf("exit %d, %q, %q", code, out.String(), errs.String())
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("torn cable") }

func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"a\nb", []string{"a", "b"}},
		{"\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}},
		{long[1:] + "\na", []string{long[1:], "a"}},
		{long + "\na", []string{"too long", "a"}},
		{long + long + "\n\n", []string{"too long", ""}},
		{long + long, []string{"too long"}},
	} {
		l := newLines(strings.NewReader(c.in), '\n')
		var got []string
		for {
			line, err := l.readNextLine()
			if err == io.EOF {
				break
			}
			if err == errTooLong {
				line = []byte("too long")
			} else if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line))
		}
		if !slices.Equal(got, c.want) || l.number != len(c.want) {
			t.Errorf("%.20q of %d bytes: %d lines, want %d", c.in, len(c.in), len(got), len(c.want))
		}
	}
}

func TestQueue(t *testing.T) {
	var q entryQueue
	next := 0
	for i := range 1000 {
		q.pushEntry(entry{size: int64(i)})
		for n := i % 3; n > 0 && next <= i; n-- {
			if got := q.popEntry(); got.size != int64(next) {
				t.Fatalf("popped %d, want %d", got.size, next)
			}
			next++
		}
	}
	for ; next < 1000; next++ {
		if got := q.popEntry(); got.size != int64(next) {
			t.Fatalf("popped %d, want %d", got.size, next)
		}
	}
}

// Memory use must not grow with the length of the checked list.
func TestCheckHoldsLittle(t *testing.T) {
	const n = 50_000
	k := &checking{command: &command{}, ctx: t.Context(), lines: newLines(&repeated{line: []byte("8cb841db40e6ae83  a\n"), left: n}, '\n')}
	most, begun := 0, 0
	for range k.entriesOfFunction(lookupFunction("xxh64")) {
		if begun++; begun > 1000 {
			k.begun.popEntry()
		}
		most = max(most, len(k.begun.entries))
	}
	if begun != n || most > 2*1000+2 {
		t.Errorf("%d entries, up to %d in memory", begun, most)
	}
}

type repeated struct {
	line []byte
	left int
}

func (r *repeated) Read(b []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	r.left--
	return copy(b, r.line), nil
}

func TestOptionsRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-j", "-1"}, "-j -1: want 1 or more, or 0 for one for each CPU\n"},
		{[]string{"-j", "x"}, "see hashsum -h"},
		{[]string{"-a", ""}, `unknown function ""`},
		{[]string{"-a", "slice8"}, "-a: hashsum does not offer slice8: crc32-bzip2 has the same sums\n"},
		{[]string{"-a", "Maphash"}, "-a: hashsum does not offer maphash: its sums differ"},
		{[]string{"-check", "-a", "sha256", "x"}, "hashsum: error: -check needs a list, but -a is a flag; name the list right after -check\n"},
		{[]string{"-check", "--a=sha256", "x"}, "hashsum: error: -check needs a list, but -a is a flag; name the list right after -check\n"},
		{[]string{"-check", "-h"}, "hashsum: error: -check needs a list, but -h is a flag; name the list right after -check\n"},
		{[]string{"-check"}, "flag needs an argument: -check; see hashsum -h\n"},
		{[]string{"--c"}, "flag needs an argument: -c; see hashsum -h\n"},
		{[]string{"-quiet"}, "-quiet is meaningful only"},
		{[]string{"-check", "x", "-json"}, "-json is meaningless"},
		{[]string{"-tag", "-json"}, "cannot be combined"},
	} {
		if code, stdout, stderr := runs(t.Context(), "", c.args...); code != frontend.Usage || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

// Values of -check, and arguments that are not flags, are file names. The error must name the
// missing file.
func TestFilesRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-check", "-x"}, "open -x: "},
		{[]string{"-check", "x", "--", "-a"}, "open -a: "},
		{[]string{"-c", "x"}, "open x: "},
		{[]string{""}, `hashsum: error: stat "": `},
		{[]string{"-check", ""}, `hashsum: error: open "": `},
	} {
		if code, stdout, stderr := runs(t.Context(), "", c.args...); code != frontend.Failed || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}
