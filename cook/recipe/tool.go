package recipe

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// FindTool returns the file of one of the Tools of a recipe: absolute, or
// relative to the asset directory if it has a slash, else a program on PATH.
func FindTool(assets, name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		return filepath.Join(assets, filepath.FromSlash(name)), nil
	}
	file, err := exec.LookPath(name)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", notOnPath(name)
	case err != nil:
		return "", err
	}
	return filepath.Abs(file)
}

// notOnPath is the error for a program that is not on PATH.
type notOnPath string

func (name notOnPath) Error() string {
	return fmt.Sprintf("%s is not on PATH; install it, or give its file name with a slash", string(name))
}

func (notOnPath) Is(target error) bool { return target == fs.ErrNotExist }
