//go:build !linux && !windows

package notify

import (
	"errors"
	"fmt"
	"runtime"
)

// queue has no implementation on this system: openQueue returns an error.
type queue struct{}

func openQueue() (*queue, error) {
	return nil, fmt.Errorf("file watching is not supported on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func (*queue) within([]string)                     {}
func (*queue) watchFolder(string) (watchID, error) { return noWatch, errors.ErrUnsupported }
func (*queue) remove(watchID)                      {}
func (*queue) size() (int, error)                  { return 0, errors.ErrUnsupported }
func (*queue) readEvents(func(event)) (int, error) { return 0, errors.ErrUnsupported }
func (*queue) each(func() (bool, error)) error     { return errors.ErrUnsupported }
func (*queue) closeQueue() error                   { return nil }
