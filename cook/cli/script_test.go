package cli

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/internal/engine"
	"github.com/assetcook/assetcook/cook/internal/remote/remotetest"
	"github.com/assetcook/assetcook/internal/memtemp"
	"github.com/assetcook/assetcook/internal/proof/oracle"
	"github.com/assetcook/assetcook/profile/counters"
)

// commands are the programs that this test binary can run as, by name.
var commands = map[string]func(){
	"cook": judgedCook,
	"draw": draw,
}

func TestMain(m *testing.M) {
	testscript.Main(inMemory{m}, commands)
}

// inMemory runs the tests with temporary directories in memory.
type inMemory struct{ *testing.M }

func (m inMemory) Run() int {
	memtemp.Use()
	return m.M.Run()
}

// miscounted names an environment variable. Its value is a file for errors: wrong counters and
// invalid JSON records.
const miscounted = "COOK_MISCOUNTED"

// countedCook calls cook.Cook and compares its counters with the summary.
func countedCook(ctx context.Context, p cook.Project, opt cook.CookOptions) (cook.Summary, error) {
	if opt.Probe.Counters == nil {
		opt.Probe.Counters = counters.New(counters.Options{Max: 256})
	}
	s, err := cook.Cook(ctx, p, opt)
	if d := oracle.CountedOtherwise(opt.Probe.Counters, &s); d != "" {
		err = errors.Join(err, os.WriteFile(os.Getenv(miscounted), []byte(d), 0o666))
	}
	return s, err
}

func TestScripts(t *testing.T) {
	p := params("testdata/script")
	if testing.Short() {
		p.Dir, p.Files = "", concurrentScripts(t, p.Dir)
	}
	testscript.Run(t, p)
}

// concurrentScripts returns the scripts for the race detector, which is slow: scripts that run
// several programs at once, and a quarter of the other scripts.
func concurrentScripts(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), "scripts:", err)
	}
	several := regexp.MustCompile(`(?m) &$|-watch|-http|-remote|-j `)
	for i, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i%4 == 0 || several.Match(text) {
			names = append(names, name)
		}
	}
	return names
}

// params returns the parameters of the scripts in a directory.
func params(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("COOKCACHE", filepath.Join(e.WorkDir, ".store"))
			e.Setenv("COOK_ENGINE", engine.None)
			e.Values[playerKey{}] = &player{}
			schema, err := filepath.Abs(filepath.Join(root, "docs", "diagnosis.schema.json"))
			if err != nil {
				return err
			}
			e.Setenv(diagnosisSchema, schema)
			wrong := filepath.Join(e.WorkDir, ".miscounted")
			e.Setenv(miscounted, wrong)
			e.Defer(func() {
				if text, err := os.ReadFile(wrong); err == nil {
					e.T().Fatal("miscounted or misprinted: " + string(text))
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"png":    makePNG,
			"cut":    cutFile,
			"touch":  touchFile,
			"same":   sameTrees,
			"lock":   lockFile,
			"sh":     writeProgram,
			"size":   fileSize,
			"until":  untilThere,
			"flip":   flipByte,
			"code":   exitCode,
			"edit":   doEdit,
			"agree":  agree,
			"swap":   swapText,
			"hashed": checkHashedNames,
			"serve":  serveRemote,
			"keys":   writeKeys,
			"freeze": freeze,

			"recordings": writeRecordings,
			"truncate":   truncateAnywhere,
		},
	}
}

// png FILE WIDTH HEIGHT SHADE [ALPHA] writes an image.
func makePNG(ts *testscript.TestScript, _ bool, args []string) {
	n := []int{0, 0, 0, 255}
	for i, arg := range args[1:] {
		var err error
		n[i], err = strconv.Atoi(arg)
		ts.Check(err)
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(writePNG(name, n[0], n[1], n[2], n[3]))
}

// draw IN OUT writes an image. The file IN has the form WIDTH HEIGHT SHADE, followed by a comment.
func draw() {
	var w, h, shade int
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		_, err = fmt.Sscan(string(text), &w, &h, &shade)
	}
	if err == nil {
		err = writePNG(os.Args[2], w, h, shade, 255)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writePNG(name string, w, h, shade, alpha int) error {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{byte(x * 8), byte(y * 8), byte(shade), byte(alpha)})
		}
	}
	var b bytes.Buffer
	return errors.Join(png.Encode(&b, img), os.WriteFile(name, b.Bytes(), 0o666))
}

// swap FILE OLD NEW replaces the first occurrence of OLD in a file.
func swapText(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o666))
}

// serve VARIABLE grpc|http|farm|reader|httpreader [AUTHORIZATION] starts a remote server and sets
// VARIABLE to its address. A farm server also executes actions. A reader refuses results; over
// HTTP, a server cannot announce that. serve VARIABLE dir makes a directory for results, named like
// the variable in lower case. serve VARIABLE s3 starts an object store with the bucket team for the
// key AKID with the secret hunter2, and sets VARIABLE to its endpoint.
func serveRemote(ts *testscript.TestScript, _ bool, args []string) {
	if args[1] == "dir" {
		dir := ts.MkAbs(strings.ToLower(args[0]))
		ts.Check(os.Mkdir(dir, 0o777))
		ts.Setenv(args[0], "file:///"+strings.TrimPrefix(filepath.ToSlash(dir), "/"))
		return
	}
	s := &remotetest.Server{BLAKE3: true, Zstd: true, Authorization: strings.Join(args[2:], " ")}
	s.Farm.Executes = args[1] == "farm"
	start := s.Start
	s.ReadOnly = strings.HasSuffix(args[1], "reader")
	switch args[1] {
	case "http", "httpreader":
		start = s.StartHTTP
	case "s3":
		start = func(t remotetest.Test) string {
			return s.StartS3(t, remotetest.Bucket{Name: "team", Region: "us-east-1", KeyID: "AKID", Secret: "hunter2"})
		}
	}
	ts.Setenv(args[0], start(scriptTest{ts}))
}

// A scriptTest is a test script with the methods of a test that servers call.
type scriptTest struct{ *testscript.TestScript }

func (t scriptTest) Fatal(args ...any)     { t.Fatalf("%s", fmt.Sprint(args...)) }
func (t scriptTest) Cleanup(finish func()) { t.Defer(finish) }

// cut FILE BYTES truncates a file.
func cutFile(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// touch FILE|DIR ... changes the modification time of files.
func touchFile(ts *testscript.TestScript, _ bool, args []string) {
	at := time.Unix(1_000_000_000, 0)
	for _, arg := range args {
		ts.Check(filepath.WalkDir(ts.MkAbs(arg), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			return os.Chtimes(name, at, at)
		}))
	}
}

// same DIR DIR compares two output directories without cook's state.
func sameTrees(ts *testscript.TestScript, neg bool, args []string) {
	a, b := treeText(ts, args[0]), treeText(ts, args[1])
	if (a == b) == neg {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

func treeText(ts *testscript.TestScript, dir string) string {
	var b strings.Builder
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case rel == ".cook":
			return fs.SkipDir
		case d.IsDir():
			fmt.Fprintf(&b, "%s/\n", rel)
			return nil
		}
		data, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s %q\n", rel, data)
		return err
	}))
	return b.String()
}

// lock FILE holds the lock of an output directory until the script ends.
func lockFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte("\x00process 4711\n"), 0o666))
	l := flock.New(name)
	ok, err := l.TryLock()
	ts.Check(err)
	if !ok {
		ts.Fatalf("%s is locked already", args[0])
	}
	ts.Defer(func() { l.Close() })
}

// sh FILE LINE writes an executable shell script with one command line.
func writeProgram(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte("#!/bin/sh\n"+strings.Join(args[1:], " ")+"\n"), 0o777))
}

// until FILE waits until a file exists. "! until FILE" waits until it does not exist.
func untilThere(ts *testscript.TestScript, neg bool, args []string) {
	name := ts.MkAbs(args[0])
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(name); (err == nil) != neg {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("waited a minute for %s", args[0])
		}
	}
}

// size FILE BYTES fails unless the file has the given size.
func fileSize(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if (fmt.Sprint(info.Size()) == args[1]) == neg {
		ts.Fatalf("%s has %d bytes", args[0], info.Size())
	}
}

// flip FILE|DIR OFFSET inverts one byte of a file, or of each file in a directory.
func flipByte(ts *testscript.TestScript, _ bool, args []string) {
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data[at] ^= 0xff
		if err := os.Chmod(name, 0o666); err != nil { // blobs in the store are read-only
			return err
		}
		return os.WriteFile(name, data, 0o666)
	}))
}

// code N PROGRAM ARGS ... fails unless the program exits with status N.
func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s", code, args[0])
	}
}

// keys NAME ... writes NAME.key and NAME.pub in the form of openssl.
func writeKeys(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		seed := sha256.Sum256([]byte(name))
		key := ed25519.NewKeyFromSeed(seed[:])
		private, err := x509.MarshalPKCS8PrivateKey(key)
		ts.Check(err)
		public, err := x509.MarshalPKIXPublicKey(key.Public())
		ts.Check(err)
		for ending, block := range map[string]*pem.Block{".key": {Type: "PRIVATE KEY", Bytes: private}, ".pub": {Type: "PUBLIC KEY", Bytes: public}} {
			ts.Check(os.WriteFile(ts.MkAbs(name+ending), pem.EncodeToMemory(block), 0o600))
		}
	}
}
