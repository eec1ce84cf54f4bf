//go:build unix && !linux

package main

func ofSystem() []campaign { return []campaign{{"together", togetherAbout, together}} }
