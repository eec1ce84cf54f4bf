//go:build !linux

package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// supported is false, because the limits are Linux programs and the rows measure Linux file
// systems.
const supported = false

func ownGroup() *syscall.SysProcAttr { return nil }

func endGroup(p *os.Process) { p.Kill() }

func maxRSS(*os.ProcessState) int64 { return 0 }

func ownPeak() int64 { return 0 }

func inode(fs.FileInfo) uint64 { return 0 }

func kernel() string { return "unknown" }

func fileSystem(string) string { return "unknown" }

type arrival struct{}

func expectArrival(string) (*arrival, error) { return nil, errors.ErrUnsupported }

func (*arrival) Close() {}

func (*arrival) Wait(context.Context) error { return errors.ErrUnsupported }
