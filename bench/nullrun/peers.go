package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A peer is another tool that can detect that no file has changed.
type peer struct {
	name    string
	bins    []string // names of the program; the first one installed is used
	version []string // arguments that make the program print its version
	is      string   // text that the version output must contain; "" accepts any output
	slow    bool     // the setup takes minutes for a million files
	// setUp prepares the peer in the existing directory dir. It copies the sources, and runs the
	// peer until nothing is left to do.
	setUp func(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error)
}

var peers = [...]peer{
	{name: "ninja", bins: []string{"ninja"}, version: []string{"--version"}, slow: true, setUp: setUpNinja},
	{name: "samurai", bins: []string{"samu"}, version: []string{"--version"}, slow: true, setUp: setUpNinja},
	{name: "make", bins: []string{"make"}, version: []string{"--version"}, slow: true, setUp: setUpMake},
	{name: "git status", bins: []string{"git"}, version: []string{"--version"}, setUp: setUpGit},
	{name: "go-task", bins: []string{"go-task", "task"}, version: []string{"--version"}, is: "3.", slow: true, setUp: setUpTask},
	{name: "rsync -n -a", bins: []string{"rsync"}, version: []string{"--version"}, setUp: setUpRsync},
}

// A peerTool is a peer with its program, which may be missing.
type peerTool struct {
	peer
	bin     string // path of the program; "" if not installed
	Version string // first line of the version output
	env     []string
	run     Runner
}

// findPeers finds the installed peers and their versions.
func findPeers(ctx context.Context, run Runner, env []string) ([]*peerTool, error) {
	var all []*peerTool
	for _, peer := range peers {
		p := &peerTool{peer: peer, env: env, run: run}
		all = append(all, p)
		for _, bin := range peer.bins {
			path, err := exec.LookPath(bin)
			if err != nil {
				continue
			}
			r, err := run(ctx, Command{Argv: append([]string{path}, peer.version...), Env: env})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", bin, err)
			}
			version, _, _ := strings.Cut(strings.TrimSpace(r.Stdout), "\n")
			if r.Exit == 0 && strings.Contains(version, peer.is) {
				p.bin, p.Version = path, version
				break
			}
		}
	}
	return all, nil
}

// contestant sets up the peer for the tree. It skips slow peers unless slow is true.
func (p *peerTool) contestant(ctx context.Context, t *Tree, slow bool) (Contestant, error) {
	c := Contestant{Name: p.name}
	switch {
	case p.bin == "":
		c.Missing = "not installed"
		return c, nil
	case p.slow && !slow:
		c.Missing = "left out: slow to set up (see -all)"
		return c, nil
	}
	dir := p.dir(t)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return c, fmt.Errorf("set up %s: %w", p.name, err)
	}
	set, err := p.setUp(ctx, p, t, dir)
	if err != nil {
		return c, fmt.Errorf("set up %s: %w", p.name, err)
	}
	set.Name = p.name
	return set, nil
}

// dir returns the peer's own directory.
func (p *peerTool) dir(t *Tree) string {
	return filepath.Join(t.Root, "peer-"+strings.Fields(p.name)[0])
}

// command returns a command that runs the peer in dir.
func (p *peerTool) command(dir string, args ...string) Command {
	return Command{Argv: append([]string{p.bin}, args...), Dir: dir, Env: p.env}
}

// writeMade creates a file, and calls body to write the content.
func writeMade(name string, body func(w *bufio.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	body(w)
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// setUpNinja writes a build edge for each file, and builds all files. samurai reads the same build
// file.
func setUpNinja(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error) {
	err := writeMade(filepath.Join(dir, "build.ninja"), func(w *bufio.Writer) {
		fmt.Fprint(w, "rule copy\n  command = cp $in $out\n")
		for i := range t.Files {
			fmt.Fprintf(w, "build out/%[1]s: copy ../assets/%[1]s\n", t.Path(i))
		}
	})
	if err != nil {
		return Contestant{}, err
	}
	_, err = checked(ctx, p.run, p.command(dir), nil)
	return Contestant{
		Command: p.command(dir),
		Check:   says("ninja: no work to do.", "samu: nothing to do"),
	}, err
}

// setUpMake writes a rule for each file. It copies the files itself: make keeps no log, so it
// considers the copies up to date.
func setUpMake(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error) {
	if err := t.copyTo(ctx, filepath.Join(dir, "out")); err != nil {
		return Contestant{}, err
	}
	err := writeMade(filepath.Join(dir, "Makefile"), func(w *bufio.Writer) {
		// Disable the built-in rules. Otherwise make would try them for each source.
		fmt.Fprint(w, "MAKEFLAGS += --no-builtin-rules\n.PHONY: all\nall:")
		for i := range t.Files {
			fmt.Fprintf(w, " out/%s", t.Path(i))
		}
		fmt.Fprintln(w)
		for i := range t.Files {
			fmt.Fprintf(w, "out/%[1]s: ../assets/%[1]s\n\tcp $< $@\n", t.Path(i))
		}
	})
	return Contestant{
		Command: p.command(dir),
		Check:   says("Nothing to be done", "is up to date"),
	}, err
}

// setUpGit commits the sources. The repository is in another directory.
func setUpGit(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error) {
	env := append(append([]string(nil), p.env...),
		"GIT_DIR="+dir, "GIT_WORK_TREE="+t.Assets(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=nullrun", "GIT_AUTHOR_EMAIL=nullrun@localhost",
		"GIT_COMMITTER_NAME=nullrun", "GIT_COMMITTER_EMAIL=nullrun@localhost")
	git := func(args ...string) Command {
		c := p.command(t.Assets(), args...)
		c.Env = env
		return c
	}
	for _, c := range []Command{
		git("init", "-q"),
		git("-c", "core.fsync=none", "add", "-A"),
		git("-c", "core.fsync=none", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "commit", "-q", "-m", "all"),
	} {
		if _, err := checked(ctx, p.run, c, nil); err != nil {
			return Contestant{}, err
		}
	}
	return Contestant{Command: git("status"), Check: says("nothing to commit, working tree clean")}, nil
}

// setUpTask writes one task for the whole tree. With the method timestamp, go-task does not read
// the sources.
func setUpTask(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error) {
	err := writeMade(filepath.Join(dir, "Taskfile.yml"), func(w *bufio.Writer) {
		fmt.Fprint(w, `version: '3'
tasks:
  default:
    method: timestamp
    sources: ['../assets/**/*.dat']
    generates: ['out/**/*.dat']
    cmds: ['mkdir -p out && cp -r ../assets/. out']
`)
	})
	if err != nil {
		return Contestant{}, err
	}
	_, err = checked(ctx, p.run, p.command(dir), nil)
	return Contestant{Command: p.command(dir), Check: says("is up to date")}, err
}

// setUpRsync copies the tree. With -i, rsync prints every difference, so no output means no
// difference.
func setUpRsync(ctx context.Context, p *peerTool, t *Tree, dir string) (Contestant, error) {
	from, to := t.Assets()+"/", dir+"/"
	_, err := checked(ctx, p.run, p.command(dir, "-a", from, to), nil)
	return Contestant{Command: p.command(dir, "-n", "-a", "-i", from, to), Check: silent}, err
}
