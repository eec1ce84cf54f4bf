package builtin

import "io/fs"

// inherited are the variables that programs get from the environment of cook, tempVariables the
// variables besides TMPDIR that name the scratch directory, and homeVariables the variables that name it
// in a sandbox.
var (
	inherited     = []string{"PATH", "HOME", "SystemRoot", "USERPROFILE"}
	tempVariables = []string{"TEMP", "TMP"}
	homeVariables = []string{"HOME", "USERPROFILE"}
)

// links returns how many names a file has, as far as is known: FileInfo does
// not say on Windows.
func links(fs.FileInfo) uint64 { return 1 }
