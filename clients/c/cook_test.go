// Package c tests cook.h, the header for games in C and C++, with the programs in programs.
package c

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/reload"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/recipes"
)

// buildC builds a program with sanitizers.
func buildC(t *testing.T, name string) (program string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("needs a C compiler")
	}
	for _, source := range []string{"cook.h", "programs/" + name + ".c"} {
		if _, err := os.ReadFile(source); err != nil {
			t.Fatal(err)
		}
	}
	program = filepath.Join(t.TempDir(), name)
	build := exec.Command(gcc, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined",
		"-fno-sanitize-recover=all", "-o", program, "programs/"+name+".c", "-lpthread")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func TestOtherCompilersAcceptTheHeader(t *testing.T) {
	for _, compiler := range [][]string{
		{"g++", "-x", "c++", "-std=c++11", "programs/trace.c"},
		{"g++", "-x", "c++", "-std=c++11", "programs/reload.c"},
		{"x86_64-w64-mingw32-gcc", "-std=c99", "programs/reload.c"},
	} {
		t.Run(strings.Join(compiler, " "), func(t *testing.T) {
			path, err := exec.LookPath(compiler[0])
			if err != nil {
				t.Skip("needs ", compiler[0])
			}
			args := append([]string{"-Wall", "-Wextra", "-Werror", "-fsyntax-only"}, compiler[1:]...)
			if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestTraceHasAllRecords runs programs/trace.c and expects package events to read all its records.
func TestTraceHasAllRecords(t *testing.T) {
	program, name := buildC(t, "trace"), filepath.Join(t.TempDir(), "c.events")
	if out, err := exec.Command(program, name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stream := events.Read(file)
	counts, sum, last := map[string]int{}, 0.0, map[int]int64{}
	for e, err := range stream.All() {
		if err != nil {
			t.Fatal(err)
		}
		key := e.Kind.String() + " " + e.Name
		switch e.Kind {
		case events.Scope, events.Instant, events.Open:
			key += " " + e.Detail
		case events.Value:
			sum += e.Values[0]
		case events.Alloc, events.Free:
			key += fmt.Sprint(" ", e.Values[0])
		default:
			key += fmt.Sprint(" ", e.Flow)
		}
		if end := e.Time + e.Dur; e.Kind != events.Open {
			if end < last[e.Worker] || e.Time < 0 {
				t.Fatalf("%+v ends before the previous record", e)
			}
			last[e.Worker] = end
		}
		counts[key]++
	}
	want := map[string]int{
		"scope work naïve.png": 60000, "scope deep ": 60000, "scope deep naïve.png": 3 * 64, "value counter": 60000,
		"instant work naïve.png": 6, "alloc bytes 1000": 3, "free bytes 1000": 3, "flow out flow 7": 3, "flow in flow 7": 3,
	}
	opens := stream.Open() // Earlier lists of open scopes depend on the time.
	for key := range counts {
		if strings.HasPrefix(key, "open ") {
			delete(counts, key)
		}
	}
	if !maps.Equal(counts, want) || len(opens) != 3 {
		t.Errorf("got %v and the open scopes %v, want %v and 3", counts, opens, want)
	}
	if wantSum := 3 * 19999 * 20000 / 2 / 4.0; sum != wantSum {
		t.Errorf("the sum of all values is %v, want %v", sum, wantSum)
	}
	if dropped := stream.Dropped(); dropped != 30 {
		t.Errorf("%d records dropped, want 30 that are too deep", dropped)
	}
}

// TestReloadIsToldOfAllChanges runs a C program that must receive every edit, even after a lost
// connection or with more changes than its buffer holds.
func TestReloadIsToldOfAllChanges(t *testing.T) {
	program := buildC(t, "reload")
	for _, token := range []string{"", "0123456789abcdef"} {
		t.Run("token "+token, func(t *testing.T) { testReload(t, program, token) })
	}
}

// withToken returns a handler that requires a token, unless the token is "".
func withToken(next http.Handler, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if got := req.Header.Get("Authorization"); token != "" && got != "Bearer "+token {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, req)
	})
}

func testReload(t *testing.T, program, token string) {
	dir := t.TempDir()
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "out"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All()}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(project.Dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cookAll := func() {
		t.Helper()
		if _, err := cook.Cook(t.Context(), project, cook.CookOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	write("first.bin", "1")
	write("gone.bin", "1")
	cookAll()

	server := httptest.NewUnstartedServer(withToken(reload.Handler(project.Out), token))
	listener := &countingListener{Listener: server.Listener, accepted: make(chan net.Conn, 8)}
	server.Listener = listener
	server.Start()
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	args := []string{fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)}
	if token != "" {
		args = []string{"127.0.0.1", args[0], token}
	}
	client := exec.CommandContext(ctx, program, args...)
	var complaints bytes.Buffer
	client.Stderr = &complaints
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	expect := func(want ...string) {
		t.Helper()
		left := map[string]bool{}
		for _, line := range want {
			left[line] = true
		}
		for len(left) > 0 {
			if !lines.Scan() {
				t.Fatalf("the program ended before %v: %s", left, &complaints)
			}
			if !left[lines.Text()] {
				t.Fatalf("the program prints %q, want one of %v", lines.Text(), left)
			}
			delete(left, lines.Text())
		}
	}

	conn := <-listener.accepted
	waitForHello(t, server.URL, token)
	<-listener.accepted
	write("first.bin", "2")
	cookAll()
	expect("changed first.bin")

	conn.Close()
	expect("lost")
	os.Remove(filepath.Join(project.Dir, "gone.bin"))
	cookAll()
	conn = <-listener.accepted
	expect("removed gone.bin")

	var all []string
	for i := range 300 {
		name := fmt.Sprintf("many/with a long name %0100d.bin", i)
		write(name, fmt.Sprint(i))
		all = append(all, "changed "+name)
	}
	cookAll()
	expect(all...)
	conn.Close()
	expect("lost")
	if err := client.Wait(); err != nil {
		t.Errorf("%v: %s", err, &complaints)
	}
}

// A countingListener sends each accepted connection to a channel.
type countingListener struct {
	net.Listener
	accepted chan net.Conn
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.accepted <- conn
	}
	return conn, err
}

// waitForHello returns once the handler watches the directory. It connects as a second client and
// waits for the first event.
func waitForHello(t *testing.T, url, token string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), "GET", url+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := bufio.NewReader(response.Body).ReadString('{'); err != nil {
		t.Fatal(err)
	}
}
