//go:build !linux && !darwin

package peer

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// identifiesPeers is set if the system identifies the process at the other end of a socket. Without
// that, Serve and Ask refuse to work.
const identifiesPeers = false

func shortAddress(dir, name string) (short string, release func(), err error) {
	return "", nil, longAddress(name)
}

func bind(name, path string) (*os.File, error) { return nil, errors.ErrUnsupported }
func peerOf(syscall.Conn) (peer, error)        { return peer{}, errors.ErrUnsupported }
func connectTo(context.Context, string, string) (*os.File, error) {
	return nil, errors.ErrUnsupported
}
