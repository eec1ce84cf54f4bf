//go:build !linux && (amd64 || arm64)

package main

import "errors"

func cpuSeconds() (float64, error) {
	return 0, errors.New("CPU time is measured on Linux only")
}
