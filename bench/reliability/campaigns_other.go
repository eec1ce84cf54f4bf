//go:build !unix

package main

func ofSystem() []campaign { return nil }
