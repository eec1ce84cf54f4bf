package busyfile

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether the system may have refused a call because a file is open, mapped, or
// deleted and still open. A missing permission causes the same error.
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

// LacksPosixDeletion reports whether the system lacks FileDispositionInformationEx and says so by
// an error that package os does not expect, as Wine 8 does.
func LacksPosixDeletion(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_CALL_NOT_IMPLEMENTED)
}

// needsSteps reports whether removing each file separately may succeed where RemoveAll failed.
func needsSteps(err error) bool {
	return LacksPosixDeletion(err) || errors.Is(err, syscall.ERROR_DIR_NOT_EMPTY)
}
