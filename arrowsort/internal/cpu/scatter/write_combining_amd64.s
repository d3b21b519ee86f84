#include "textflag.h"

// Fields of a rowsToCombine.
#define job_dst 0
#define job_src 8
#define job_bins 16
#define job_rows 24
#define job_places 32
#define job_first 40
#define job_buffers 48
#define job_shift 56

// COMBINE collects rows of BYTES = 1<<LOG bytes in the buffers of their bins, and streams buffers that are full to their
// place. DX is the bin of the next row, R13 the end of the bins, SI the next value; BX is a bin, R11 the first byte of
// its next place, R15 its buffer, AX the byte in it. It ends before a row that fills a buffer whose lines begin in
// another bin or share.
#define COMBINE(LOG, BYTES, LOAD, STORE) \
	MOVQ    job+0(FP), R14         \
	MOVQ    job_dst(R14), DI       \
	MOVQ    job_src(R14), SI       \
	MOVQ    job_bins(R14), DX      \
	MOVQ    job_rows(R14), R13     \
	LEAQ    (DX)(R13*2), R13       \
	MOVQ    job_places(R14), R8    \
	MOVQ    job_buffers(R14), R9   \
	MOVQ    job_shift(R14), CX     \
	MOVQ    $1, R10                \
	SHLQ    CX, R10                \
	DECQ    R10                    \
row:                               \
	CMPQ    DX, R13                \
	JCC     done                   \
	MOVWLZX (DX), BX               \
	LOAD                           \
	MOVL    (R8)(BX*4), R11        \
	MOVQ    BX, R15                \
	SHLQ    CX, R15                \
	ADDQ    R9, R15                \
	SHLQ    $LOG, R11              \
	MOVQ    R11, AX                \
	ANDQ    R10, AX                \
	LEAQ    (BYTES-1)(AX), R14     \
	CMPQ    R14, R10               \
	JEQ     full                   \
	STORE                          \
	INCL    (R8)(BX*4)             \
	ADDQ    $2, DX                 \
	ADDQ    $BYTES, SI             \
	JMP     row                    \
full:                              \
	SUBQ    AX, R11                \
	MOVQ    job+0(FP), R14         \
	MOVQ    job_first(R14), R14    \
	MOVL    (R14)(BX*4), R14       \
	SHLQ    $LOG, R14              \
	CMPQ    R11, R14               \
	JCS     done                   \
	STORE                          \
	INCL    (R8)(BX*4)             \
	ADDQ    $2, DX                 \
	ADDQ    $BYTES, SI             \
	ADDQ    DI, R11                \
	LEAQ    1(R10), AX             \
line:                              \
	MOVOU   (R15), X4              \
	MOVOU   16(R15), X5            \
	MOVOU   32(R15), X6            \
	MOVOU   48(R15), X7            \
	MOVNTO  X4, (R11)              \
	MOVNTO  X5, 16(R11)            \
	MOVNTO  X6, 32(R11)            \
	MOVNTO  X7, 48(R11)            \
	ADDQ    $64, R15               \
	ADDQ    $64, R11               \
	SUBQ    $64, AX                \
	JNE     line                   \
	JMP     row                    \
done:                              \
	MOVQ    job+0(FP), R14         \
	SUBQ    job_bins(R14), DX      \
	SHRQ    $1, DX                 \
	MOVQ    DX, ret+8(FP)          \
	RET

#define LOAD1 MOVBLZX (SI), R12
#define STORE1 MOVB R12, (R15)(AX*1)

// func combine1(job *rowsToCombine) int
TEXT ·combine1(SB), NOSPLIT, $0-16
	COMBINE(0, 1, LOAD1, STORE1)

#define LOAD2 MOVWLZX (SI), R12
#define STORE2 MOVW R12, (R15)(AX*1)

// func combine2(job *rowsToCombine) int
TEXT ·combine2(SB), NOSPLIT, $0-16
	COMBINE(1, 2, LOAD2, STORE2)

#define LOAD4 MOVL (SI), R12
#define STORE4 MOVL R12, (R15)(AX*1)

// func combine4(job *rowsToCombine) int
TEXT ·combine4(SB), NOSPLIT, $0-16
	COMBINE(2, 4, LOAD4, STORE4)

#define LOAD8 MOVQ (SI), R12
#define STORE8 MOVQ R12, (R15)(AX*1)

// func combine8(job *rowsToCombine) int
TEXT ·combine8(SB), NOSPLIT, $0-16
	COMBINE(3, 8, LOAD8, STORE8)

#define LOAD16 MOVOU (SI), X0
#define STORE16 MOVOU X0, (R15)(AX*1)

// func combine16(job *rowsToCombine) int
TEXT ·combine16(SB), NOSPLIT, $0-16
	COMBINE(4, 16, LOAD16, STORE16)

#define LOAD32 MOVOU (SI), X0; MOVOU 16(SI), X1
#define STORE32 MOVOU X0, (R15)(AX*1); MOVOU X1, 16(R15)(AX*1)

// func combine32(job *rowsToCombine) int
TEXT ·combine32(SB), NOSPLIT, $0-16
	COMBINE(5, 32, LOAD32, STORE32)

// func flushLines(p unsafe.Pointer, lines int)
TEXT ·flushLines(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), DI
	MOVQ lines+8(FP), CX
flush:
	CLFLUSH (DI)
	ADDQ    $64, DI
	DECQ    CX
	JNE     flush
	MFENCE
	RET

// func streamLines(dst, src unsafe.Pointer, lines int)
TEXT ·streamLines(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ lines+16(FP), CX
stream:
	MOVOU  (SI), X0
	MOVOU  16(SI), X1
	MOVOU  32(SI), X2
	MOVOU  48(SI), X3
	MOVNTO X0, (DI)
	MOVNTO X1, 16(DI)
	MOVNTO X2, 32(DI)
	MOVNTO X3, 48(DI)
	ADDQ   $64, SI
	ADDQ   $64, DI
	DECQ   CX
	JNE    stream
	RET

// func storeFence()
TEXT ·storeFence(SB), NOSPLIT, $0-0
	SFENCE
	RET
