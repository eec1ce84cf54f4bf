//go:build amd64 || arm64

package faultfs

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// killTree kills a child of this process that has not been waited for, and all its descendants, in
// any group or session.
//
// First it stops each process, parents before children: a stopped process starts no more children,
// and keeps its number until its parent waits for it.
func killTree(root *os.Process) {
	if root.Signal(unix.SIGSTOP) != nil {
		return // it has ended
	}
	all := []int{root.Pid}
	for i := 0; i < len(all); i++ {
		for _, child := range childrenOf(all[i]) {
			unix.Kill(child, unix.SIGSTOP)
			all = append(all, child)
		}
	}
	for _, pid := range all[1:] {
		unix.Kill(pid, unix.SIGKILL)
	}
	root.Kill()
}

// childrenOf searches all processes, because the kernel may not list the children of a process.
func childrenOf(parent int) (children []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // it has ended meanwhile
		}
		// The name, in parentheses, may hold anything; state and parent follow it.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}
