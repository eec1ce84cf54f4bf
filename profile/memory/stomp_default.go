//go:build !guard

package memory

const defaultStomp = StompOff
