//go:build amd64 || arm64

package faultfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// roleVar is the environment variable that makes the test binary run as the tested program.
const roleVar = "FAULTFS_TEST_ROLE"

func TestMain(m *testing.M) {
	Init()
	if role := os.Getenv(roleVar); role != "" {
		if err := roles[role](os.Args[1]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// roles are the tested programs. Each works in a directory.
var roles = map[string]func(dir string) error{
	"write": func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "file"), []byte("12345678"), 0o666)
	},
	"read": func(dir string) error {
		f, err := os.Open(filepath.Join(dir, "file"))
		if err != nil {
			return err
		}
		defer f.Close()
		var b [8]byte
		n, err := f.Read(b[:])
		fmt.Printf("%d %q\n", n, b[:n])
		n, err2 := f.Read(b[:2])
		fmt.Printf("%d %q\n", n, b[:n])
		n, err3 := f.ReadAt(b[:], 2)
		fmt.Printf("%d %q\n", n, b[:n])
		return errors.Join(err, err2, err3)
	},
	"copy": func(dir string) error {
		from, err := os.Open(filepath.Join(dir, "file"))
		if err != nil {
			return err
		}
		defer from.Close()
		to, err := os.Create(filepath.Join(dir, "copy"))
		if err != nil {
			return err
		}
		_, err = io.Copy(to, from)
		return errors.Join(err, to.Close())
	},
	// relative uses relative paths, so that no path contains the name of the directory.
	"relative": func(dir string) error {
		if err := os.Chdir(dir); err != nil {
			return err
		}
		root, err := os.OpenRoot(".")
		if err != nil {
			return err
		}
		defer root.Close()
		steps := []error{
			root.Mkdir("sub", 0o777),
			os.WriteFile("sub/file", []byte("x"), 0o666),
			root.Rename("sub/file", "moved"),
			os.Symlink("moved", "link"),
			os.Remove("moved"),
		}
		return errors.Join(steps...)
	},
	"elsewhere": func(dir string) error {
		_, err := os.ReadDir(filepath.Dir(dir))
		return errors.Join(err, os.WriteFile(filepath.Join(dir+"other", "file"), nil, 0o666))
	},
	"children": func(dir string) error {
		for range 3 {
			cmd := exec.Command(os.Args[0], dir)
			cmd.Env = append(os.Environ(), roleVar+"=write")
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w", out, err)
			}
		}
		return nil
	},
	// family has a hanging child in another session.
	"family": func(dir string) error {
		child := role("child", dir)
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		return errors.Join(child.Start(), hang(filepath.Join(dir, "first")))
	},
	// widow leaves a hanging grandchild whose parent has exited.
	"widow": func(dir string) error {
		return errors.Join(role("parent", dir).Run(), hang(filepath.Join(dir, "first")))
	},
	"parent": func(dir string) error { return role("child", dir).Start() },
	"child": func(dir string) error {
		name := filepath.Join(dir, "last")
		return errors.Join(os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())), 0o666), hang(name))
	},
	"hang": hang,
}

// hang stats a file and then sleeps.
func hang(name string) error {
	if _, err := os.Stat(name); err != nil {
		return err
	}
	time.Sleep(time.Hour)
	return nil
}

// role returns a command that runs a role and prints to this process's output.
func role(name, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), roleVar+"="+name)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// play runs a role in dir and returns its calls and output.
func play(t *testing.T, role, dir string, decide func(Call) Action) (calls []Call, out string, err error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, dir)
	// Otherwise the race detector would wait for a second at the end of each program.
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0")
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	calls, err = Run(ctx, cmd, []string{dir}, decide)
	if errors.Is(err, ErrNotRun) || ctx.Err() != nil {
		t.Fatalf("%s: %v\n%s", role, err, b.String())
	}
	return calls, b.String(), err
}

func goOn(Call) Action { return Continue }

// at returns a function that applies an action to the first call with the given name.
func at(name string, a Action) func(Call) Action {
	done := false
	return func(c Call) Action {
		if c.Name != name || done {
			return Continue
		}
		done = true
		return a
	}
}

func names(calls []Call, dir string) (all []string) {
	for _, c := range calls {
		rel, _ := filepath.Rel(dir, c.Path)
		if c.To != "" {
			to, _ := filepath.Rel(dir, c.To)
			rel += " " + to
		}
		all = append(all, c.Name+" "+rel)
	}
	return all
}

func TestCallsAreSeen(t *testing.T) {
	dir := t.TempDir()
	calls, out, err := play(t, "write", dir, goOn)
	if err != nil {
		t.Fatal(err, out)
	}
	for i, c := range calls {
		if c.N != i+1 {
			t.Errorf("call %d has number %d", i+1, c.N)
		}
		if grows := c.Name == "write" || c.Name == "openat"; c.Grows != grows {
			t.Errorf("%s takes disk space: %v", c.Name, c.Grows)
		}
		if c.Moves != (c.Name == "write") {
			t.Errorf("%s moves bytes: %v", c.Name, c.Moves)
		}
	}
	if got := names(calls, dir); !slices.Contains(got, "openat file") || !slices.Contains(got, "write file") {
		t.Errorf("calls %q", got)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "file")); string(data) != "12345678" {
		t.Errorf("wrote %q, %v", data, err)
	}
}

func TestRelativeNames(t *testing.T) {
	dir := t.TempDir()
	calls, out, err := play(t, "relative", dir, goOn)
	if err != nil {
		t.Fatal(err, out)
	}
	got := names(calls, dir)
	for _, want := range []string{"mkdirat sub", "openat sub/file", "write sub/file", "renameat sub/file moved", "symlinkat link", "unlinkat moved"} {
		if !slices.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

func TestOtherFoldersAreNotSeen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "below")
	for _, d := range []string{dir, dir + "other"} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if calls, out, err := play(t, "elsewhere", dir, goOn); err != nil || len(calls) > 0 {
		t.Errorf("calls %q, %v %s", names(calls, dir), err, out)
	}
}

func TestFailedCallHasNoEffect(t *testing.T) {
	for _, with := range []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EACCES, syscall.EMFILE} {
		dir := t.TempDir()
		_, out, err := play(t, "write", dir, at("write", Fail(with)))
		if err == nil || !strings.Contains(out, with.Error()) {
			t.Errorf("%v: %v, %q", with, err, out)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || len(data) > 0 {
			t.Errorf("%v: the write happened: %q, %v", with, data, err)
		}
	}
}

// TestInterruptedCallIsMadeAgain checks that Go's own packages repeat interrupted calls.
func TestInterruptedCallIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	calls, out, err := play(t, "write", dir, at("write", Fail(syscall.EINTR)))
	if err != nil {
		t.Fatal(err, out)
	}
	n := 0
	for _, c := range calls {
		if c.Name == "write" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d writes, want 2", n)
	}
}

func TestShortWriteIsContinued(t *testing.T) {
	dir := t.TempDir()
	calls, out, err := play(t, "write", dir, at("write", Short))
	if err != nil {
		t.Fatal(err, out)
	}
	got := names(calls, dir)
	if n := len(slices.DeleteFunc(got, func(s string) bool { return s != "write file" })); n != 2 {
		t.Errorf("%d writes, want 2: the second for the other half", n)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "file")); string(data) != "12345678" {
		t.Errorf("wrote %q", data)
	}
}

func TestShortReadIsContinued(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("abcdefghij"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, out, err := play(t, "read", dir, at("read", Short))
	if want := "4 \"abcd\"\n2 \"ef\"\n8 \"cdefghij\"\n"; err != nil || out != want {
		t.Errorf("short read: %q, want %q; %v", out, want, err)
	}
	// ReadAt repeats short reads until it has all bytes.
	calls, out, err := play(t, "read", dir, at("pread64", Short))
	got := names(calls, dir)
	n := len(slices.DeleteFunc(got, func(s string) bool { return s != "pread64 file" }))
	if want := "8 \"abcdefgh\"\n2 \"ij\"\n8 \"cdefghij\"\n"; err != nil || out != want || n != 2 {
		t.Errorf("short pread: %q, want %q; %v, %d calls", out, want, err, n)
	}
}

func TestShortCopyIsContinued(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("abcdefghij"), 0o666); err != nil {
		t.Fatal(err)
	}
	copies := func(decide func(Call) Action) int {
		calls, out, err := play(t, "copy", dir, decide)
		if err != nil {
			t.Fatal(err, out)
		}
		return len(slices.DeleteFunc(names(calls, dir), func(s string) bool { return s != "copy_file_range copy" }))
	}
	whole := copies(goOn)
	if n := copies(at("copy_file_range", Short)); n != whole+1 {
		t.Errorf("%d copies, want one more than %d for the other half", n, whole)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "copy")); string(data) != "abcdefghij" {
		t.Errorf("copied %q", data)
	}
}

func TestKilledCallDoesNotHappen(t *testing.T) {
	dir := t.TempDir()
	_, _, err := play(t, "write", dir, at("write", Kill))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || len(data) > 0 {
		t.Errorf("the write happened: %q, %v", data, err)
	}
}

func TestAndNoMoreEndsWatching(t *testing.T) {
	dir := t.TempDir()
	calls, out, err := play(t, "write", dir, func(c Call) Action {
		if c.N > 1 {
			return Fail(syscall.EIO)
		}
		return Continue | AndNoMore
	})
	if err != nil || len(calls) != 1 {
		t.Errorf("%d calls, want 1; %v, %q", len(calls), err, out)
	}
}

// TestChildrenAreWatched checks that children inherit the filter, and that killing a child does not
// kill its parent.
func TestChildrenAreWatched(t *testing.T) {
	dir := t.TempDir()
	writes := 0
	_, out, err := play(t, "children", dir, func(c Call) Action {
		if c.Name == "write" {
			if writes++; writes == 3 {
				return Kill
			}
		}
		return Continue
	})
	if writes != 3 || err == nil || !strings.Contains(out, "signal: killed") {
		t.Errorf("%d writes, %v, %q", writes, err, out)
	}
}

// TestNumbersAreStable checks that the same calls have the same numbers in each run.
func TestNumbersAreStable(t *testing.T) {
	dir := t.TempDir()
	var first []string
	for range 5 {
		calls, out, err := play(t, "write", dir, goOn)
		if err != nil {
			t.Fatal(err, out)
		}
		got := names(calls, dir)
		if first == nil {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("calls %q, at first %q", got, first)
		}
	}
}

func TestContextEndsTheRun(t *testing.T) {
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, dir)
	cmd.Env = append(os.Environ(), roleVar+"=hang")
	ctx, cancel := context.WithCancel(t.Context())
	calls, err := Run(ctx, cmd, []string{dir}, func(Call) Action { cancel(); return Continue | AndNoMore })
	if !errors.Is(err, context.Canceled) || len(calls) == 0 {
		t.Errorf("%d calls, error %v", len(calls), err)
	}
}

// runUntilAllHang runs a role until the role and its last descendant hang. Then it cancels Run and
// waits until Run has returned. It returns the process ID of the descendant.
func runUntilAllHang(t *testing.T, name string, waitDelay time.Duration) (last int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "first"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := role(name, dir)
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b // output to a pipe, because Wait reads a pipe to its end
	cmd.WaitDelay = waitDelay
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	looked := map[string]bool{}
	ended := make(chan error, 1)
	go func() {
		_, err := Run(ctx, cmd, []string{dir}, func(c Call) Action {
			if c.Name == "newfstatat" {
				looked[filepath.Base(c.Path)] = true
			}
			if looked["first"] && looked["last"] {
				cancel()
			}
			return Continue
		})
		ended <- err
	}()
	select {
	case <-ctx.Done():
	case err := <-ended:
		t.Fatal(err, b.String())
	}
	text, err := os.ReadFile(filepath.Join(dir, "last"))
	if err != nil {
		t.Fatal(err)
	}
	if last, err = strconv.Atoi(string(text)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(last, syscall.SIGKILL) })
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("Run waits for a process that holds the program's output")
	}
	return last
}

func TestContextEndsDescendants(t *testing.T) {
	child := runUntilAllHang(t, "family", 0)
	// A killed process needs some time to exit.
	for range 1000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the child lives on")
}

// The hanging process has lost its parent, so Run cannot find it as a descendant. Run must return
// nevertheless.
func TestOrphanDoesNotBlockTheRun(t *testing.T) {
	runUntilAllHang(t, "widow", 50*time.Millisecond)
}

func TestMissingProgramIsNotRun(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(filepath.Join(dir, "no such program"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := Run(t.Context(), cmd, []string{dir}, goOn); err == nil || !strings.Contains(stderr.String(), "no such program: no such file") {
		t.Errorf("error %v, %q", err, stderr.String())
	}
	if _, err := Run(t.Context(), exec.Command("/bin/true"), []string{filepath.Join(dir, "gone")}, goOn); !errors.Is(err, ErrNotRun) {
		t.Errorf("error %v", err)
	}
}
