package builtin

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

func init() {
	// stay writes its process ID to a file and never ends by itself.
	helper["stay"] = func(args []string) error {
		if err := writeWhole(args[0], strconv.Itoa(os.Getpid())); err != nil {
			return err
		}
		return stay()
	}
	// leave runs stay as a child process. Then it ends, or runs until it is killed.
	helper["leave"] = func(args []string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		left := exec.Command(self, "stay", args[0])
		if err := left.Start(); err != nil {
			return err
		}
		for { // wait until the child has written its file
			if _, err := os.Stat(args[0]); err == nil {
				break
			}
		}
		if args[1] == "stay" {
			return stay()
		}
		return nil
	}
}

// stay blocks forever.
func stay() error {
	_, err := windows.WaitForSingleObject(windows.CurrentProcess(), windows.INFINITE)
	return err
}

// writeWhole creates a file atomically with its whole content.
func writeWhole(name, text string) error {
	return errors.Join(os.WriteFile(name+".tmp", []byte(text), 0o666), os.Rename(name+".tmp", name))
}

// The children of a program must end with it, whether the program ends by itself or the run is
// interrupted.
func TestJobObjectLeavesNobodyBehind(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, last := range []string{"end", "stay"} {
		t.Run(last, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "job")
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(dir, "number")
			t.Cleanup(func() { os.Remove(name); os.Remove(dir) })
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			opened := make(chan windows.Handle, 1)
			go func() {
				opened <- openNumbered(t, name)
				if last == "stay" {
					stop()
				}
			}()
			state, printed, err := executeInGroup(ctx, exec.Command(self, "leave", name, last), time.Second, findStrays(nil, ""), nil, limits{})
			if last == "end" && (err != nil || !state.Success()) || last == "stay" && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v: %s", err, printed.lastLines())
			}
			process := <-opened
			if process == 0 {
				return // the process has already ended
			}
			defer windows.CloseHandle(process)
			// Only a failing test waits this long.
			if got, err := windows.WaitForSingleObject(process, 30_000); got != windows.WAIT_OBJECT_0 {
				windows.TerminateProcess(process, 1)
				t.Errorf("the program that was started lives on (%v)", err)
			}
		})
	}
}

// openNumbered waits for a file with a process ID, and opens that process.
func openNumbered(t *testing.T, name string) windows.Handle {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		number, err := strconv.Atoi(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return 0
		}
		process, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_TERMINATE, false, uint32(number))
		if err != nil {
			if !errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // Windows returns this error for a process that has ended
				t.Error(err)
			}
			return 0
		}
		return process
	}
	t.Error("nothing was started")
	return 0
}
