package builtin

import "io/fs"

// inherited are the variables that programs get from the cooker's own
// environment, tempVariables those that name the scratch folder besides TMPDIR, and
// homeVariables those that do so in a sandbox.
var (
	inherited     = []string{"PATH", "HOME", "SystemRoot", "USERPROFILE"}
	tempVariables = []string{"TEMP", "TMP"}
	homeVariables = []string{"HOME", "USERPROFILE"}
)

// links returns how many names a file has, as far as is known: FileInfo does
// not say on Windows.
func links(fs.FileInfo) uint64 { return 1 }
