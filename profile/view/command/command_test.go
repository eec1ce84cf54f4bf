package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/leaktest"
	"github.com/assetcook/assetcook/profile/memory"
)

// serve runs a viewer. It returns the base URL, and a function that ends the viewer.
func serve(t *testing.T, v *Viewer) (url string, end func() error) {
	t.Helper()
	out, in := io.Pipe()
	v.Addr, v.Stdout, v.Stderr = "127.0.0.1:0", in, io.Discard
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- v.Run(ctx)
		in.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(<-done)
	}
	url, _, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "view: "), "#token=")
	if !found {
		t.Fatalf("the viewer says %q", line)
	}
	return url, func() error {
		cancel()
		return <-done
	}
}

// ask returns the viewer's description of itself.
func ask(t *testing.T, url string) (answer struct {
	Title     string
	Counters  bool
	Snapshots []struct{ Name string }
}) {
	t.Helper()
	resp, err := http.Get(url + "api/info")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	return answer
}

func TestViewFiles(t *testing.T) {
	leaktest.Check(t)
	dir := t.TempDir()
	recording, snapshot := filepath.Join(dir, "run.events"), filepath.Join(dir, "memory.json")
	if err := os.WriteFile(recording, record(t), 0o666); err != nil {
		t.Fatal(err)
	}
	var captured bytes.Buffer
	if err := memory.New(memory.Options{}).Capture(time.Unix(0, 0)).WriteJSON(&captured); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(snapshot, captured.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	url, end := serve(t, &Viewer{Files: []string{recording, snapshot}})
	got := ask(t, url)
	if !got.Counters || len(got.Snapshots) != 1 || got.Snapshots[0].Name != "memory.json" || !strings.Contains(got.Title, "run.events") {
		t.Errorf("the viewer has %+v", got)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// An attached viewer must end when its standard input ends, and not before.
func TestViewAttached(t *testing.T) {
	leaktest.Check(t)
	stream, program := io.Pipe()
	url, end := serve(t, &Viewer{Attached: true, Stdin: stream, Files: []string{"-"}})
	if _, err := program.Write(record(t)); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, url); !got.Counters {
		t.Errorf("the viewer has %+v", got)
	}
	program.Close()
	if err := end(); err != nil {
		t.Error(err)
	}
}

func TestUnreadableFilesGiveOneLine(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text.events")
	if err := os.WriteFile(file, []byte("this is no recording"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, want string }{
		{filepath.Join(dir, "none.events"), "no such file"},
		{file, "text.events"},
		{filepath.Join(dir, "none.json"), "no such file"},
		{"127.0.0.1:1", "no program serves its stream at 127.0.0.1:1"},
	} {
		v := &Viewer{Addr: "127.0.0.1:0", Files: []string{tc.name}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
		if err := v.Run(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", tc.name, err, tc.want)
		}
	}
}
