package report

import (
	"errors"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/frontend"
)

// program is printed instead of a file in diagnostics without one.
const program = "cook"

// diagnose returns the diagnostic of a failure or warning. dir is the asset directory, as the
// user gave it.
func diagnose(dir string, e *cook.Event) frontend.Diagnostic {
	d := frontend.Diagnostic{Program: program, Severity: frontend.Err, Target: e.Target}
	if e.Outcome == cook.Warned {
		d.Severity = frontend.Warning
	}
	d.File = fromWorkingDir(dir, e.Path)
	var at frontend.Placed
	if errors.As(e.Err, &at) {
		if file, _, _ := at.Place(); file != "" {
			return frontend.DiagnosePlaced(at, d.Severity)
		}
	}
	d.Line, d.Column, d.Text = cutPlace(e.Err.Error())
	return d
}

// fromWorkingDir returns the name of a source from the working directory.
func fromWorkingDir(dir, source string) string {
	if source == "" || dir == "" {
		return source
	}
	return path.Join(filepath.ToSlash(dir), source)
}

// cutPlace cuts "LINE:COLUMN: " off the beginning of a recipe's message about a source.
func cutPlace(text string) (line, column int, rest string) {
	first, after, _ := strings.Cut(text, ":")
	second, rest, ok := strings.Cut(after, ": ")
	line, errLine := strconv.Atoi(first)
	column, errColumn := strconv.Atoi(second)
	if !ok || errLine != nil || errColumn != nil || line < 1 || column < 1 {
		return 0, 0, text
	}
	return line, column, rest
}
