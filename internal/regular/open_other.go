//go:build !windows

package regular

import "os"

func openShared(name string) (*os.File, error) { return os.OpenFile(name, os.O_RDONLY|NoWait, 0) }
