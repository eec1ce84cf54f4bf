package busyfile

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether the system may have refused a call because a file is open or mapped. A
// deleted file that is still open, and a missing permission, cause the same error.
func IsBusy(err error) bool {
	var errno windows.Errno
	if !errors.As(err, &errno) {
		return false
	}
	switch errno {
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION,
		windows.ERROR_USER_MAPPED_FILE, windows.ERROR_DELETE_PENDING:
		return true
	}
	return false
}

// LacksPosixDeletion reports whether err means that the system lacks FileDispositionInformationEx.
// Wine 8 returns an error that package os does not expect.
func LacksPosixDeletion(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED)
}

// needsSteps reports whether RemoveAll failed in a way that removing each file separately may
// avoid.
func needsSteps(err error) bool {
	return LacksPosixDeletion(err) || errors.Is(err, syscall.ERROR_DIR_NOT_EMPTY)
}
