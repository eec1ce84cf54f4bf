package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// starterArg, as the only argument, makes this command the starter. It is not a flag, so that it
// does not appear in the help.
const starterArg = "start-what-stdin-says"

// keep is the maximum number of bytes of an output in a Result. Only the end of a longer output is
// kept.
const keep = 64 << 10

// A starter is a small child process that starts the contestants. It is needed because the peak
// memory that the kernel reports for a process includes its parent's peak at the fork.
type starter struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	enc *json.Encoder
	dec *json.Decoder
}

// newStarter starts a starter. The directory scratch receives the outputs of its processes.
func newStarter(scratch string) (*starter, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &starter{cmd: exec.Command(self, starterArg)}
	s.cmd.Dir = scratch
	s.cmd.Stderr = os.Stderr
	s.cmd.SysProcAttr = ownGroup()
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.enc, s.dec = json.NewEncoder(s.in), json.NewDecoder(bufio.NewReader(out))
	return s, s.cmd.Start()
}

// answer is the starter's response to a command.
type answer struct {
	Result Result
	Err    string
}

// Run implements Runner. When ctx ends, Run kills the starter and all its processes. After that,
// Run returns errors.
func (s *starter) Run(ctx context.Context, c Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	stop := context.AfterFunc(ctx, func() { endGroup(s.cmd.Process) })
	defer stop()
	var a answer
	err := s.enc.Encode(c)
	if err == nil {
		err = s.dec.Decode(&a)
	}
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case err != nil:
		return Result{}, fmt.Errorf("starter: %w", err)
	case a.Err != "":
		return Result{}, errors.New(a.Err)
	}
	return a.Result, nil
}

// Close ends the starter process.
func (s *starter) Close() {
	s.in.Close()
	s.cmd.Wait()
}

// serve is the starter's main loop. It runs commands from in, one after another, until EOF. Outputs
// go to files in dir, so that no other process must read them during the run.
func serve(in io.Reader, out io.Writer, dir string) error {
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var c Command
		if err := dec.Decode(&c); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var a answer
		var err error
		if a.Result, err = start(c, dir); err != nil {
			a.Err = err.Error()
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
}

// start runs a command and waits for it.
func start(c Command, dir string) (r Result, err error) {
	files := make([]*os.File, 3)
	if files[0], err = os.Open(os.DevNull); err != nil {
		return r, err
	}
	defer files[0].Close()
	for i := 1; i < 3; i++ {
		if files[i], err = os.Create(filepath.Join(dir, fmt.Sprintf("output%d", i))); err != nil {
			return r, err
		}
		defer files[i].Close()
	}
	begin := time.Now()
	p, err := os.StartProcess(c.Argv[0], c.Argv, &os.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files})
	if err != nil {
		return r, err
	}
	state, err := p.Wait()
	r.Wall = time.Since(begin)
	if err != nil {
		return r, err
	}
	r.User, r.System, r.Exit, r.MaxRSS = state.UserTime(), state.SystemTime(), state.ExitCode(), maxRSS(state)
	r.Floor = ownPeak()
	if r.Stdout, err = tail(files[1]); err != nil {
		return r, err
	}
	r.Stderr, err = tail(files[2])
	return r, err
}

func tail(f *os.File) (string, error) {
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-keep), keep))
	return string(b), err
}

func lastLine(text string) string {
	text = strings.TrimRight(text, "\r\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func containsEither(r Result, text string) bool {
	return strings.Contains(r.Stdout, text) || strings.Contains(r.Stderr, text)
}
