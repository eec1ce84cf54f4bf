//go:build !linux || !(amd64 || arm64)

package sandbox

import "runtime"

// A Box confines a thread and the programs that it starts.
type Box struct{}

// A stamp is empty, because no files are traced on this system.
type stamp struct{}

// Changed returns "", because no files are traced on this system.
func (*Trace) Changed() string { return "" }

// Supported returns an error that wraps ErrUnsupported.
func Supported() error {
	return unsupported(runtime.GOOS + " on " + runtime.GOARCH + " has no supported way to confine programs")
}

// Alone calls f in a goroutine. It returns at once.
func Alone(f func()) { go f() }

// Enter returns the error of Supported.
func Enter(Policy) (*Box, error) { return nil, Supported() }

// Kills returns false, because Kill does nothing on this system.
func (*Box) Kills() bool { return false }

// Kill does nothing.
func (*Box) Kill() {}

// End does nothing.
func (*Box) End() error { return nil }
