package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// An arrival watches a directory until a file is renamed into it.
type arrival struct {
	fd   int
	name string
}

// expectArrival starts to watch an existing directory for a file with the given name.
func expectArrival(path string) (*arrival, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	if _, err := unix.InotifyAddWatch(fd, filepath.Dir(path), unix.IN_MOVED_TO); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("inotify: %w", err)
	}
	return &arrival{fd, filepath.Base(path)}, nil
}

func (a *arrival) Close() { unix.Close(a.fd) }

// Wait blocks until the file has arrived.
func (a *arrival) Wait(ctx context.Context) error {
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(a.fd, buf)
		switch {
		case err == nil && arrived(buf[:n], a.name):
			return nil
		case errors.Is(err, unix.EAGAIN):
			if _, err := unix.Poll([]unix.PollFd{{Fd: int32(a.fd), Events: unix.POLLIN}}, 100); err != nil && err != unix.EINTR {
				return fmt.Errorf("poll: %w", err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		case err != nil && err != unix.EINTR:
			return fmt.Errorf("inotify: %w", err)
		}
	}
}

// arrived reports whether one of the inotify(7) events names the file.
func arrived(events []byte, name string) bool {
	for len(events) >= unix.SizeofInotifyEvent {
		size := int(binary.NativeEndian.Uint32(events[12:]))
		rest := events[unix.SizeofInotifyEvent:]
		if size > len(rest) {
			return false
		}
		if strings.TrimRight(string(rest[:size]), "\x00") == name {
			return true
		}
		events = rest[size:]
	}
	return false
}
