package etc2

// modifiers are how much brighter a pixel of an ETC1 half block is than its base
// color, by table and index. Source: Khronos Data Format Specification 1.4, table
// "ETC1 intensity modifier sets".
var modifiers = [8][4]int32{
	{2, 8, -2, -8}, {5, 17, -5, -17}, {9, 29, -9, -29}, {13, 42, -13, -42},
	{18, 60, -18, -60}, {24, 80, -24, -80}, {33, 106, -33, -106}, {47, 183, -47, -183},
}

// distances are the distances of the colors of T and H. Source: there, "ETC2 distance
// table".
var distances = [8]int32{3, 6, 11, 16, 23, 32, 41, 64}

// scalarModifiers are EAC's, by table and index. Source: there, "Intensity modifier sets
// for the alpha component".
var scalarModifiers = [16][8]int32{
	{-3, -6, -9, -15, 2, 5, 8, 14},
	{-3, -7, -10, -13, 2, 6, 9, 12},
	{-2, -5, -8, -13, 1, 4, 7, 12},
	{-2, -4, -6, -13, 1, 3, 5, 12},
	{-3, -6, -8, -12, 2, 5, 7, 11},
	{-3, -7, -9, -11, 2, 6, 8, 10},
	{-4, -7, -8, -11, 3, 6, 7, 10},
	{-3, -5, -8, -11, 2, 4, 7, 10},
	{-2, -6, -8, -10, 1, 5, 7, 9},
	{-2, -5, -8, -10, 1, 4, 7, 9},
	{-2, -4, -8, -10, 1, 3, 7, 9},
	{-2, -5, -7, -10, 1, 4, 6, 9},
	{-3, -4, -7, -10, 2, 3, 6, 9},
	{-1, -2, -3, -10, 0, 1, 2, 9},
	{-4, -6, -8, -9, 3, 5, 7, 8},
	{-3, -5, -7, -9, 2, 4, 6, 8},
}

// halves are the pixels of the two halves of a block: side by side, and one above the
// other.
var halves = [4][8]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15},
	{0, 1, 4, 5, 8, 9, 12, 13}, {2, 3, 6, 7, 10, 11, 14, 15},
}

// toByte cuts a value off at 0 and 255.
func toByte(v int32) int32 { return max(0, min(v, 255)) }

// widen4, widen5, widen6 and widen7 repeat high bits below.
func widen4(v uint8) int32 { return int32(v) * 17 }
func widen5(v uint8) int32 { return int32(v)<<3 | int32(v)>>2 }
func widen6(v uint8) int32 { return int32(v)<<2 | int32(v)>>4 }
func widen7(v uint8) int32 { return int32(v)<<1 | int32(v)>>6 }

// to11 takes a number of 16 bits to the nearest of 11.
func to11(v uint16) int32 { return int32((uint32(v)*2047 + 32767) / 65535) }

// from11 takes a number of 11 bits to the nearest of 16.
func from11(v int32) uint16 { return uint16((uint32(v)*65535 + 1023) / 2047) }
