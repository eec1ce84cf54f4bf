//go:build !(amd64 || arm64) || purego

package crcslice8

func archKernels[R register](*engine[R]) []kernel[R] { return nil }

func archLengths() []int { return nil }
