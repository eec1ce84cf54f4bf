//go:build !linux && !darwin

package socket

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
)

func listenTCP(at netip.AddrPort) (*os.File, error) {
	return nil, &fs.PathError{Op: "listen at", Path: at.String(), Err: errors.ErrUnsupported}
}

func acceptOn(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }
