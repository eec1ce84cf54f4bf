package shader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/child"
	"github.com/assetcook/assetcook/internal/plaintext"
	"github.com/assetcook/assetcook/internal/version"
)

// An order is a request to the child process. It holds this program's version, because the
// program's file may have been replaced since the start.
type order struct {
	Version                   string
	Source, Format, Entry     string
	GLSLVersion, SPIRVVersion string
	Debug                     bool
	Timeout                   time.Duration
	warned                    []string // warnings of the compilation, for the reply
}

// A reply is the child's answer. Refused is the reason for a missing Output. It is "" on success.
type reply struct {
	Output  []byte
	Warned  []string
	Refused string
}

// childVariable is the environment variable that marks the child process.
const childVariable = "ASSETCOOK_COMPILE_WGSL"

func init() {
	if os.Getenv(childVariable) == "" {
		return
	}
	debug.SetMaxStack(childStack)
	signal.Ignore(os.Interrupt) // the parent ends this process
	go limitHeap()
	if err := serveOrder(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// childStack limits the child's stack, in bytes. Real shaders need far less.
const childStack = 64 << 20

// childHeap limits the child's heap, in bytes.
const childHeap = 512 << 20

// limitHeap ends a process that exceeds childHeap.
func limitHeap() {
	for range time.Tick(20 * time.Millisecond) {
		var m runtime.MemStats
		if runtime.ReadMemStats(&m); m.HeapAlloc > childHeap {
			fmt.Fprintf(os.Stderr, "fatal error: the compiler uses more than %d MiB of memory\n", childHeap>>20)
			os.Exit(1)
		}
	}
}

// serveOrder reads an order, compiles it and writes the reply.
func serveOrder(in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	if v := compilerVersion(); o.Version != v {
		return writeReply(out, reply{Refused: "another file replaced this program while it was running; start it again"})
	}
	time.AfterFunc(o.Timeout+time.Second, func() { os.Exit(1) }) // exit even if the parent has died
	var r reply
	func() {
		defer func() {
			if p := recover(); p != nil {
				r = reply{Refused: "the WGSL compiler failed: " + plaintext.OneLine(fmt.Sprint(p))}
			}
		}()
		output, err := o.compileOrder()
		if r.Output, r.Warned = output, o.warned; err != nil {
			r = reply{Refused: err.Error()}
		}
	}()
	return writeReply(out, r)
}

// writeReply writes a reply. The output may already hold text that other packages printed.
func writeReply(out io.Writer, r reply) error {
	if _, err := io.WriteString(out, replyMark); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(&r)
}

// replyMark precedes a reply in the output of the child.
const replyMark = "\x00assetcook wgsl\x00"

// compilerVersion returns the versions of the recipe and of naga, which determine the result.
func compilerVersion() string {
	v := fmt.Sprint(Recipe().Version)
	if naga := version.Dependency("github.com/gogpu/naga"); naga != "" {
		v += " " + naga
	}
	return v
}

// inChild runs the child process to compile an order.
func inChild(ctx context.Context, o order, timeout time.Duration) (reply, error) {
	self, err := ourselves()
	if err != nil {
		return reply{}, err
	}
	o.Version, o.Timeout = compilerVersion(), timeout
	var in bytes.Buffer
	out, said := child.Head{Most: 256 << 20}, child.Head{Most: 64 << 10} // large enough for a stack dump
	if err := json.NewEncoder(&in).Encode(&o); err != nil {
		return reply{}, err
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(limited, self)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), forGo), childVariable+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case limited.Err() != nil:
		return reply{}, fmt.Errorf("compiling took longer than %s (timeout)", timeout)
	case err != nil:
		return reply{}, crash(err, said.String())
	}
	return findReply(out.Bytes())
}

// findReply finds the reply in the output of the child.
func findReply(printed []byte) (reply, error) {
	if i := bytes.Index(printed, []byte(replyMark)); i >= 0 {
		printed = printed[i+len(replyMark):]
	}
	var r reply
	if err := json.NewDecoder(bytes.NewReader(printed)).Decode(&r); err != nil {
		return reply{}, fmt.Errorf("the WGSL compiler ended early: %w", err)
	}
	if r.Refused != "" {
		return reply{}, errors.New(r.Refused)
	}
	return r, nil
}

// ourselves returns the path of this program's file. On Linux the path refers to the running
// program even if another file has replaced the program's file.
func ourselves() (string, error) {
	if _, err := os.Stat("/proc/self/exe"); err == nil && runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}

// forGo reports whether an environment variable affects how Go programs run.
func forGo(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{"GODEBUG", "GOTRACEBACK", "GOGC", "GOMEMLIMIT", "GOCOVERDIR"}, name)
}

// crash describes the crash of a child in one line.
func crash(err error, said string) error {
	for line := range strings.Lines(said) {
		if what, ok := strings.CutPrefix(line, "fatal error: "); ok {
			return fmt.Errorf("the WGSL compiler crashed: %s", plaintext.OneLine(what))
		}
	}
	return fmt.Errorf("the WGSL compiler crashed: %w", err)
}
