package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/leaktest"
)

var servedAt = regexp.MustCompile(`^view: (http://127\.0\.0\.1:\d+/)#token=`)

func firstLine(t *testing.T, r io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return line
}

// lineWith returns the first line that begins with prefix.
func lineWith(t *testing.T, r io.Reader, prefix string) string {
	t.Helper()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return lines.Text()
		}
	}
	t.Fatalf("no line begins with %q: %v", prefix, lines.Err())
	return ""
}

// fetched returns the body of a page, or "" if the server does not answer.
func fetched(address string) string {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(address)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}

// TestHTTPNeedsNoSecondProgram cooks with -http. The program must serve the pages of the run, and
// the viewer must exit when the program is interrupted or killed.
func TestHTTPNeedsNoSecondProgram(t *testing.T) {
	leaktest.Check(t)
	args, out := plainProject(t)
	program := onlyCook(t)
	for name, end := range map[string]func(*exec.Cmd) error{
		"interrupted": func(c *exec.Cmd) error { return c.Process.Signal(os.Interrupt) },
		"killed":      func(c *exec.Cmd) error { return c.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, append(args, "-http", "127.0.0.1:0", "-a")...)
			cmd.Env = append(os.Environ(), "PATH=")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			at := servedAt.FindStringSubmatch(firstLine(t, stderr))
			if at == nil {
				t.Fatal("the first line has no address")
			}
			if !strings.Contains(fetched(at[1]+"api/info"), filepath.Base(args[1])) {
				t.Errorf("the page does not name the project: %s", fetched(at[1]+"api/info"))
			}
			if script := fetched(at[1] + "reload.js"); !strings.Contains(script, "export function reload(") {
				t.Errorf("the server has no module for hot reload: %q", script)
			}
			if summary := lineWith(t, stdout, "cook: "); !strings.Contains(summary, "1 cooked") {
				t.Errorf("the run ended with %q", summary)
			}
			if err := end(cmd); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(stderr); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if fetched(at[1]) != "" {
				t.Error("the viewer outlived the run")
			}
		})
	}
	if _, err := os.Stat(filepath.Join(out, "b.json")); err != nil {
		t.Error(err)
	}
}

func TestViewOfProject(t *testing.T) {
	args, _ := plainProject(t)
	leaktest.Check(t)
	ctx, interrupt := context.WithCancel(t.Context())
	out, print := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- command{}.runArguments(ctx, func() {}, append([]string{"view"}, args...), print, io.Discard)
		print.Close()
	}()
	at := servedAt.FindStringSubmatch(firstLine(t, out))
	if at == nil {
		t.Fatal("the first line has no address")
	}
	if info := fetched(at[1] + "api/info"); !strings.Contains(info, `"assets"`) {
		t.Errorf("no tab for the assets: %s", info)
	}
	interrupt()
	if got := <-code; got != frontend.Interrupted {
		t.Errorf("exit status %d, want %d", got, frontend.Interrupted)
	}
}

// plainProject returns the flags for a directory with one asset, b.json.
func plainProject(t *testing.T) (args []string, out string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("COOKCACHE", filepath.Join(dir, "cache"))
	assets, out := filepath.Join(dir, "assets"), filepath.Join(dir, "out")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "b.json"), []byte("[1]"), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"-dir", assets, "-out", out}, out
}

// onlyCook returns the path of cook in a directory without other files.
func onlyCook(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("cook") // package testscript puts cook into PATH
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), filepath.Base(program))
	if err := os.Link(program, alone); err != nil {
		data, err := os.ReadFile(program)
		if err == nil {
			err = os.WriteFile(alone, data, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return alone
}
