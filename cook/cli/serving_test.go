package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/leaktest"
	"github.com/assetcook/assetcook/recipes"
)

// A serving is a running "cook serve".
type serving struct {
	t      *testing.T
	url    string
	stderr *bufio.Reader
	client *http.Client
	end    func() (status int)
}

var servingAt = regexp.MustCompile(`^cook: serving(?: the target (\S+))? at (https?://127\.0\.0\.1:\d+/\S*)$`)

func startServing(t *testing.T, target string, args ...string) *serving {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	t.Cleanup(interrupt)
	out, print := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- command{cook.Cook, recipes.All()}.runArguments(ctx, func() {}, append([]string{"serve", "-listen", "0"}, args...), io.Discard, print)
		print.Close()
	}()
	s := &serving{t: t, stderr: bufio.NewReader(out), end: func() int {
		interrupt()
		io.Copy(io.Discard, out)
		return <-code
	}}
	s.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	at := servingAt.FindStringSubmatch(s.line())
	if at == nil || at[1] != target {
		t.Fatalf("the first line has no address: %q", at)
	}
	s.url = at[2]
	return s
}

// line returns the next line of standard error.
func (s *serving) line() string {
	s.t.Helper()
	line, err := s.stderr.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// get returns a response with its content.
func (s *serving) get(name string) (*http.Response, string) {
	s.t.Helper()
	resp, err := s.client.Get(s.url + name)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(data)
}

// TestServeCooksAndSendsEdits starts "cook serve" for a target, edits a file, and expects an event
// and the new content.
func TestServeCooksAndSendsEdits(t *testing.T) {
	args, _ := plainProject(t)
	if err := os.WriteFile(filepath.Join(args[1], "cook.toml"), []byte("[target.mobile]\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	leaktest.Check(t)
	s := startServing(t, "mobile", append(args, "-target", "mobile", "-token", "0123456789abcdef")...)
	for !strings.HasPrefix(s.line(), "cook: watching ") {
	}
	if resp, text := s.get("b.json"); resp.StatusCode != 200 || text != "[1]" || resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %q", resp.Status, text)
	}
	resp, err := s.client.Get(s.url + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	for events.Scan() && events.Text() != "event: hello" {
	}
	if err := os.WriteFile(filepath.Join(args[1], "b.json"), []byte("[2]"), 0o666); err != nil {
		t.Fatal(err)
	}
	for events.Scan() && events.Text() != "changed: b.json" {
	}
	if _, text := s.get("b.json"); text != "[2]" {
		t.Errorf("after the event: %q", text)
	}
	s.url = strings.Replace(s.url, "@0123456789abcdef/", "", 1)
	if resp, _ := s.get("b.json"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %s", resp.Status)
	}
	if status := s.end(); status != frontend.Interrupted {
		t.Errorf("exit status %d, want %d", status, frontend.Interrupted)
	}
	if _, err := s.client.Get(s.url); err == nil {
		t.Error("the server outlived the command")
	}
}

// TestServeWithTLS expects the printed fingerprint to match the certificate, over HTTP/2.
func TestServeWithTLS(t *testing.T) {
	args, _ := plainProject(t)
	leaktest.Check(t)
	s := startServing(t, "", append(args, "-tls")...)
	want := strings.TrimPrefix(s.line(), "cook: SHA-256 fingerprint of the certificate: ")
	for !strings.HasPrefix(s.line(), "cook: watching ") {
	}
	resp, text := s.get("b.json")
	if text != "[1]" || resp.ProtoMajor != 2 || !strings.HasPrefix(s.url, "https://") {
		t.Errorf("%s %s %q", s.url, resp.Proto, text)
	}
	got := strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(resp.TLS.PeerCertificates[0].Raw)), " ", ":")
	if got != want {
		t.Errorf("the certificate has the fingerprint %s, printed is %s", got, want)
	}
	s.end()
}

// TestServeOnly serves what another cook makes.
func TestServeOnly(t *testing.T) {
	args, _ := plainProject(t)
	leaktest.Check(t)
	s := startServing(t, "", append(args, "-watch=false")...)
	if resp, text := s.get("manifest.json"); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "nothing is cooked yet") {
		t.Errorf("%s %q", resp.Status, text)
	}
	c := command{cook.Cook, recipes.All()}
	if status := c.runArguments(t.Context(), func() {}, args, io.Discard, io.Discard); status != frontend.OK {
		t.Fatal(status)
	}
	if _, text := s.get("b.json"); text != "[1]" {
		t.Errorf("%q", text)
	}
	if status := s.end(); status != frontend.Interrupted {
		t.Errorf("exit status %d", status)
	}
}
