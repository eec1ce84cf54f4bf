package builtin

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/assetcook/assetcook/internal/pathname"
)

// inherited are the variables that programs inherit from cook's environment. tempVariables are the
// variables, besides TMPDIR, that name the scratch directory. homeVariables name the scratch
// directory only in a sandbox.
var (
	inherited     = []string{"PATH", "HOME", "SystemRoot", "USERPROFILE"}
	tempVariables = []string{"TEMP", "TMP"}
	homeVariables = []string{"HOME", "USERPROFILE"}
)

// countLinks returns 1, because FileInfo does not hold the number of hard links on Windows.
func countLinks(fs.FileInfo) uint64 { return 1 }

// Strays are the processes that a program has started, unless it may leave servers running.
type strays struct {
	after int
	job   bool // whether a job object contains the strays
}

func findStrays([]string, string) strays { return strays{job: true} }

// killStrays does nothing, because the job object ends with the group.
func (strays) killStrays() {}

// A job is the job object that contains a program and all processes that it starts. The system
// kills them when cook ends.
type job struct {
	handle windows.Handle // handle of the job object, or 0
}

// longestDir is the longest working directory of a program in UTF-16 units, without the
// separator and NUL that the system adds. A \\?\ prefix does not raise the limit.
const longestDir = 258

// start starts a program in a job object. The program starts suspended, so that it cannot start
// processes outside of the job object. Ctrl-C reaches only cook.
func (j *job) start(cmd *exec.Cmd, left strays) error {
	if n := len(utf16.Encode([]rune(cmd.Dir))); n > longestDir {
		return fmt.Errorf("the path of the working directory %s has %d characters, but Windows allows %d; move the asset directory to a shorter path", pathname.Show(cmd.Dir), n, longestDir)
	}
	attr := &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	cmd.SysProcAttr = attr
	if !left.job {
		return cmd.Start()
	}
	var err error
	if j.handle, err = newJobObject(); err != nil {
		return err
	}
	attr.CreationFlags |= windows.CREATE_SUSPENDED
	if err := cmd.Start(); err != nil {
		j.close()
		return err
	}
	if unopened := cmd.Process.WithHandle(func(process uintptr) {
		if err = windows.AssignProcessToJobObject(j.handle, windows.Handle(process)); err == nil {
			err = resumeProcess(windows.Handle(process))
		}
	}); unopened != nil {
		err = unopened
	}
	if err != nil {
		cmd.Process.Kill()
		cmd.Process.Wait()
		cmd.Process = nil
		j.close()
	}
	return err
}

func newJobObject() (windows.Handle, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(handle)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return handle, nil
}

// resumeProcess resumes all threads of a process that was started suspended. Package os does not
// expose the thread's handle.
func resumeProcess(process windows.Handle) error {
	resume := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	if err := resume.Find(); err != nil {
		return err
	}
	if status, _, _ := resume.Call(uintptr(process)); status != 0 {
		return os.NewSyscallError("NtResumeProcess", windows.NTStatus(status))
	}
	return nil
}

// terminate asks the processes in the program's console group to end, as Ctrl-Break does.
// Without a console it does nothing.
func (j *job) terminate(leader *os.Process) {
	if windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(leader.Pid)) != nil {
		j.kill(leader)
	}
}

// kill ends all processes in the job object. An error would mean that no process is left, so it is
// ignored.
func (j *job) kill(leader *os.Process) {
	if j.handle == 0 {
		leader.Kill()
		return
	}
	windows.TerminateJobObject(j.handle, 1)
}

// close ends all remaining processes in the job object.
func (j *job) close() {
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
		j.handle = 0
	}
}
