//go:build race

package smoke

const raceDetector = true
