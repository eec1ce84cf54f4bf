package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/sysmem"
)

// limits bound a program with all processes that it starts. A faulty program would otherwise exhaust
// the machine long before its timeout.
type limits struct {
	processes int
	memory    int64    // bytes; 0 where the machine's is not known
	disk      int64    // bytes of places
	places    []string // files and directories that it writes to
}

const (
	defaultTimeout = 5 * time.Minute
	defaultMaxDisk = 8 << 30
	// grace is how long a program may take to end when asked to, before it is killed.
	grace = 2 * time.Second
)

// maxProcesses is how many processes a program may be at once. Only tests change it.
var maxProcesses = 1000

// smallest is the least size, in bytes, that a file counts.
const smallest = 4096

// Errors of a program that was stopped.
var (
	errLimit   = errors.New("stopped") // by a limit on processes, memory or files
	errTimeout = errors.New("timed out")
)

// limitTime bounds ctx by the timeout of the rule.
func (c *Command) limitTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.Timeout, fmt.Errorf("%w after %s (timeout)", errTimeout, showDuration(c.Timeout)))
}

func (c *Command) limits(p *call) limits {
	l := limits{processes: maxProcesses, memory: sysmem.Total() / 4 * 3, disk: defaultMaxDisk, places: append(slices.Clone(p.outputs), p.scratch)}
	if p.cell != nil {
		l.places = slices.Clone(p.cell.write) // counts files of any name
	}
	if c.MaxMemory > 0 {
		l.memory = int64(c.MaxMemory) << 20
	}
	if c.MaxDisk > 0 {
		l.disk = int64(c.MaxDisk) << 20
	}
	return l
}

// watch looks at a group each second until it is over, or takes more than it may.
func (g *group) watch(over <-chan struct{}, left strays, most limits) <-chan error {
	exceeded := make(chan error, 1)
	go func() {
		pause := time.Second
		for {
			select {
			case <-over:
				return
			case <-time.After(pause):
			}
			begin := time.Now()
			members := left.members(g.leader.Pid)
			if err := errors.Join(most.taken(members), most.written(unlinked(members, most.places))); err != nil {
				exceeded <- err
				return
			}
			pause = max(time.Second, 20*time.Since(begin)) // a twentieth of a core at most
		}
	}()
	return exceeded
}

// taken returns an error if there are too many processes, or they use too much memory.
func (l limits) taken(members []int) error {
	switch memory := memoryOf(members); {
	case len(members) > l.processes:
		return fmt.Errorf("%w: it was more than %d processes at once", errLimit, l.processes)
	case l.memory > 0 && memory > l.memory:
		return fmt.Errorf("%w: it took more than %s of memory (max_memory)", errLimit, human.Bytes(l.memory))
	}
	return nil
}

// written returns an error if the files in l.places exceed the disk limit. size is the total size
// of removed files that are still open.
func (l limits) written(size int64) error {
	for _, place := range l.places {
		filepath.WalkDir(place, func(_ string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				if info, err := entry.Info(); err == nil { // else it is gone
					size += max(smallest, info.Size())
				}
			}
			return nil // unreadable processes do not count
		})
	}
	if size > l.disk {
		return l.tooMuchWritten()
	}
	return nil
}

func (l limits) tooMuchWritten() error {
	return fmt.Errorf("%w: it wrote more than %s to its outputs and its scratch directory (max_disk)", errLimit, human.Bytes(l.disk))
}

// showDuration writes 5m rather than 5m0s.
func showDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
