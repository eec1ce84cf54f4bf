package confine

import (
	"errors"
	"syscall"
)

func isNotEmpty(err error) bool { return errors.Is(err, syscall.ERROR_DIR_NOT_EMPTY) }
