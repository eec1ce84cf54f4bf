// Package machine asks the operating system for what Go does not offer: how
// much memory there is, and that everything written to a file system be on the
// disk.
package machine
