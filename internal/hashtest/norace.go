//go:build !race

package hashtest

const raceDetector = false
