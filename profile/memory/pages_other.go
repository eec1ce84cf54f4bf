//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package memory

import "errors"

func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapPages([]byte) {}
