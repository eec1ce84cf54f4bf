//go:build !delays

package execute

// delayAction does nothing without the build tag delays.
func delayAction() {}
