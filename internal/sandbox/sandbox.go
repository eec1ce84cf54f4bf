// Package sandbox starts programs that can reach nothing but what they are given.
//
// A [Box] is entered by a thread, and whatever that thread starts is in it for life, with
// all that it starts in turn: it reads the files and folders of a [Policy] and what the
// system is made of, writes to the folders of the policy, has no network, no sockets of
// others, and sends no signals out. It may change modes and times of what it may write
// to. When the box is ended, everybody in it is killed, however far he has moved away,
// and [Box.End] returns when they are gone.
//
// No privileges are needed. On Linux the box is a Landlock domain (kernel 5.19; signals
// and abstract sockets from 6.12 on) and a seccomp filter, which stands for what Landlock
// knows nothing of: sockets, modes, times, owners, keys of the kernel. Programs of root
// lose all capabilities but those of an owner of all files.
// Other systems have no box; see [Supported].
//
// What lies in the folder of a [Trace] is opened for the program, and recorded, by
// seccomp's user notification; Landlock lets nobody open it in another way.
//
// A program in the box can still find out whether a file outside is there, how large and how old it
// is, and read what is readable to everybody in /proc. It cannot read extended attributes. It
// cannot read the texts of symbolic links outside either, unless another program already watches
// its system calls.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assetcook/assetcook/internal/pathname"
)

// A Policy says what is given to a program, besides what the system is made of.
type Policy struct {
	// Read are files and folders that it may read, list and execute. What is not there
	// is left out.
	Read []string
	// Write are folders in which it may do anything.
	Write []string
	// Watch is told of each file that somebody in the box opens, looks for or lists,
	// before that happens and from a goroutine of the box; nil if it does not matter.
	// The path is absolute, without "." and "..", and links in it are not followed. It
	// is what the program asked for at that moment, no proof of what it then got.
	Watch func(path string)
	// Server, if it is not nil, is told of each server that somebody in the box asks for, which
	// is refused, as Watch is of files: its path, "@" and its name if it is abstract, or address
	// and port.
	Server func(address string)
	// Trace, if it is not nil, opens one more folder for reading, and records what is
	// done there.
	Trace *Trace
	// Dir becomes the working directory of the thread and of the programs it starts; "" keeps the
	// directory of the process. Starting a program in another directory, as with exec.Cmd.Dir, may
	// hang.
	Dir string
}

// SourceDate is the date that programs see on all traced files: the start of 1980, in Unix
// seconds.
const SourceDate = 315532800

// A Trace records what programs in a box get to see of a folder. Nothing in the folder
// can be read past it: each file and folder is opened here, recorded, and handed over.
// Nothing in it can be written or executed, unless the policy gives that away otherwise.
// Where Read gives the folder away as well, programs in it can be executed, and are recorded
// as read once they ask for a file.
type Trace struct {
	Folder string // absolute
	// Seen has the paths that were seen, and of each the first in the order of Access. It is
	// filled until the box has ended. A path is absolute; with a ".." in what the program
	// said, or below links that led into the folder, it is that of the file itself.
	Seen map[string]Access
	// Links maps the absolute path of each symbolic link in the folder that a program read or
	// followed to its text. The text is "" for a path that was checked and is no link. If the map
	// is nil, the trace makes one.
	Links map[string]string
	// Programs are the files of the folder that programs see as executable.
	Programs []string
	// Plain shows the real modes, times and link counts of files, although they are not recorded.
	// Without Plain, a folder has the mode 0755, and a file 0444, or 0555 if it is in Programs; all
	// have the date SourceDate and one link.
	Plain bool
	// IfPossible omits the trace if another program already watches our system calls. Without
	// IfPossible that is an error.
	IfPossible bool

	stamps  map[string]stamp // state of files and directories when they were read
	places  map[string]stamp // state of directories where relative paths start, and of their parents
	changed string
}

// Access says what somebody in a box has found out about a path.
type Access int

const (
	Read    Access = iota // a file was opened or looked at
	List                  // a folder was opened, to be listed perhaps
	Exists                // a folder was looked at
	Missing               // there is no such file
)

// ErrUnsupported says that this system has no boxes.
var ErrUnsupported = errors.New("programs cannot be confined here")

// unsupported says why.
func unsupported(why string) error { return fmt.Errorf("%w: %s", ErrUnsupported, why) }

// ErrStaying says that somebody in a box could not be killed.
var ErrStaying = errors.New("a process that the program has started does not end although it was killed")

// ErrTrace says that somebody in a box asked for something and that the trace could not
// find out for what, or could not open it for want of means.
var ErrTrace = errors.New("what it reads could not be recorded")

// system are the files and folders that every program may read. Most have nothing that
// changes a result; what does is taken for a part of the machine, as the program is.
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

// systemHere are those of system that are there, without those that lie in others.
var systemHere = sync.OnceValue(func() []string {
	var here []string
	for _, path := range system {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && !slices.ContainsFunc(here, func(folder string) bool { return below(folder, real) }) {
			here = append(here, real)
		}
	}
	return here
})

// devices are the files outside the folders of a policy that a program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full"}

// Program returns what a program needs to read besides the system: nothing if it is of
// the system; else its folder, and where that is the bin of a prefix the rest of the
// prefix. A folder that holds one of those in keep is not given away for it: then it is
// the program's file alone.
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
		if filepath.Dir(folder) == filepath.Dir(filepath.Dir(folder)) || slices.ContainsFunc(keep, func(k string) bool { return k != "" && below(folder, k) }) {
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

// OfSystem reports whether a path is of what every program may read.
func OfSystem(file string) bool {
	return slices.ContainsFunc(system, func(folder string) bool { return below(folder, file) })
}

func below(folder, file string) bool {
	_, ok := pathname.Below(folder, file)
	return ok
}
