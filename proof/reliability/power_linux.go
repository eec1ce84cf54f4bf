package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
)

// settle is longer than the minimum age of a trusted stamp, 2.2 s.
const settle = 2350 * time.Millisecond

// power cuts the power of file systems while the cook command works on them.
//
// Between two cuts it edits the sources without syncing, and cooks several times, sometimes after a
// pause that makes the stamps old enough to be trusted. After a cut the file system is mounted
// again. The next run must produce the same outputs as a run from scratch with the sources that
// survived.
func power(ctx context.Context, args []string) error {
	p := powerCuts{rounds: rounds{workplace: workplace{name: "power", dir: "/dev/shm"}, count: 500, jobs: 8}}
	flags := p.flags("cuts")
	flags.StringVar(&p.fs, "fs", "ext4", "`ext4 or xfs`")
	flags.BoolVar(&p.apart, "apart", false, "assets on another file system than outputs and store")
	if flags.Parse(args) != nil {
		return errUsage
	}
	work, err := inMountNamespace()
	if err != nil || !work {
		return err
	}
	if err := p.openWorkplace(ctx); err != nil {
		return err
	}
	defer p.closeWorkplace()
	return p.run(ctx)
}

// powerCuts is the campaign "power". It runs many jobs in parallel, because they spend most of the
// time waiting.
type powerCuts struct {
	rounds
	fs    string
	apart bool
	amid  atomic.Int64
}

func (p *powerCuts) run(ctx context.Context) error {
	err := p.playAllRounds(ctx, p.newPowerCutJob)
	counted := fmt.Sprintf("%s, apart %t: %d cuts, %d amid a cook", p.fs, p.apart, p.done.Load(), p.amid.Load())
	return p.printLastLine(ctx, err, counted, p.amid.Load(), "cuts amid a cook")
}

// newPowerCutJob returns a job with one or two file systems of its own.
func (p *powerCuts) newPowerCutJob(_ context.Context, n int) (j job, err error) {
	var images []*image
	j.end = func() {
		for _, m := range images {
			m.removeDiskImage()
		}
	}
	names := []string{"job"}
	if p.apart {
		names = append(names, "assets")
	}
	for _, name := range names {
		m, err := newImage(p.dir, fmt.Sprint(name, n), p.fs)
		if err != nil {
			return j, err
		}
		images = append(images, m)
	}
	s := p.newJobScene(images[0].at, uint64(n))
	s.assets, s.scratch = filepath.Join(images[len(images)-1].at, "assets"), p.dir
	j.scenes = []*scene{s}
	j.round = func(ctx context.Context) error {
		if err := p.cutPowerOnce(ctx, s, images); err != nil {
			return err
		}
		return s.checkScene(ctx)
	}
	if err := s.writeFirstSources(); err != nil {
		return j, err
	}
	for _, m := range images { // otherwise the cut could lose all sources and would test nothing
		if err := m.syncDiskImage(); err != nil {
			return j, err
		}
	}
	return j, nil
}

// cutPowerOnce edits, cooks, and cuts the power once.
func (p *powerCuts) cutPowerOnce(ctx context.Context, s *scene, images []*image) error {
	if s.rng.IntN(8) == 0 {
		if err := s.forgetOutputs(); err != nil {
			return err
		}
	}
	took := 20 * time.Millisecond
	for range s.rng.IntN(3) {
		if err := p.editDuringCook(ctx, s, 1+s.rng.IntN(3)); err != nil {
			return err
		}
		var err error
		if took, err = s.cookBefore(ctx, p.runFlags(s)...); err != nil {
			return err
		}
	}
	if err := p.editDuringCook(ctx, s, s.rng.IntN(4)); err != nil {
		return err
	}
	return p.cookAndCut(ctx, s, images, took)
}

// runFlags mostly returns the flags of an ordinary run, and sometimes of a run that checks every
// asset.
func (p *powerCuts) runFlags(s *scene) []string {
	switch s.rng.IntN(6) {
	case 0:
		return []string{"-v", "-explain"}
	case 1:
		return []string{"-verify"}
	}
	return nil
}

// editDuringCook makes n edits, and sometimes waits until stamps are trusted.
func (p *powerCuts) editDuringCook(ctx context.Context, s *scene, n int) error {
	if err := s.applyRandomEdits(n); err != nil {
		return err
	}
	if s.rng.IntN(5) < 2 {
		s.addSceneNote("pause")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settle):
		}
	}
	return nil
}

// cookAndCut starts a cook that is expected to take the given time, and cuts the power before the
// cook ends or soon afterwards.
func (p *powerCuts) cookAndCut(ctx context.Context, s *scene, images []*image, took time.Duration) error {
	how := []int{shutNow, shutNow, shutNow, shutWriteLog, shutWriteLog, shutWriteAll}[s.rng.IntN(6)]
	wait := s.randomWait(took)
	killFirst := s.rng.IntN(2) == 0
	if len(images) > 1 && s.rng.IntN(2) == 0 {
		images = []*image{images[1], images[0]}
	}
	amid, err := s.runAndKill(ctx, wait, func(kill func()) error {
		s.addSceneNote("cut (%d)", how)
		if killFirst {
			kill()
		}
		var err error
		for _, m := range images {
			err = errors.Join(err, m.cutImagePower(how))
		}
		return sceneError(err)
	}, p.runFlags(s)...)
	if amid {
		p.amid.Add(1)
	}
	if err != nil {
		return err
	}
	for _, m := range images {
		err = errors.Join(err, m.powerUp())
	}
	if err != nil {
		return sceneError(err)
	}
	if err := p.repairRules(ctx, s); err != nil {
		return err
	}
	switch s.rng.IntN(6) { // this makes the outputs stale
	case 0:
		return s.editRecent()
	case 1, 2:
		return s.applyRandomEdits(1 + s.rng.IntN(3))
	}
	return nil
}

// repairRules replaces rules that the cut has damaged, as a user would.
func (p *powerCuts) repairRules(ctx context.Context, s *scene) error {
	_, _, err := s.cookSceneFromScratch(ctx)
	var config *cook.ConfigError
	if !errors.As(err, &config) {
		return err
	}
	end, err := s.run(ctx)
	if err != nil {
		return err
	}
	if end.code != 2 {
		return fmt.Errorf("exit %d with damaged rules, want 2: %s", end.code, end.stderr)
	}
	return s.changeRules()
}

// An image is a file system in a regular file; its power can be cut.
type image struct {
	fs   string // ext4 or xfs
	file string
	at   string
	loop *os.File
}

// shutdownRequest is FS_IOC_SHUTDOWN. After it, nothing is written to the disk, and unwritten data
// is lost. The argument determines what is written first.
const shutdownRequest = 0x8004587d

// These are arguments of shutdownRequest.
const (
	shutWriteAll = 0 // writes everything first, like a power cut after a pause
	shutWriteLog = 1 // writes the file system's log first, but not the contents of files
	shutNow      = 2
)

// newImage creates and mounts an image in a directory. The loop device is the same for all mounts,
// because stamps contain its number. It is freed when the process ends.
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
	return m, m.mountDiskImage()
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
		if try == 100 || !errors.Is(err, unix.EBUSY) { // another process has taken the loop device
			return nil, fmt.Errorf("%s: %w", loop.Name(), err)
		}
	}
}

func (m *image) mountDiskImage() error {
	if err := unix.Mount(m.loop.Name(), m.at, m.fs, 0, ""); err != nil {
		return fmt.Errorf("mount %s: %w", m.at, err)
	}
	return nil
}

func (m *image) unmount() error {
	var err error
	for range 500 { // a killed process may still be using the mount
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

// syncDiskImage waits until everything is on disk.
func (m *image) syncDiskImage() error {
	f, err := os.Open(m.at)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}

// cutImagePower cuts the power.
func (m *image) cutImagePower(how int) error {
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
func (m *image) powerUp() error { return errors.Join(m.unmount(), m.mountDiskImage()) }

func (m *image) removeDiskImage() {
	m.unmount()
	m.loop.Close()
	os.Remove(m.file)
}

// inMountNamespace runs this program again in a new mount namespace, so that its mounts are private
// and disappear when it ends. It returns true in that process.
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
