// Machines lets CI and developers share results on a server. Each machine is in its own network
// namespace, connected by a link with limited rate and added latency. No machine may cook what
// another machine has already cooked, and all must have the same outputs.
//
//	unshare -n sh -c 'ip link set lo up; SERVER & machines -cook DIRECTORY -server grpc://127.0.0.1:8980'
//
// It needs permission to create network namespaces, and must run in the server's namespace. The
// server must allow everybody to write, except that the environment may have the credentials and
// the endpoint of a bucket s3://BUCKET. A directory file:///PATH needs no links. DIRECTORY is the
// directory of the program cook. proof/servers/run.sh runs it.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/internal/faultlink"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("machines: ")
	cook := flag.String("cook", "", "`directory` that contains cook")
	server := flag.String("server", "", "`address` of the server, on loopback")
	delay := flag.Duration("latency", 20*time.Millisecond, "round-trip latency of the links")
	rate := flag.Float64("rate", 25, "rate of the links, in `MB/s`")
	flag.Parse()
	n := &network{cook: *cook, options: faultlink.Options{Delay: *delay / 2, Rate: *rate * 1e6}}
	err := n.run(*server)
	n.closeNetwork()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d scenarios, %d machines\n", len(scenarios), n.machines)
}

// endpoint is the environment variable with the address of an object store.
const endpoint = "AWS_ENDPOINT_URL_S3"

// A network is a server and the machines that are linked to it.
type network struct {
	cook, dir string
	address   *url.URL // address for cook, if there were no link
	server    *url.URL // address of the server at the end of the links
	options   faultlink.Options
	ends      []func()
	machines  int
}

func (n *network) run(server string) (err error) {
	if n.address, err = url.Parse(server); err != nil {
		return err
	}
	n.server = n.address
	if n.address.Scheme == "s3" {
		if n.server, err = url.Parse(os.Getenv(endpoint)); err != nil {
			return err
		}
	}
	if n.dir, err = os.MkdirTemp("", "machines"); err != nil {
		return err
	}
	n.ends = append(n.ends, func() { os.RemoveAll(n.dir) })
	for _, s := range scenarios {
		if err := s.play(n); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (n *network) closeNetwork() {
	for i := len(n.ends) - 1; i >= 0; i-- {
		n.ends[i]()
	}
}

// A machine has a network namespace and a store of its own.
type machine struct {
	network *network
	pid     int // ID of a process in that namespace
	server  string
	store   string
	env     []string
}

// machine creates a machine that is linked to the server.
func (n *network) machine(env ...string) (*machine, error) {
	n.machines++
	here, there := fmt.Sprintf("10.77.%d.1", n.machines), fmt.Sprintf("10.77.%d.2", n.machines)
	inside := exec.Command("unshare", "-n", "sh", "-c", "echo there; exec cat")
	in, err := inside.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := inside.StdoutPipe()
	if err == nil {
		err = inside.Start()
	}
	if err != nil {
		return nil, err
	}
	n.ends = append(n.ends, func() {
		in.Close()
		inside.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("a network namespace: %w", err)
	}
	m := &machine{network: n, pid: inside.Process.Pid, env: env}
	port := fmt.Sprintf("machine%d", n.machines)
	for _, command := range [][]string{
		{"ip", "link", "add", port, "type", "veth", "peer", "name", "server", "netns", strconv.Itoa(m.pid)},
		{"ip", "address", "add", here + "/24", "dev", port},
		{"ip", "link", "set", port, "up"},
		m.namespaceCommand("ip", "address", "add", there+"/24", "dev", "server"),
		m.namespaceCommand("ip", "link", "set", "server", "up"),
	} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w: %s", command, err, out)
		}
	}
	if err := m.linkTo(here); err != nil {
		return nil, err
	}
	m.store, err = os.MkdirTemp(n.dir, "store")
	return m, err
}

// linkTo opens the machine's link to the server. The link listens on the given host.
func (m *machine) linkTo(here string) error {
	n := m.network
	m.server = n.address.String()
	if n.server.Host == "" {
		return nil // a directory
	}
	opt := n.options
	opt.Listen = here + ":0"
	l, err := faultlink.Open(n.server.Host, opt)
	if err != nil {
		return err
	}
	n.ends = append(n.ends, l.Close)
	at := *n.server
	at.Host = l.Addr()
	if n.address == n.server {
		m.server = at.String()
	} else {
		m.env = append(m.env, endpoint+"="+at.String())
	}
	return nil
}

// namespaceCommand returns a command that runs in the machine's namespace.
func (m *machine) namespaceCommand(command ...string) []string {
	return append([]string{"nsenter", "-t", strconv.Itoa(m.pid), "-n"}, command...)
}

// A summary has fields of the last line of cook -json.
type summary struct {
	Found, Cooked, Restored, Failed struct{ Assets int }
	Remote                          *struct{ Looked, Hits, Uploaded, Requests int64 }
}

// cooks runs cook on the machine, for the given asset directory.
func (m *machine) cooks(assets, out string, more ...string) (s summary, err error) {
	args := m.namespaceCommand(filepath.Join(m.network.cook, "cook"), "-dir", assets, "-out", out, "-cache", m.store, "-remote", m.server, "-remote-race=false", "-json", "-q")
	cmd := exec.Command(args[0], append(args[1:], more...)...)
	cmd.Env = append(os.Environ(), "CI=")
	cmd.Env = append(cmd.Env, m.env...)
	cmd.Stderr = os.Stderr
	data, err := cmd.Output()
	if err != nil {
		return s, fmt.Errorf("%v: %w", args, err)
	}
	lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	var last struct{ Summary summary }
	err = json.Unmarshal(lines[len(lines)-1], &last)
	if err == nil && last.Summary.Failed.Assets > 0 {
		err = fmt.Errorf("%d assets failed", last.Summary.Failed.Assets)
	}
	return last.Summary, err
}
