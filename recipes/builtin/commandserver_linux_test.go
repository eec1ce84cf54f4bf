package builtin

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/sandbox"
	"github.com/google/go-cmp/cmp"
)

func init() {
	// reach OUT NETWORK ADDRESS [NETWORK ADDRESS] has servers do its work, the first that it
	// reaches; reach OUT without is content with none.
	helper["reach"] = func(args []string) error {
		var last error
		for servers := args[1:]; len(servers) > 1; servers = servers[2:] {
			conn, err := net.Dial(servers[0], servers[1])
			if last = err; err == nil {
				conn.Close()
				break
			}
		}
		if last != nil && len(args)%2 == 1 {
			return last
		}
		return os.WriteFile(args[0], []byte("done"), 0o666)
	}
}

// serve listens until the test ends, and counts who comes.
func serve(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Close()
			t.Errorf("somebody reached %s", l.Addr())
		}
	}()
	return l
}

// A program that fails without a server is told which it asked for.
func TestCommandThatAsksForServers(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	folder := t.TempDir()
	unix := serve(t, "unix", filepath.Join(folder, "s")).Addr().String()
	abstract := serve(t, "unix", "@cook-test-"+filepath.Base(filepath.Dir(folder))).Addr().String()
	inet := serve(t, "tcp", "127.0.0.1:0").Addr().String()
	const what = ": what a server reads is not known to cook; add sandbox = false, and name what the result depends on in reads or by {depfile}"
	for _, tc := range []struct {
		servers []string
		want    string // "" if it does not matter
	}{
		{[]string{"unix", unix}, "reach: exit status 1; it asked for a server at " + unix + what},
		{[]string{"unix", abstract}, "it asked for a server at " + abstract + what},
		{[]string{"tcp", inet}, "it asked for a server at " + inet + what},
		{[]string{"udp", "[::1]:9"}, "it asked for a server at [::1]:9" + what},
		{[]string{"unix", unix, "tcp", inet}, "it asked for a server at " + unix + " and 1 other" + what},
		{[]string{"unix", unix, "tcp", inet, "or else"}, ""},
		{[]string{"unix", filepath.Join(folder, "none")}, "reach: exit status 1\n"},
		{[]string{"unix", "/run/nscd/socket"}, "reach: exit status 1\n"},
	} {
		p := &impatient{Command: Command{Command: append([]string{os.Args[0], "reach", "{out}"}, tc.servers...), Sandbox: true, Timeout: defaultTimeout}, grace: grace}
		res := p.run(t, t.Context(), assets(t, "a"), "a")
		switch {
		case tc.want == "" && (res.Err != nil || string(res.Outputs[0]) != "done"):
			t.Errorf("%q: %q, %v", tc.servers, res.Outputs[0], res.Err)
		case tc.want != "" && res.Err == nil:
			t.Errorf("%q: no error", tc.servers)
		case tc.want != "":
			if got := strings.Replace(res.Err.Error(), os.Args[0], "reach", 1); !strings.Contains(got, tc.want) {
				t.Errorf("%q: error %q, want one with %q", tc.servers, got, tc.want)
			}
		}
	}
}

// The files of reads are inputs without a sandbox, too.
func TestCommandOpenReads(t *testing.T) {
	p := script(`echo > "$1"`, "{out}")
	p.Reads = []string{"b", "/lib/none"}
	res := p.run(t, t.Context(), assets(t, "a", "b"), "a")
	deps := []recipe.Dep{{Name: "/lib/none", On: recipe.Dependency{Path: "lib/none"}}, {Name: "b", On: recipe.Dependency{Path: "b"}, Found: true}}
	if d := cmp.Diff(deps, res.Deps); d != "" || res.Err != nil {
		t.Errorf("%v: -want +got\n%s", res.Err, d)
	}
}
