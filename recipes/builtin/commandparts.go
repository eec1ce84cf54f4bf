package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
	"github.com/assetcook/assetcook/internal/sandbox"
)

// readsOf are the files and directories that a program outside the asset directory needs.
func readsOf(file, assets, scratch string) []string {
	return append(folderOf(file, assets, scratch), partsBesides(file, assets, scratch)...)
}

func folderOf(file, assets, scratch string) []string {
	home, _ := os.UserHomeDir() // an empty one hides nothing
	return sandbox.Program(file, home, assets, scratch)
}

// partsBesides are the files and directories that a file needs if it is a program, besides its
// own: its interpreter's, and the libraries that they bring.
func partsBesides(file, assets, scratch string) []string {
	var reads []string
	for range 5 { // scripts can be interpreters of others, to this depth
		parts := partsOf(file)
		reads = append(reads, slices.DeleteFunc(slices.Clone(parts.Libraries), sandbox.OfSystem)...)
		interpreter, err := program.Find(assets, parts.Interpreter)
		if parts.Interpreter == "" || err != nil {
			break
		}
		file = interpreter
		reads = append(append(reads, file), folderOf(file, assets, scratch)...)
	}
	return reads
}

// A stamped is a file at one moment.
type stamped struct {
	file     string
	size     int64
	modified time.Time
}

var (
	machine    = sync.OnceValue(program.ThisMachine)
	knownParts sync.Map // program.Parts by stamped
)

// partsOf returns the files of a program, nil if they cannot be found.
func partsOf(file string) program.Parts {
	info, err := os.Stat(file)
	if err != nil {
		return program.Parts{}
	}
	stamp := stamped{file, info.Size(), info.ModTime()}
	if known, ok := knownParts.Load(stamp); ok {
		return known.(program.Parts)
	}
	parts, err := program.Of(file, machine)
	if err == nil {
		knownParts.Store(stamp, parts)
	}
	return parts
}

// notStarted says of a script that could not be started in a directory for want of its
// interpreter that it was for that.
func notStarted(file, folder string, err error) error {
	interpreter := partsOf(file).Interpreter
	if !errors.Is(err, fs.ErrNotExist) || interpreter == "" {
		return err
	}
	at := interpreter
	if !filepath.IsAbs(at) {
		at = filepath.Join(folder, at)
	}
	if _, found := os.Stat(at); found == nil {
		return err
	}
	return fmt.Errorf("its first line asks for %s, which is not there; install that, or change the line", pathname.Show(interpreter))
}
