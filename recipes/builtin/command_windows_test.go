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
	// stay writes its number to a file and never ends by itself.
	helper["stay"] = func(args []string) error {
		if err := writeWhole(args[0], strconv.Itoa(os.Getpid())); err != nil {
			return err
		}
		return stay()
	}
	// leave starts a program that stays, and then stays as well or ends.
	helper["leave"] = func(args []string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		left := exec.Command(self, "stay", args[0])
		if err := left.Start(); err != nil {
			return err
		}
		for { // the test counts on the file
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

// stay waits for the end of this process, which never ends by itself.
func stay() error {
	_, err := windows.WaitForSingleObject(windows.CurrentProcess(), windows.INFINITE)
	return err
}

// writeWhole makes a file appear with its content.
func writeWhole(name, text string) error {
	return errors.Join(os.WriteFile(name+".tmp", []byte(text), 0o666), os.Rename(name+".tmp", name))
}

// The children of a program end with it, whether it ends by itself or because the run was
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
				return // process has ended already
			}
			defer windows.CloseHandle(process)
			// Only a failing test waits for so long.
			if got, err := windows.WaitForSingleObject(process, 30_000); got != windows.WAIT_OBJECT_0 {
				windows.TerminateProcess(process, 1)
				t.Errorf("the program that was started lives on (%v)", err)
			}
		})
	}
}

// openNumbered opens the process whose number a file will hold.
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
			if !errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // error for a process that has ended
				t.Error(err)
			}
			return 0
		}
		return process
	}
	t.Error("nothing was started")
	return 0
}
