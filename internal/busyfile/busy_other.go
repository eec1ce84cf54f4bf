//go:build !windows

package busyfile

// IsBusy reports false: open files can be removed and replaced.
func IsBusy(error) bool { return false }

// LacksPosixDeletion reports false: package os needs no other deletion.
func LacksPosixDeletion(error) bool { return false }

func needsSteps(error) bool { return false }
