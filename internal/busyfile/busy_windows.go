package busyfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// IsBusy reports whether the system may have refused a call because a file is open, mapped,
// or deleted and still open. Missing permission is the same error.
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
