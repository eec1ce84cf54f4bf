package astc

import "math"

func abs(v float32) float32 {
	return math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
}

func sqrt(v float32) float32 { return float32(math.Sqrt(float64(v))) }
