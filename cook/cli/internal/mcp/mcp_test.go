package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/recipes"
)

// asCook names the environment variable that makes this test binary the program cook.
const asCook = "RUN_AS_COOK"

func TestMain(m *testing.M) {
	if os.Getenv(asCook) != "" {
		cli.Main(recipes.All()...)
	}
	os.Exit(m.Run())
}

// A project is a directory with assets that were cooked. Programs run in it.
type project struct {
	dir string
	env []string
}

// newProject cooks a project with an asset that fails. It has a recording, a memory snapshot and a
// report. The directory beside it has a recording that no tool may read.
func newProject(t *testing.T) *project {
	t.Helper()
	above := t.TempDir()
	p := &project{dir: filepath.Join(above, "game")}
	p.env = append(os.Environ(), asCook+"=1", "COOK_ENGINE=own", "COOKCACHE="+filepath.Join(above, "store"))
	p.write(t, "assets/a.json", `{"a": 1}`)
	p.write(t, "assets/ui/b.json", `[1, 2]`)
	p.write(t, "assets/bad.json", `{"a":`)
	p.write(t, "assets/-json", "not a flag")
	p.write(t, "other/c.json", "{}")
	p.cook(t, "-dir", "assets", "-q", "-trace", "rec/run.events", "-memreport", "rec/memory.json")
	p.write(t, "rec/report.json", p.cook(t, "report", "-dir", "assets", "-json", "-textures", "0"))
	secret, err := os.ReadFile(filepath.Join(p.dir, "rec/run.events"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "../secret.events", string(secret))
	return p
}

func (p *project) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.dir, "rec"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

// cook runs cook and returns its standard output. The asset that fails makes some verbs fail.
func (p *project) cook(t *testing.T, args ...string) string {
	t.Helper()
	out, err := p.command(args...).Output()
	if err != nil && len(out) == 0 && args[0] != "-dir" {
		t.Fatalf("cook %q: %v", args, err)
	}
	return string(out)
}

// connect starts cook mcp with a client of the reference library.
func (p *project) connect(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: p.command(append([]string{"mcp"}, args...)...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("cook mcp ended with %v", err)
		}
	})
	return session
}

// call calls a tool and returns the texts of its result.
func call(t *testing.T, session *mcp.ClientSession, tool string, arguments map[string]any) (texts []string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	for _, c := range result.Content {
		texts = append(texts, c.(*mcp.TextContent).Text)
	}
	if len(texts) == 0 {
		t.Fatalf("%s %v: the result is empty", tool, arguments)
	}
	return texts, result.IsError
}

// tree describes all files of a project with their contents and times.
func (p *project) tree(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Dir(p.dir), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type args = map[string]any

// TestToolsAnswerLikeTheirVerbs calls each tool. The answer must be the output of the verb, and no
// file may change.
func TestToolsAnswerLikeTheirVerbs(t *testing.T) {
	p := newProject(t)
	before := p.tree(t)
	session := p.connect(t, "-dir", "assets", "rec")
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it changes nothing", tool.Name)
		}
	}
	if want := []string{"diagnose", "list", "why", "uses", "size", "history", "report", "counters"}; !slices.Equal(names, want) {
		t.Errorf("tools %q, want %q", names, want)
	}
	for _, tc := range []struct {
		tool      string
		arguments args
		verb      []string
	}{
		{"list", nil, []string{"list", "-dir", "assets", "-json"}},
		{"list", args{"patterns": []string{"ui/**"}, "sort": "out"}, []string{"list", "-dir", "assets", "-json", "-sort", "out", "ui/**"}},
		{"why", args{"paths": []string{"a.json"}}, []string{"why", "-dir", "assets", "-json", "a.json"}},
		{"uses", args{"paths": []string{"a.json"}}, []string{"uses", "-dir", "assets", "-json", "a.json"}},
		{"size", nil, []string{"size", "-dir", "assets", "-json"}},
		{"size", args{"by": "folder"}, []string{"size", "-dir", "assets", "-json", "-by", "folder"}},
		{"history", nil, []string{"history", "-dir", "assets", "-json"}},
		{"report", nil, []string{"report", "-dir", "assets", "-markdown", "-textures", "0"}},
		{"diagnose", nil, []string{"diagnose", "-dir", "assets", "-json"}},
	} {
		texts, failed := call(t, session, tc.tool, tc.arguments)
		if want := p.cook(t, tc.verb...); texts[0] != want || failed || len(texts) > 1 {
			t.Errorf("%s %v: failed %v,\n%q, want the output of cook %q:\n%s", tc.tool, tc.arguments, failed, texts, tc.verb, want)
		}
	}
	for _, files := range [][]string{{"rec/run.events"}, {"run.events"}, {"memory.json"}, {"report.json"}, {"run.events", "run.events"}, {filepath.Join(p.dir, "rec", "run.events")}} {
		texts, failed := call(t, session, "diagnose", args{"files": files})
		if failed || !strings.Contains(texts[0], `"verdict":`) {
			t.Errorf("diagnose %q: %q", files, texts)
		}
	}
	if after := p.tree(t); after != before {
		t.Errorf("the tools changed files:\n%s\nwere\n%s", after, before)
	}
}

// TestNamesOutsideAreRefused expects one line for each wrong name, and nothing else.
func TestNamesOutsideAreRefused(t *testing.T) {
	p := newProject(t)
	session := p.connect(t, "-dir", "assets", "rec")
	secret := filepath.Join(filepath.Dir(p.dir), "secret.events")
	if err := os.Symlink(secret, filepath.Join(p.dir, "rec", "link.events")); err != nil {
		t.Skip(err)
	}
	outside := "outside of the directories of cook mcp"
	for _, tc := range []struct {
		tool      string
		arguments args
		want      string
	}{
		{"diagnose", args{"files": []string{secret}}, outside},
		{"diagnose", args{"files": []string{"../secret.events"}}, outside},
		{"diagnose", args{"files": []string{"rec/../../secret.events"}}, outside},
		{"diagnose", args{"files": []string{"link.events"}}, outside},
		{"diagnose", args{"files": []string{"../nothing"}}, outside},
		{"diagnose", args{"files": []string{"nothing"}}, "no such file"},
		{"diagnose", args{"files": []string{"rec"}}, "nothing has been cooked"},
		{"diagnose", args{"files": []string{"run.events", "memory.json"}}, "name two files of one kind"},
		{"diagnose", args{"dir": ".."}, outside},
		{"diagnose", args{"dir": "rec"}, "nothing has been cooked"},
		{"list", args{"dir": "other"}, outside},
		{"list", args{"patterns": []string{"../**"}}, outside},
		{"list", args{"patterns": []string{"-sort=size"}}, "no asset matches"},
		{"list", args{"patterns": []string{"none"}}, "no asset matches"},
		{"list", args{"sort": "colour"}, `there is no column "colour"`},
		{"list", args{"limit": "many"}, "wrong arguments"},
		{"list", args{"out": "x"}, "wrong arguments"},
		{"why", args{"paths": []string{"../secret.events"}}, outside},
		{"why", args{"paths": []string{secret}}, outside},
		{"why", args{"paths": []string{"-against=snapshot:x"}}, "-against=snapshot:x"},
		{"why", args{"paths": []string{"a\njson\x1b[31m"}}, `a\njson\x1b[31m`},
		{"why", args{"paths": []string{"a\x00"}}, "is not a name"},
		{"why", args{"paths": []string{strings.Repeat("long/", 2000)}}, "long"},
		{"why", nil, `the argument "paths" is missing`},
		{"uses", args{"paths": []string{"../secret.events"}}, outside},
		{"uses", args{"paths": []string{"nothing"}}, "found no file nothing"},
		{"size", args{"by": "colour"}, "want kind, recipe or folder"},
		{"counters", args{"address": "example.com:80"}, "not an address of this machine"},
		{"counters", args{"address": "127.0.0.1"}, "want host:port"},
		{"counters", args{"address": "127.0.0.1:1"}, "no program serves its stream"},
	} {
		texts, failed := call(t, session, tc.tool, tc.arguments)
		if !failed || len(texts) != 1 || !strings.Contains(texts[0], tc.want) || strings.Contains(texts[0], "\n") || strings.Contains(texts[0], "\x1b") {
			t.Errorf("%s %v: failed %v, %q; want one line with %q", tc.tool, tc.arguments, failed, texts, tc.want)
		}
	}
	if texts, failed := call(t, session, "why", args{"paths": []string{"-json"}}); failed || !strings.Contains(texts[0], `"path":"-json"`) {
		t.Errorf("an asset named like a flag: %q", texts)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "cook"}); err == nil {
		t.Error("there is a tool that cooks")
	}
}

// TestHugeResultsAreLimited expects whole lines, and the number of lines that are missing.
func TestHugeResultsAreLimited(t *testing.T) {
	p := newProject(t)
	const files = 1200
	for i := range files {
		p.write(t, fmt.Sprintf("many/d%02d/%s%04d.txt", i%10, strings.Repeat("name", 40), i), "x")
	}
	p.cook(t, "-dir", "many", "-q")
	session := p.connect(t, "-dir", "many")
	for _, limit := range []int{0, 1, 7, 1000, 100_000} {
		arguments := args{"limit": limit}
		if limit == 0 {
			arguments, limit = nil, 100
		}
		texts, failed := call(t, session, "list", arguments)
		lines := strings.Split(strings.TrimSuffix(texts[0], "\n"), "\n")
		if failed || len(texts) != 2 || len(texts[0]) > 256<<10 || len(lines) > min(limit, 1000) {
			t.Fatalf("limit %d: %d texts, %d lines of %d bytes", limit, len(texts), len(lines), len(texts[0]))
		}
		for _, line := range lines {
			if !json.Valid([]byte(line)) {
				t.Fatalf("limit %d: %q is cut", limit, line)
			}
		}
		if want := fmt.Sprintf("%d more;", files-len(lines)); !strings.HasPrefix(texts[1], want) {
			t.Errorf("limit %d: %q, want %q", limit, texts[1], want)
		}
	}
}

// TestCountersOfRunningProgram serves a stream as cook -feed does.
func TestCountersOfRunningProgram(t *testing.T) {
	p := newProject(t)
	feed := events.NewFeed()
	recorder := events.New(feed, events.Options{})
	worker := recorder.Worker("main")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		worker.Value(recorder.Symbol("lives"), 3)
		worker.Flush()
		feed.ServeConn(ctx, conn)
	}()
	session := p.connect(t, "-dir", "assets")
	texts, failed := call(t, session, "counters", args{"address": l.Addr().String(), "seconds": 1})
	if failed || !json.Valid([]byte(texts[0])) || !strings.Contains(texts[0], `"metrics"`) {
		t.Errorf("counters: %q", texts)
	}
	stop()
	l.Close()
	<-served
	recorder.Close()
}

// TestServerSurvivesWrongMessages sends raw lines. Each output line must be a response, and the
// server must end with its input.
func TestServerSurvivesWrongMessages(t *testing.T) {
	p := newProject(t)
	cmd := p.command("mcp", "-dir", "assets")
	cmd.Stdin = strings.NewReader(strings.Join([]string{
		`garbage`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{}`, `null`, ``, `   `,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":5}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call"}`, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"size","arguments":[1]}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`,
		strings.Repeat("x", 2<<20),
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"size"}}`, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"size"}}`,
		`{"jsonrpc":"2.0","id":"last","method":"ping"}`,
	}, "\n"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v, %s", err, stderr.String())
	}
	ids := map[string]int{}
	for line := range strings.Lines(string(out)) {
		var m struct {
			JSONRPC       string
			ID            json.RawMessage
			Result, Error any
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
			t.Errorf("%q is no response", line)
		}
		ids[string(m.ID)]++
	}
	if want := map[string]int{"null": 7, "2": 1, "4": 2, "5": 2, "6": 1, `"last"`: 1}; fmt.Sprint(ids) != fmt.Sprint(want) {
		t.Errorf("responses by ID: %v, want %v\n%s", ids, want, out)
	}
	if !strings.Contains(string(out), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("an unknown version is not answered with the latest one:\n%s", out)
	}
}

// TestInterruptEndsTheServer interrupts the server while a tool waits for a silent program.
func TestInterruptEndsTheServer(t *testing.T) {
	p := newProject(t)
	cmd := p.command("mcp", "-dir", "assets")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, `"result":{}`) {
		t.Errorf("ping is answered with %q, %v", line, err)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"counters","arguments":{"address":%q,"seconds":30}}}`+"\n", silent.Addr())
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		t.Skip(err) // Windows
	}
	if rest, err := r.ReadString('\n'); rest != "" {
		t.Errorf("after the interrupt: %q, %v", rest, err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit status %d, want 130", code)
	}
	in.Close()
}

// TestWrongDirectoriesEndTheServer expects one line for a directory that cannot be read.
func TestWrongDirectoriesEndTheServer(t *testing.T) {
	p := newProject(t)
	for _, words := range [][]string{{}, {"-dir", "nothing"}, {"-dir", "assets", "rec/run.events"}} {
		cmd := p.command(append([]string{"mcp"}, words...)...)
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); err == nil || code != 2 || strings.Count(string(out), "\n") != 1 {
			t.Errorf("cook mcp %q: exit status %d, %q", words, code, out)
		}
	}
}
