//go:build !purego

#include "textflag.h"

// A store-release becomes visible after all earlier stores (Arm ARM B2.3.11).

// func setCell(c *Cell, what uint64) int64
TEXT ·setCell(SB), NOSPLIT, $0-24
	MRS	CNTVCT_EL0, R2
	MOVD	c+0(FP), R0
	MOVD	what+8(FP), R1
	ADD	$8, R0, R3
	STLR	R1, (R0)
	STLR	R2, (R3)
	MOVD	R2, ret+16(FP)
	RET

// func clearCell(c *Cell) int64
TEXT ·clearCell(SB), NOSPLIT, $0-16
	MRS	CNTVCT_EL0, R2
	MOVD	c+0(FP), R0
	ADD	$8, R0, R3
	STLR	ZR, (R3)
	MOVD	R2, ret+8(FP)
	RET
