package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

func TestCommandLineRepeatsTheRun(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "go run ./bench/nullrun"},
		{[]string{"-files", "2000,10", "-runs=2", "-all"}, "go run ./bench/nullrun -all=true -files 2000,10 -runs 2"},
		{[]string{"-rows", "it's|x", "-keep"}, `go run ./bench/nullrun -rows 'it'\''s|x'`},
		{[]string{"-work", "/secret/a", "-o", "/secret/b", "-svg", "/secret/d", "-cook", "/secret/c"}, "go run ./bench/nullrun"},
		{[]string{"-within", "90s"}, "go run ./bench/nullrun -within 1m30s"},
	} {
		var s settings
		fs := settingFlags(&s)
		if err := fs.Parse(test.args); err != nil {
			t.Fatal(err)
		}
		if got := commandLine(fs); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	var s settings
	settingFlags(&s)
	if s.files.String() != "10000,100000" || s.runs != 9 || s.verifyBytes != 2<<30 || s.threads < 1 {
		t.Errorf("defaults are %+v", s)
	}
	if !s.rows.matches("any row") {
		t.Error("not every row is wanted by default")
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"-files", "0"}, {"-files", "10,"}, {"-files", "x"}, {"-runs", "0"}, {"-threads", "0"},
		{"-verify-bytes", "-1"}, {"-within", "-1s"}, {"-simulate", "-1000"}, {"-simulate", "1500"}, {"-simulate", "1000000000"}, {"-svg", "x", "-files", "10"}, {"-svg", "x", "-files", "10,10"}, {"-rows", "("}, {"word"}, {"-unknown"},
	} {
		var said bytes.Buffer
		if code := run(t.Context(), args, io.Discard, &said); code != exitUsage || said.Len() == 0 {
			t.Errorf("%s: exit status %d and %q, want %d and why", strings.Join(args, " "), code, said.String(), exitUsage)
		}
	}
}

// The test starts its own binary, because that program exists on every system.
func TestStarterRunsWhatItReads(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := start(Command{Argv: []string{self, "-test.run=^$"}, Dir: t.TempDir(), Env: os.Environ()}, t.TempDir())
	if err != nil || r.Exit != 0 || r.Wall <= 0 || !strings.Contains(r.Stdout, "PASS") {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = start(Command{Argv: []string{self, "-no-such-flag"}, Dir: t.TempDir(), Env: os.Environ()}, t.TempDir())
	if err != nil || r.Exit != 2 || !strings.Contains(r.Stderr, "no-such-flag") {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestStarterAnswers(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader(`{"Argv":["/no/such/program"]}` + "\n" + `{"Argv":["/no/such/program"]}` + "\n")
	if err := serve(in, &out, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "/no/such/program"); n != 2 {
		t.Errorf("want two errors: %s", out.String())
	}
	if err := serve(strings.NewReader("{"), io.Discard, t.TempDir()); err == nil {
		t.Error("half a command gave no error")
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "a\n": "a", "a\nb\n\n": "b", "a\r\nb\r\n": "b"} {
		if got := lastLine(text); got != want {
			t.Errorf("lastLine(%q) = %q, want %q", text, got, want)
		}
	}
}
