// Package sandbox starts programs that can reach only the files of a policy.
//
// A thread enters a [Box], and every program that it starts is in the box for life, with all
// programs that those start in turn. The programs read the files and directories of a [Policy] and
// of the system, and write to the directories of the policy. They may change modes and times of
// files that they may write to. They have no network, cannot use the sockets of other programs, and
// cannot signal processes outside. When the box ends, all processes in it are killed, however far
// they have moved away, and [Box.End] returns when they are gone.
//
// No privileges are needed. On Linux the box is a Landlock domain (kernel 5.19; signals and
// abstract sockets from 6.12 on) and a seccomp filter, for subjects that Landlock does not cover:
// sockets, modes, times, owners, keys of the kernel. Programs of root lose all capabilities except
// the rights of a user who owns all files.
//
// Seccomp's user notification opens the files in the directory of a [Trace] for the program, and
// records them; Landlock prevents opening them in any other way.
//
// A program in the box can still find out whether a file outside exists, its size and its age, and
// can read the files of /proc that all users can read. It cannot read extended attributes. It
// cannot read the texts of symbolic links outside either, unless another program already watches
// its system calls.
//
// The files, in reading order:
//
//   - sandbox.go: the policy and the trace
//   - box_linux.go: a thread enters a box, kills its processes, and waits for their end
//   - restrict_linux.go: the Landlock domain and the seccomp filter
//   - calls_linux.go: the system calls that the filter reports
//   - serve_linux.go: the server that answers reported calls: changes of files, sockets
//   - trace_linux.go: its answers to calls on traced files
//   - resolve_linux.go, requests_linux.go, attributes_linux.go: paths, arguments and results of
//     these calls
//   - records_linux.go: what the trace records, and whether it is still true
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Policy lists the files that a program may use, besides the system's.
type Policy struct {
	// Read are files and directories that the program may read, list and execute. Missing ones are
	// ignored.
	Read []string
	// Write lists directories where the program may do anything.
	Write []string
	// Watch, if not nil, is called before a program opens, looks up or lists a file, from a
	// goroutine of the box. The path is absolute, without "." and "..", and with unresolved
	// symbolic links. It is the path that the program asked for; the file that it got may be
	// another.
	Watch func(path string)
	// Server, if not nil, is called with each server that a program tries to reach; the attempt is
	// refused. The address is a path, "@" and the name of an abstract socket, or address and port.
	Server func(address string)
	// Trace, if not nil, opens one more directory for reading, and records accesses to it.
	Trace *Trace
	// Dir becomes the working directory of the thread and of the programs it starts; "" keeps the
	// directory of the process. Starting a program in another directory, as with exec.Cmd.Dir, may
	// hang.
	Dir string
}

// SourceDate is the date that programs see on all traced files: the start of 1980, in Unix seconds.
const SourceDate = 315532800

// A Trace records which files of a directory programs in a box access. No program can read the
// directory past the trace: the server opens each file and directory, records it, and hands it
// over. Writing and executing are refused, unless the policy allows them otherwise. If Read allows
// the directory as well, its programs can be executed, and are recorded as read once they ask for a
// file.
type Trace struct {
	Folder string // absolute
	// Seen maps each accessed path to its first Access in their order. It is filled until the box
	// has ended. Paths are absolute; a path with ".." or through links that lead into the directory
	// is recorded as the path of the file itself.
	Seen map[string]Access
	// Links maps the absolute path of each symbolic link in the directory that a program read or
	// followed to its text. The text is "" for a path that was checked and is not a link. If the
	// map is nil, the trace makes one.
	Links map[string]string
	// Programs are the files of the directory that programs see as executable.
	Programs []string
	// Plain shows the real modes, times and link counts of files, although they are not recorded.
	// Without Plain, a directory has the mode 0755, and a file 0444, or 0555 if it is in Programs;
	// all have the date SourceDate and one link.
	Plain bool
	// IfPossible omits the trace if another program already watches our system calls. Without
	// IfPossible that is an error.
	IfPossible bool

	stamps  map[string]stamp // state of files and directories when they were read
	places  map[string]stamp // state of directories where relative paths start, and of their parents
	changed string
}

// Access is the way in which a program in a box used a path.
type Access int

const (
	Read    Access = iota // a file was opened or stat'ed
	List                  // a directory was opened, perhaps to be listed
	Exists                // a directory was stat'ed
	Missing               // the file does not exist
)

// ErrUnsupported is the error on systems without boxes.
var ErrUnsupported = errors.New("programs cannot be confined here")

// unsupported wraps ErrUnsupported with a reason.
func unsupported(why string) error { return fmt.Errorf("%w: %s", ErrUnsupported, why) }

// ErrStaying is the error for a process in a box that still runs after it was killed.
var ErrStaying = errors.New("a process started by the program is still running after it was killed")

// ErrTrace is the error for an incomplete trace: the server could not read which file a program
// asked for, or could not open the file for lack of descriptors.
var ErrTrace = errors.New("its reads could not be recorded")

// system lists the files and directories that every program may read. Most of their content does
// not affect results; the rest counts as part of the machine, like the program itself.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store",
	"/etc/alternatives", "/etc/fonts", "/etc/group", "/etc/host.conf", "/etc/hosts", "/etc/java", "/etc/ld.so.cache",
	"/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/localtime", "/etc/magic", "/etc/mime.types",
	"/etc/nsswitch.conf", "/etc/OpenCL", "/etc/passwd", "/etc/perl", "/etc/python3", "/etc/timezone", "/etc/vulkan",
	"/etc/ImageMagick-6", "/etc/ImageMagick-7", "/etc/mono", "/etc/glvnd", "/etc/ghostscript", "/etc/php", "/etc/R", "/etc/texmf",
	"/etc/bash.bashrc", "/etc/gitconfig", "/etc/inputrc", "/etc/locale.alias", "/etc/papersize", "/etc/pki", "/etc/services", "/etc/sgml",
	"/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo", "/etc/xdg", "/etc/xml",
	"/var/cache/fontconfig", "/var/lib/ghostscript",
	"/proc", "/sys/devices/system", "/sys/kernel/mm", "/sys/fs/cgroup",
	"/dev/random", "/dev/urandom",
}

// systemHere returns the existing paths of system, without those inside another.
var systemHere = sync.OnceValue(func() []string {
	var here []string
	for _, path := range system {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !slices.ContainsFunc(here, func(folder string) bool { return isBelowFolder(folder, real) }) {
			here = append(here, real)
		}
	}
	return here
})

// devices are files that a program may write to, besides the policy's directories.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// Program returns the paths that a program needs to read besides the system's: none if the system
// contains it, else the file, its directory, and, if that is the bin of a prefix, the rest of the
// prefix. If the directory contains one of the paths in keep, Program returns only the file.
func Program(file string, keep ...string) []string {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return []string{file}
	}
	var all []string
	for _, f := range slices.Compact([]string{file, real}) {
		if OfSystem(f) {
			continue
		}
		all = append(all, f)
		folder := filepath.Dir(f)
		if filepath.Dir(folder) == filepath.Dir(filepath.Dir(folder)) || slices.ContainsFunc(keep, func(k string) bool { return k != "" && isBelowFolder(folder, k) }) {
			continue
		}
		all = append(all, folder)
		if prefix := filepath.Dir(folder); filepath.Base(folder) == "bin" {
			for _, name := range []string{"lib", "lib64", "libexec", "share", "pyvenv.cfg"} {
				all = append(all, filepath.Join(prefix, name))
			}
		}
	}
	return all
}

// OfSystem reports whether every program may read a path, because it is part of the system.
func OfSystem(file string) bool {
	return slices.ContainsFunc(system, func(folder string) bool { return isBelowFolder(folder, file) })
}

func isBelowFolder(folder, file string) bool {
	_, ok := pathname.Below(folder, file)
	return ok
}
