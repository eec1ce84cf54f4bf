// Package sandbox starts programs that can access only the files that a policy allows.
//
// A thread enters a [Box]. Every program that it starts stays in the box, as do all programs that
// these start in turn. The programs can read the files and directories of a [Policy] and of the
// system. They can write to the directories that the policy lists. They may change modes and times
// of files that they may write to. They have no network, cannot use the sockets of other programs,
// and cannot signal processes outside of the box. When the box ends, all processes in it are
// killed, even if they have detached from their parents. [Box.End] waits until no process is left.
//
// No privileges are needed. On Linux the box is a Landlock domain (since kernel 5.19; for signals
// and abstract sockets since 6.12) and a seccomp filter. The filter is for operations that Landlock
// does not cover: sockets, modes, times, owners, kernel keys. Programs of root lose all
// capabilities except the rights of a user who owns all files.
//
// In the directory of a [Trace], a server opens the files for the program by seccomp's user
// notification, and records them. Landlock prevents opening them in any other way.
//
// A program in the box can still find out whether a file outside exists, its size and its age. It
// can read the files of /proc that all users can read. It cannot read extended attributes, nor the
// targets of symbolic links outside, unless another program already watches its system calls.
//
// The files, in reading order:
//
//   - sandbox.go: the policy and the trace
//   - box_linux.go: a thread enters a box, kills its processes, and waits for their end
//   - restrict_linux.go: the Landlock domain and the seccomp filter
//   - calls_linux.go: the system calls that the filter reports
//   - serve_linux.go: the server that answers reported calls: attribute changes, sockets
//   - trace_linux.go: its answers to calls on traced files
//   - resolve_linux.go, requests_linux.go, attributes_linux.go: paths, arguments and results of
//     these calls
//   - records_linux.go: what the trace records, and whether it is still valid
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Policy lists the files that a program may use, in addition to the files of the system.
type Policy struct {
	// Read lists files and directories that the program may read, list and execute. Missing paths
	// are ignored.
	Read []string
	// Write lists directories where the program may do anything.
	Write []string
	// Watch, if not nil, is called before a program opens, stats or lists a file, from a goroutine
	// of the box. The path is absolute, without "." and "..", and may contain symbolic links. It is
	// the path that the program requested. The file that the program gets may differ.
	Watch func(path string)
	// Server, if not nil, is called when a program tries to connect to a server. The attempt is
	// refused. The address is a path, "@" and the name of an abstract socket, or an IP address and
	// port.
	Server func(address string)
	// Trace, if not nil, opens one more directory for reading, and records accesses to it.
	Trace *Trace
	// Dir becomes the working directory of the thread and of the programs that it starts. "" keeps
	// the directory of the process. Starting a program in another directory, as with exec.Cmd.Dir,
	// may hang.
	Dir string
}

// SourceDate is the date that programs see on all traced files: the start of 1980, in Unix seconds.
const SourceDate = 315532800

// A Trace records which files of a directory programs in a box access. No program can bypass the
// trace: the server opens each file and directory, records it, and passes it to the program.
// Writing and executing are refused, unless the policy allows them otherwise. If Policy.Read
// contains the directory as well, its programs can be executed. They are recorded as read when they
// first access a file.
type Trace struct {
	Folder string // absolute path
	// Seen maps each accessed path to its Access. If a path was accessed in several ways, Seen
	// holds the first of them in the order of the constants. The map is complete when the box has
	// ended. Paths are absolute. A path with "..", or through links that lead into the directory,
	// is recorded as the path of the file itself.
	Seen map[string]Access
	// Links maps each symbolic link in the directory that a program read or followed to its target.
	// The keys are absolute paths. The target is "" for a path that was checked and is not a link.
	// If the map is nil, the box creates it.
	Links map[string]string
	// Programs lists the files of the directory that programs see as executable.
	Programs []string
	// Plain shows the real modes, times and link counts of files, although they are not recorded.
	// Without Plain, programs see directories with mode 0755, files in Programs with 0555, and
	// other files with 0444. All have the date SourceDate and one link.
	Plain bool
	// IfPossible omits the trace if another program already watches the system calls of this
	// process. Without IfPossible, that is an error.
	IfPossible bool

	stamps  map[string]stamp // state of files and directories when they were accessed
	places  map[string]stamp // state of the directories where relative paths start, and of their parents
	changed string
}

// Access is the kind of access of a program in a box to a path.
type Access int

const (
	Read    Access = iota // a file was opened or stat'ed
	List                  // a directory was opened, perhaps to be listed
	Exists                // a directory was stat'ed
	Missing               // the file does not exist
)

// ErrUnsupported is the error on systems without boxes.
var ErrUnsupported = errors.New("this system cannot confine programs")

// unsupported wraps ErrUnsupported with a reason.
func unsupported(why string) error { return fmt.Errorf("%w: %s", ErrUnsupported, why) }

// ErrStaying is the error if a process in a box is still running after it was killed.
var ErrStaying = errors.New("a process started by the program is still running after it was killed")

// ErrTrace is the error for an incomplete trace. The server could not read which file a program
// requested, or could not open the file for lack of descriptors.
var ErrTrace = errors.New("cook could not record the reads of the program")

// system lists the files and directories that every program may read. Most of their content does
// not affect results. The other content counts as part of the machine, like the program itself.
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

// systemHere returns the paths of system that exist. It omits paths below other paths in the list.
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

// devices are the device files that every program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// Program returns the paths that a program needs to read, except paths of the system. A program of
// the system needs none. Any other program needs its file and its directory. If the directory is
// the bin of a prefix, it also needs the libraries and data of the prefix. If the directory
// contains one of the paths in keep, Program returns only the file.
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
