//go:build !linux && !darwin

package mapped

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64, int, bool) ([]byte, func([]byte) error, error) {
	return nil, nil, errors.ErrUnsupported
}

func release([]byte, int, int) {}
