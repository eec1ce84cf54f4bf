package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/internal/sysmem"
)

// watcherReady is the maximum time until a new watcher answers on its socket.
const watcherReady = 5 * time.Minute

// watched returns a row that runs cook while a watcher runs. Cook gets the changed files from the
// watcher.
func (b *bench) watched(ctx context.Context, t *Tree) (Row, error) {
	if ok, err := b.cmd.hasFlag(ctx, "watch"); err != nil {
		return Row{}, err
	} else if !ok {
		return Row{}, errSkipped("this cook has no flag -watch")
	}
	_, stop, err := b.watch(ctx, t)
	if err != nil {
		return Row{}, err
	}
	c := b.cmd.contestant(cookName, t, t.Files, 0)
	return Row{Reference: oneLine, WarmUp: 1, Contestants: []Contestant{c, b.cmd.why(t), b.limits.hello()}, Close: stop}, nil
}

// watch starts a watcher and waits until it answers. The function stop ends the watcher.
func (b *bench) watch(ctx context.Context, t *Tree) (pid int, stop func(), err error) {
	log, err := os.Create(filepath.Join(t.Root, "watcher"))
	if err != nil {
		return 0, nil, err
	}
	defer log.Close()
	c := b.cmd.command(t, "-watch")
	cmd := exec.Command(c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = c.Dir, c.Env, log, log, ownGroup()
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
	}
	if err := answers(ctx, t.State("socket"), ended); err != nil {
		text, _ := os.ReadFile(log.Name())
		stop()
		return 0, nil, fmt.Errorf("watcher: %w: %s", err, lastLine(string(text)))
	}
	return cmd.Process.Pid, stop, nil
}

// answers waits until a process accepts connections on a socket. It returns an error if the process
// ends first.
func answers(ctx context.Context, socket string, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, watcherReady)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if conn, err := dial(ctx, socket); err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("socket %s does not answer: %w", filepath.Base(socket), ctx.Err())
		case err := <-ended:
			ended <- err
			return errors.Join(errors.New("ended before its socket answered"), err)
		case <-tick.C:
		}
	}
}

// dial connects through a descriptor of the directory, because the path of a socket can have at
// most 107 bytes.
func dial(ctx context.Context, socket string) (net.Conn, error) {
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var d net.Dialer
	return d.DialContext(ctx, "unix", fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(socket)))
}

// saved returns a row that measures how long a running watcher takes from a save to the artifact.
// The reported memory is the watcher's peak up to that time.
func (b *bench) saved(ctx context.Context, t *Tree) (Row, error) {
	if err := b.cmd.rest(ctx, t); err != nil {
		return Row{}, err
	}
	pid, stop, err := b.watch(ctx, t)
	if err != nil {
		return Row{}, err
	}
	const edited = 50 // number of edited files
	prepared, saves := filepath.Join(t.Root, "prepared"), 0
	var path string
	save := Contestant{Name: "save beside cook -watch"}
	save.Prepare = func(ctx context.Context, _ int) error {
		i := saves % min(edited, t.Files)
		saves++
		path = t.Path(i)
		if err := os.WriteFile(prepared, t.content(i, -1_000_000-saves), 0o666); err != nil {
			return err
		}
		return settle(ctx) // Meanwhile the watcher finishes its work for the previous save.
	}
	save.Do = func(ctx context.Context) (r Result, err error) {
		want, err := os.ReadFile(prepared)
		if err != nil {
			return r, err
		}
		artifact := filepath.Join(t.Cooked(), path)
		arrival, err := expectArrival(artifact)
		if err != nil {
			return r, err
		}
		defer arrival.Close()
		begin := time.Now()
		if err := os.Rename(prepared, filepath.Join(t.Assets(), path)); err != nil {
			return r, err
		}
		if err := arrival.Wait(ctx); err != nil {
			return r, err
		}
		r.Wall = time.Since(begin)
		if got, err := os.ReadFile(artifact); err != nil || string(got) != string(want) {
			return r, fmt.Errorf("the artifact differs from the saved source (%v)", err)
		}
		r.MaxRSS = sysmem.PeakRSSOf(pid)
		return r, nil
	}
	source := filepath.Join(t.Assets(), t.Path(t.Files-1))
	one := Contestant{Name: "cp of one file", Check: silent, Command: Command{
		Argv: []string{"/bin/cp", source, filepath.Join(t.Root, "copy-of-one")}, Dir: t.Root, Env: b.cmd.env,
	}}
	return Row{Reference: one.Name, WarmUp: 1, Contestants: []Contestant{save, one}, Close: stop}, nil
}
