//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestServersAreNamed(t *testing.T) {
	needBox(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	var asked []string
	inBox(t, Policy{Read: Program(self, p.out), Write: []string{p.w}, Server: func(address string) { asked = append(asked, address) }},
		self, "connect", "/run/some/./server", "here/server", "@abstract")
	if want := []string{"/run/some/server", p.w + "/here/server", "@abstract"}; !slices.Equal(asked, want) {
		t.Errorf("%q, want %q", asked, want)
	}
}

func TestKillsOnlyIfSignalsAreConfined(t *testing.T) {
	for _, tc := range []struct {
		version     int
		before, now bool
		want        bool
	}{
		{scoped, true, false, true}, {scoped + 1, true, false, true},
		{scoped, true, true, false},   // not confined, because the parent can still be reached
		{scoped, false, false, false}, // not proven, because the parent was already unreachable before
		{scoped - 1, true, false, false},
	} {
		if got := confinesSignals(tc.version, tc.before, tc.now); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

func TestIsSinceComparesVersions(t *testing.T) {
	for release, want := range map[string]bool{"6.11.0-rc1": true, "6.11": true, "6.18.3": true, "7.0.1": true, "6.10.14-generic": false, "5.19.0": false, "": false} {
		if isSince(release, 6, 11) != want {
			t.Errorf("%s: %v", release, !want)
		}
	}
}

func TestNoProcessStays(t *testing.T) {
	needBox(t)
	if v, _ := landlockVersion(); v < scoped {
		t.Skip("this kernel does not confine signals")
	}
	p := newPlace(t)
	bystander := exec.Command("sleep", "1000")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer bystander.Wait()
	defer bystander.Process.Kill()
	inBox(t, Policy{Write: []string{p.w}}, "/bin/sh", "-c", `
for i in 1 2 3 4 5; do
	setsid sh -c 'echo $$ >> pids; exec sleep 1000' &
	env -i /usr/bin/setsid /bin/sh -c '/usr/bin/setsid /bin/sh -c "echo \$\$ >> pids; exec 3> open; while :; do echo more >&3; done" &' &
done
while [ "$(wc -l 2>/dev/null < pids || echo 0)" -lt 10 ]; do sleep 0.01; done`)
	text, err := os.ReadFile(p.w + "/pids")
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(text))
	if len(pids) != 10 {
		t.Errorf("%d processes started, want 10", len(pids))
	}
	for _, pid := range pids {
		if !ends(pid) {
			t.Errorf("process %s is still running", pid)
		}
	}
	if err := bystander.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("a process outside the box was killed: %v", err)
	}
}

func TestPollErrorIsNotTheEnd(t *testing.T) {
	for revents, want := range map[int16]bool{0: false, unix.POLLERR: false, unix.POLLOUT: false, unix.POLLHUP: true, unix.POLLHUP | unix.POLLERR: true} {
		if haveHungUp(revents) != want {
			t.Errorf("%#x: %v", revents, !want)
		}
	}
}

func TestWatchReportsFiles(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	seen := map[string]bool{}
	inBox(t, Policy{Read: []string{p.in}, Write: []string{p.w}, Watch: func(name string) { seen[name] = true }},
		"/bin/sh", "-c", `cat "$1"/given "$2"/secret ../out/./victim nothing; cd "$1" && cat given2; test -e given3 || true`, "sh", p.in, p.out)
	for _, name := range []string{p.in + "/given", p.in + "/given2", p.in + "/given3", p.out + "/secret", p.out + "/victim", p.w + "/nothing"} {
		if !seen[name] {
			t.Errorf("Watch did not report %s: %v", name, seen)
		}
	}
}
