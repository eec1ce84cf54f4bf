//go:build linux && (amd64 || arm64)

// Command golimit is the Go version of statknown and readall: it stats each known directory and
// file, or reads each known file, by raw system calls.
//
//	golimit stat|read LIST THREADS ROOT...
//
// The format of the list is described in limits/list.h.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	headSize   = 16
	folderSize = 16
	bufferSize = 256 << 10

	oPath             = 0x200000 // the Linux constant O_PATH, which package syscall lacks
	atSymlinkNofollow = 0x100
	folderFlags       = oPath | syscall.O_DIRECTORY | syscall.O_CLOEXEC
	fileFlags         = syscall.O_RDONLY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC
)

type total struct{ folders, files, bytes uint64 }

func main() {
	sum, err := statTrees(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "golimit: %v\n", err)
		os.Exit(1)
	}
	fmt.Printf("%d directories, %d files, %d bytes\n", sum.folders, sum.files, sum.bytes)
}

func statTrees(args []string) (total, error) {
	if len(args) < 4 || args[0] != "stat" && args[0] != "read" {
		return total{}, fmt.Errorf("usage: golimit stat|read LIST THREADS ROOT")
	}
	threads, err := strconv.Atoi(args[2])
	if err != nil || threads < 1 {
		return total{}, fmt.Errorf("%q is not a number of threads", args[2])
	}
	list, err := mapFile(args[1])
	if err != nil {
		return total{}, err
	}
	if len(list) < headSize || string(list[:8]) != "nullrun1" || int(binary.NativeEndian.Uint32(list[8:])) != len(args)-3 {
		return total{}, fmt.Errorf("%s: not a list for these roots", args[1])
	}
	w := walk{list: list, folders: int64(binary.NativeEndian.Uint32(list[12:])), visit: stat}
	if args[0] == "read" {
		w.visit = readDirectory
	}
	for _, root := range args[3:] {
		fd, err := syscall.Open(root, folderFlags, 0)
		if err != nil {
			return total{}, fmt.Errorf("open %s: %w", root, err)
		}
		w.roots = append(w.roots, uintptr(fd))
	}
	totals, errs := make([]total, threads), make([]error, threads)
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() { totals[i], errs[i] = w.share() })
	}
	wg.Wait()
	var sum total
	for i, t := range totals {
		if errs[i] != nil {
			return total{}, errs[i]
		}
		sum.folders += t.folders
		sum.files += t.files
		sum.bytes += t.bytes
	}
	return sum, nil
}

func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", name, err)
	}
	return b, nil
}

// A walk is a list of directories that several goroutines share. Each goroutine repeatedly takes
// the next directory.
type walk struct {
	list    []byte
	folders int64
	roots   []uintptr
	next    atomic.Int64
	visit   func(dir uintptr, name, buffer []byte) (bytes uint64, errno syscall.Errno)
}

func (w *walk) share() (t total, err error) {
	buffer := make([]byte, bufferSize)
	for {
		i := w.next.Add(1) - 1
		if i >= w.folders {
			return t, nil
		}
		record := w.list[headSize+i*folderSize:]
		text := w.list[binary.NativeEndian.Uint64(record[8:]):]
		path, text := cut(text)
		dir, errno := openat(w.roots[binary.NativeEndian.Uint32(record)], path, folderFlags)
		if errno != 0 {
			return t, fmt.Errorf("open %s: %w", path[:len(path)-1], errno)
		}
		var st syscall.Stat_t
		if err := syscall.Fstat(int(dir), &st); err != nil {
			return t, fmt.Errorf("stat %s: %w", path[:len(path)-1], err)
		}
		names := binary.NativeEndian.Uint32(record[4:])
		for range names {
			var name []byte
			name, text = cut(text)
			n, errno := w.visit(dir, name, buffer)
			if errno != 0 {
				return t, fmt.Errorf("%s in %s: %w", name[:len(name)-1], path[:len(path)-1], errno)
			}
			t.bytes += n
		}
		syscall.Close(int(dir))
		t.folders++
		t.files += uint64(names)
	}
}

// cut splits text after the first NUL.
func cut(text []byte) (head, rest []byte) {
	n := bytes.IndexByte(text, 0) + 1
	return text[:n], text[n:]
}

func stat(dir uintptr, name, _ []byte) (uint64, syscall.Errno) {
	var st syscall.Stat_t
	_, _, errno := syscall.Syscall6(sysFstatat, dir, uintptr(unsafe.Pointer(&name[0])),
		uintptr(unsafe.Pointer(&st)), atSymlinkNofollow, 0, 0)
	return uint64(st.Size), errno
}

func readDirectory(dir uintptr, name, buffer []byte) (sum uint64, errno syscall.Errno) {
	fd, errno := openat(dir, name, fileFlags)
	if errno != 0 {
		return 0, errno
	}
	for {
		n, _, errno := syscall.Syscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
		if errno != 0 || n == 0 {
			syscall.Close(int(fd))
			return sum, errno
		}
		sum += uint64(n)
	}
}

func openat(dir uintptr, name []byte, flags uintptr) (uintptr, syscall.Errno) {
	fd, _, errno := syscall.Syscall6(syscall.SYS_OPENAT, dir, uintptr(unsafe.Pointer(&name[0])), flags, 0, 0, 0)
	return fd, errno
}
