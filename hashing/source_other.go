//go:build !linux && !darwin

package hashing

import "os"

func stampAt(name string) (stamp, error) {
	info, err := os.Stat(name)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func openRegular(name string) (source, error) {
	f, err := os.Open(name)
	return osFile{f}, err
}
