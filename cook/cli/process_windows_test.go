package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/assetcook/assetcook/internal/frontend"
)

func init() {
	// hold FILE SHARE opens a file with a Windows share mode until standard input ends.
	commands["hold"] = func() {
		share, err := strconv.ParseUint(os.Args[2], 10, 32)
		if err != nil {
			panic(err)
		}
		name, err := windows.UTF16PtrFromString(os.Args[1])
		if err != nil {
			panic(err)
		}
		h, err := windows.CreateFile(name, windows.GENERIC_READ, uint32(share), nil, windows.OPEN_EXISTING, 0, 0)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString("held\n")
		io.Copy(io.Discard, os.Stdin)
		windows.CloseHandle(h)
	}
}

// pictures is a project with images that take a while to cook.
type pictures struct {
	t                *testing.T
	dir, out, assets string
}

func newPictures(t *testing.T, n int) *pictures {
	dir := t.TempDir()
	p := &pictures{t, dir, filepath.Join(dir, "cooked"), filepath.Join(dir, "assets")}
	for i := range n {
		p.paint(i, 1)
	}
	return p
}

func (p *pictures) paint(i, shade int) {
	p.t.Helper()
	name := filepath.Join(p.assets, "p"+strconv.Itoa(i)+".png")
	if err := errors.Join(os.MkdirAll(p.assets, 0o777), writePNG(name, 500, 500, 10*i+shade, 255)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pictures) cook(out string) *exec.Cmd {
	c := exec.Command("cook", "-dir", p.assets, "-out", out, "-cache", out+".store", "-j", "1")
	c.Dir = p.dir
	return c
}

func (p *pictures) cooked(out string) string {
	p.t.Helper()
	said, err := p.cook(out).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, said)
	}
	return string(said)
}

// begin starts a cook, and returns when the first artifact exists.
func (p *pictures) begin() (c *exec.Cmd, said *bytes.Buffer) {
	p.t.Helper()
	c, said = p.cook(p.out), new(bytes.Buffer)
	c.Stdout, c.Stderr = said, said
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := c.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Process.Kill() })
	for deadline := time.Now().Add(time.Minute); len(p.artifacts(p.out)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("no artifact in a minute\n%s", said)
		}
	}
	return c, said
}

// artifacts returns the contents of an output directory without cook's state.
func (p *pictures) artifacts(out string) map[string]string {
	found := map[string]string{}
	filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".cook" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), "p") {
			data, _ := os.ReadFile(name)
			found[d.Name()] = string(data)
		}
		return nil
	})
	return found
}

// wantFresh fails the test unless the output directory equals a cook from scratch.
func (p *pictures) wantFresh() {
	p.t.Helper()
	fresh := filepath.Join(p.dir, "fresh")
	p.cooked(fresh)
	got, want := p.artifacts(p.out), p.artifacts(fresh)
	if len(got) != len(want) {
		p.t.Errorf("%d artifacts, want %d", len(got), len(want))
	}
	for name, data := range want {
		if got[name] != data {
			p.t.Errorf("%s differs from a cook from scratch", name)
		}
	}
}

func TestTerminatedCookIsRepaired(t *testing.T) {
	p := newPictures(t, 8)
	c, said := p.begin()
	if err := c.Process.Kill(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	c.Wait()
	if n := len(p.artifacts(p.out)); n == 8 {
		t.Fatalf("the cook had ended\n%s", said)
	}
	p.cooked(p.out)
	p.wantFresh()
	if said := p.cooked(p.out); !strings.Contains(said, " up to date in ") || strings.Contains(said, " cooked") {
		t.Errorf("the next run:\n%s", said)
	}
}

// TestConsoleInterruptEndsOrderly sends Ctrl-Break, because Ctrl-C cannot be sent to another
// process group. Package os/signal handles Ctrl-C, Ctrl-Break and a closed console in the same way.
func TestConsoleInterruptEndsOrderly(t *testing.T) {
	p := newPictures(t, 8)
	c, said := p.begin()
	if err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.Process.Pid)); err != nil {
		t.Skipf("no console: %v", err)
	}
	c.Wait()
	if c.ProcessState.ExitCode() != frontend.Interrupted || !strings.Contains(said.String(), "interrupted; finished assets are kept") {
		t.Fatalf("%v\n%s", c.ProcessState, said)
	}
	if _, err := os.Lstat(filepath.Join(p.out, ".cook", "journal")); err == nil {
		t.Error("the journal is still there")
	}
	p.cooked(p.out)
	p.wantFresh()
}

// hold keeps a file open in another process until release is called.
func hold(t *testing.T, file string, share uint32) (release func()) {
	t.Helper()
	c := exec.Command("hold", file, strconv.FormatUint(uint64(share), 10))
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("held\n"))); err != nil {
		t.Fatal(err)
	}
	release = func() { in.Close(); c.Wait() }
	t.Cleanup(release)
	return release
}

func TestOutputThatAnotherProcessReadsIsReplaced(t *testing.T) {
	p := newPictures(t, 2)
	p.cooked(p.out)
	hold(t, filepath.Join(p.out, "p0.png.ktx2"), windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE)
	p.paint(0, 7)
	p.cooked(p.out)
	p.wantFresh()
}

func TestOutputThatAnotherProcessKeepsIsReported(t *testing.T) {
	p := newPictures(t, 2)
	p.cooked(p.out)
	release := hold(t, filepath.Join(p.out, "p0.png.ktx2"), windows.FILE_SHARE_READ)
	p.paint(0, 7)
	p.paint(1, 7)
	said, err := p.cook(p.out).CombinedOutput()
	if err == nil || !strings.Contains(string(said), "p0.png.ktx2 is open in another program; close that program") {
		t.Errorf("%v\n%s", err, said)
	}
	if !strings.Contains(string(said), "1 cooked, 1 failed") {
		t.Errorf("the other picture was not cooked\n%s", said)
	}
	release()
	p.cooked(p.out)
	p.wantFresh()
}

// TestNamesThatWindowsDoesNotTakeAreRefused expects an error for each file with the name of a
// device, or with a name that Windows would shorten.
func TestNamesThatWindowsDoesNotTakeAreRefused(t *testing.T) {
	p := newPictures(t, 1)
	for _, name := range []string{"con.txt", "dot."} {
		if err := os.WriteFile(`\\?\`+filepath.Join(p.assets, name), []byte(name), 0o666); err != nil {
			t.Skipf("%s cannot be made: %v", name, err)
		}
		t.Cleanup(func() { os.Remove(`\\?\` + filepath.Join(p.assets, name)) })
	}
	said, err := p.cook(p.out).CombinedOutput()
	if err == nil {
		t.Errorf("succeeded\n%s", said)
	}
	for _, name := range []string{"con.txt", "dot."} {
		if want := "assets/" + name + ": error: cannot be read: the name is a device on Windows, or loses its last character there; rename the file"; !strings.Contains(string(said), want) {
			t.Errorf("want %q in\n%s", want, said)
		}
	}
}
