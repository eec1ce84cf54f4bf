package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// An image is a file system in a file, whose power can be cut.
type image struct {
	fs   string // ext4 or xfs
	file string
	at   string // where it is mounted
	loop *os.File
}

// shutdownRequest is FS_IOC_SHUTDOWN: from then on nothing is written to the disk, and
// unwritten data is lost. The argument is what to write before.
const shutdownRequest = 0x8004587d

// Arguments of shutdownRequest.
const (
	shutWriteAll = 0 // write everything, like a power cut after a pause
	shutWriteLog = 1 // write the file system's log, but not the contents of files
	shutNow      = 2
)

// newImage makes and mounts an image in a directory. The loop device stays the same for all
// mounts, because stamps contain its number, and is freed when the process ends.
func newImage(dir, name, kind string) (*image, error) {
	m := &image{fs: kind, file: filepath.Join(dir, name+".img"), at: filepath.Join(dir, name)}
	size := map[string]int64{"ext4": 96 << 20, "xfs": 320 << 20}[kind]
	if size == 0 {
		return nil, fmt.Errorf("file system %s: not one of ext4, xfs", kind)
	}
	f, err := os.Create(m.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := errors.Join(f.Truncate(size), os.MkdirAll(m.at, 0o777)); err != nil {
		return nil, err
	}
	args := map[string][]string{"ext4": {"-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, "xfs": {"-q", "-f"}}[kind]
	if text, err := exec.Command("mkfs."+kind, append(args, m.file)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mkfs.%s: %w: %s", kind, err, text)
	}
	if m.loop, err = attach(f); err != nil {
		return nil, err
	}
	return m, m.mount()
}

// attach attaches a file to a free loop device, which is freed when its last user closes it.
func attach(f *os.File) (*os.File, error) {
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for try := 0; ; try++ {
		n, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("loop device: %w", err)
		}
		loop, err := os.OpenFile(fmt.Sprintf("/dev/loop%d", n), os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		config := unix.LoopConfig{Fd: uint32(f.Fd())}
		config.Info.Flags = unix.LO_FLAGS_AUTOCLEAR
		err = unix.IoctlLoopConfigure(int(loop.Fd()), &config)
		if err == nil {
			return loop, nil
		}
		loop.Close()
		if try == 100 || !errors.Is(err, unix.EBUSY) { // another process took it
			return nil, fmt.Errorf("%s: %w", loop.Name(), err)
		}
	}
}

func (m *image) mount() error {
	if err := unix.Mount(m.loop.Name(), m.at, m.fs, 0, ""); err != nil {
		return fmt.Errorf("mount %s: %w", m.at, err)
	}
	return nil
}

func (m *image) unmount() error {
	var err error
	for range 500 { // a killed process may still hold it
		if err = unix.Unmount(m.at, 0); !errors.Is(err, unix.EBUSY) {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("unmount %s: %w", m.at, err)
	}
	return nil
}

// sync waits until everything is on disk.
func (m *image) sync() error {
	f, err := os.Open(m.at)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// cut cuts the power.
func (m *image) cut(how int) error {
	f, err := os.Open(m.at)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.IoctlSetPointerInt(int(f.Fd()), shutdownRequest, how); err != nil {
		return fmt.Errorf("shut down %s: %w", m.at, err)
	}
	return nil
}

// powerUp mounts the image after a cut; the file system replays its log.
func (m *image) powerUp() error { return errors.Join(m.unmount(), m.mount()) }

func (m *image) remove() {
	m.unmount()
	m.loop.Close()
	os.Remove(m.file)
}

// inMountNamespace runs this program again in a mount namespace of its own, so that its
// mounts are private and end with it. It returns true in that process.
func inMountNamespace() (work bool, err error) {
	const mark = "RELIABILITY_OWN_MOUNTS"
	if os.Getenv(mark) != "" {
		return true, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return false, errReported
		}
		return false, fmt.Errorf("mount namespace (are you root?): %w", err)
	}
	return false, nil
}
