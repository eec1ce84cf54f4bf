package builtin

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// failure returns the error of a failed program. For a confined program, the error names the files
// that the program could not access. The function again reruns the program to record these files,
// and reports whether it failed again.
func (p *call) failure(state *os.ProcessState, again func(*refusals) bool) error {
	err := errors.New(state.String())
	if p.cell == nil || len(p.cell.declared) == 0 || p.policy(nil) == nil {
		return err
	}
	wanted := &refusals{cell: p.cell, given: realName(p.cell.assets), tree: realName(p.assets)}
	if !again(wanted) {
		return err
	}
	if reason := wanted.String(); reason != "" {
		err = fmt.Errorf("%w; %s", err, reason)
	}
	return err
}

// refusals are the existing files that a program tried to access but could not.
type refusals struct {
	cell        *cell
	given, tree string   // cell.assets and the asset directory, with links resolved
	assets      []string // paths in the asset tree
	machine     []string
	servers     []string
}

// noteFile records that the program is about to access a file. It must not be called concurrently.
func (w *refusals) noteFile(file string) {
	if rel, ok := pathname.Below(w.tree, file); ok && w.given != "" {
		w.noteAsset(rel) // the program used an absolute name
	} else if rel, ok := pathname.Below(w.given, file); ok && w.given != "" {
		w.noteAsset(rel)
	} else if !w.mayReadFile(file) && !slices.Contains(w.machine, file) {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			w.machine = append(w.machine, file)
		}
	}
}

func (w *refusals) mayReadFile(file string) bool {
	return sandbox.OfSystem(file) || slices.ContainsFunc(slices.Concat(w.cell.read, w.cell.write), func(folder string) bool {
		_, ok := pathname.Below(realName(folder), file)
		return ok
	})
}

// realName returns a file's name with links resolved, or name if that fails.
func realName(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil && file != "" {
		return real
	}
	return file
}

func (w *refusals) noteAsset(rel string) {
	if slices.Contains(w.cell.declared, rel) || slices.Contains(w.assets, rel) {
		return
	}
	info, err := os.Lstat(filepath.Join(w.tree, filepath.FromSlash(rel)))
	if err == nil && info.Mode().IsRegular() {
		w.assets = append(w.assets, rel)
	}
}

// String returns advice for the user, or "" if no access was refused.
func (w *refusals) String() string {
	const shown = 3
	list := func(names []string) string {
		quoted := make([]string, min(shown, len(names)))
		for i := range quoted {
			quoted[i] = strconv.Quote(names[i])
		}
		return strings.Join(quoted, ", ")
	}
	if len(w.assets) > 0 {
		names := make([]string, len(w.assets))
		for i, at := range w.assets {
			names[i] = "/" + at
			if path.Dir(at) == path.Dir(w.cell.from) {
				names[i] = path.Base(at)
			}
		}
		more := ""
		if n := len(w.assets) - 1; n > 0 {
			more = " and " + human.Count(n, "other file")
		}
		return fmt.Sprintf("the program asked for %s%s, which the rule does not declare; add reads = [%s]", pathname.Show(w.assets[0]), more, list(names))
	}
	if len(w.servers) > 0 {
		return w.serverAdvice()
	}
	if len(w.machine) > 0 {
		return fmt.Sprintf("the program asked for %s, which the sandbox hides; add system = [%s], or a directory above it", pathname.Show(w.machine[0]), list(w.machine))
	}
	return ""
}

// casual are the paths of servers for user names, host names and logs that the C library uses.
// Programs work without these servers.
var casual = []string{"/run/nscd/", "/var/run/nscd/", "/run/systemd/", "/dev/log", "/run/dbus/", "/var/run/dbus/"}

// noteServer records that the program tries to connect to a server. Such a connection is refused,
// because the server could read undeclared files. noteServer must not be called concurrently. It
// ignores paths where no server exists.
func (w *refusals) noteServer(address string) {
	if slices.ContainsFunc(casual, func(prefix string) bool { return strings.HasPrefix(address, prefix) }) || slices.Contains(w.servers, address) {
		return
	}
	if strings.HasPrefix(address, "/") {
		if _, err := os.Stat(address); err != nil {
			return
		}
	}
	w.servers = append(w.servers, address)
}

func (w *refusals) serverAdvice() string {
	more := ""
	if n := len(w.servers) - 1; n > 0 {
		more = " and " + human.Count(n, "other")
	}
	return fmt.Sprintf("the program tried to connect to a server at %s%s, whose reads cook cannot see; add sandbox = false, and name all inputs in reads or by {depfile}", pathname.Show(w.servers[0]), more)
}
