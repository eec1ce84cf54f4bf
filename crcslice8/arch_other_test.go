//go:build !amd64 || purego

package crcslice8

func archKernels(*Table) []kernel { return nil }

func archLengths() []int { return nil }
