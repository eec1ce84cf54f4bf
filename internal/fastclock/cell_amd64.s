//go:build !purego

#include "textflag.h"

// Other cores see the stores of one core in order (Intel SDM 3A 9.2.2, AMD APM 2 7.2).

// func setCell(c *Cell, what uint64) int64
TEXT ·setCell(SB), NOSPLIT, $0-24
	CMPB	·counts(SB), $0
	JEQ	generic
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	c+0(FP), CX
	MOVQ	what+8(FP), BX
	MOVQ	BX, 0(CX)
	MOVQ	AX, 8(CX)
	MOVQ	AX, ret+16(FP)
	RET
generic:
	JMP	·setCellGeneric(SB)

// func clearCell(c *Cell) int64
TEXT ·clearCell(SB), NOSPLIT, $0-16
	CMPB	·counts(SB), $0
	JEQ	generic
	RDTSC
	SHLQ	$32, DX
	ORQ	DX, AX
	MOVQ	c+0(FP), CX
	MOVQ	$0, 8(CX)
	MOVQ	AX, ret+8(FP)
	RET
generic:
	JMP	·clearCellGeneric(SB)
