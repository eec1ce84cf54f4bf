//go:build !windows

package busyfile

// IsBusy always returns false, because this system can remove and replace open files.
func IsBusy(error) bool { return false }

// LacksPosixDeletion always returns false, because package os can delete every file on this system.
func LacksPosixDeletion(error) bool { return false }

func needsSteps(error) bool { return false }
