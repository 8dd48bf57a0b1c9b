/* checks_call(): see call_variant.cc for the layout of checks_call_state, which
   is addressed absolutely because no register can be trusted afterwards. */

#define FUNCTION 0
#define FIRST 8
#define SECOND 16
#define THIRD 24
#define RESULT 32
#define PRESERVED 40            /* six registers */
#define SAVED_RSP 88
#define RSP_AFTER 96
#define FLAGS 104
#define STACK_CHANGED 112
#define IN_USE 120
#define MXCSR_BEFORE 128
#define MXCSR 132
#define X87_BEFORE 136
#define HAS_AVX 140
#define HAS_XGETBV1 144
#define X87_ENVIRONMENT 148     /* 28 bytes */
#define FOURTH 176

#define STATE(field) checks_call_state+(field)(%rip)
#define STACK_WORDS 16
#define SENTINEL 0x5aa55aa5

	.text
	.globl	checks_call
	.type	checks_call, @function
	.p2align 6
checks_call:
	.cfi_startproc
#ifdef __CET__
	endbr64
#endif
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	sub	$(8 * STACK_WORDS + 8), %rsp
	mov	$STACK_WORDS, %ecx
1:	movq	$SENTINEL, -8(%rsp, %rcx, 8)
	dec	%ecx
	jnz	1b
	mov	%rsp, STATE(SAVED_RSP)
	stmxcsr	STATE(MXCSR_BEFORE)
	fnstcw	STATE(X87_BEFORE)
	cmpl	$0, STATE(HAS_AVX)
	je	1f
	vzeroupper
1:
	mov	STATE(FIRST), %rdi
	mov	STATE(SECOND), %rsi
	mov	STATE(THIRD), %rdx
	mov	STATE(FOURTH), %rcx
	mov	$0x1b1b1b1b, %ebx
	mov	$0x2b2b2b2b, %ebp
	mov	$0x3c3c3c3c, %r12d
	mov	$0x4d4d4d4d, %r13d
	mov	$0x5e5e5e5e, %r14d
	mov	$0x6f6f6f6f, %r15d
	call	*STATE(FUNCTION)
	mov	%rsp, STATE(RSP_AFTER)
	mov	STATE(SAVED_RSP), %rsp
	pushfq
	cld
	pop	STATE(FLAGS)
	mov	%rax, STATE(RESULT)
	cmpl	$0, STATE(HAS_XGETBV1)
	je	1f
	mov	$1, %ecx
	xgetbv
	mov	%eax, STATE(IN_USE)
1:
	cmpl	$0, STATE(HAS_AVX)
	je	1f
	vzeroupper
1:
	sub	$0x1b1b1b1b, %rbx
	mov	%rbx, STATE(PRESERVED)
	sub	$0x2b2b2b2b, %rbp
	mov	%rbp, STATE(PRESERVED + 8)
	sub	$0x3c3c3c3c, %r12
	mov	%r12, STATE(PRESERVED + 16)
	sub	$0x4d4d4d4d, %r13
	mov	%r13, STATE(PRESERVED + 24)
	sub	$0x5e5e5e5e, %r14
	mov	%r14, STATE(PRESERVED + 32)
	sub	$0x6f6f6f6f, %r15
	mov	%r15, STATE(PRESERVED + 40)
	stmxcsr	STATE(MXCSR)
	ldmxcsr	STATE(MXCSR_BEFORE)
	fnstenv	STATE(X87_ENVIRONMENT)
	cmpw	$0xffff, STATE(X87_ENVIRONMENT + 8)
	je	1f
	fninit
1:	fldcw	STATE(X87_BEFORE)
	xor	%eax, %eax
	mov	$STACK_WORDS, %ecx
1:	cmpq	$SENTINEL, -8(%rsp, %rcx, 8)
	je	2f
	inc	%eax
2:	dec	%ecx
	jnz	1b
	mov	%rax, STATE(STACK_CHANGED)
	add	$(8 * STACK_WORDS + 8), %rsp
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.cfi_endproc
	.size	checks_call, . - checks_call

/* uint32_t checks_probe_upper_halves(): two bits, in use when dirty (bit 0),
   not in use after vzeroupper (bit 1). Needs AVX and xgetbv(1). */
	.globl	checks_probe_upper_halves
	.type	checks_probe_upper_halves, @function
checks_probe_upper_halves:
#ifdef __CET__
	endbr64
#endif
	vpcmpeqd %xmm0, %xmm0, %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
	mov	$1, %ecx
	xgetbv
	mov	%eax, %esi
	shr	$2, %esi
	and	$1, %esi
	vzeroupper
	mov	$1, %ecx
	xgetbv
	test	$0x44, %eax
	setz	%al
	movzbl	%al, %eax
	lea	(%rsi, %rax, 2), %eax
	ret
	.size	checks_probe_upper_halves, . - checks_probe_upper_halves

/* int checks_transact(function, first, second, third): calls it in a
   transaction; 1 when that was committed, 0 when it was aborted, and then it
   has done nothing. Needs RTM. */
	.globl	checks_transact
	.type	checks_transact, @function
checks_transact:
#ifdef __CET__
	endbr64
#endif
	push	%rbx
	mov	%rdi, %r11
	mov	%rsi, %rdi
	mov	%rdx, %rsi
	mov	%rcx, %rdx
	xbegin	1f
	call	*%r11
	xend
	mov	$1, %eax
	pop	%rbx
	ret
1:	xor	%eax, %eax
	pop	%rbx
	ret
	.size	checks_transact, . - checks_transact

/* A memset that any transaction can hold. */
	.globl	checks_plain_memset
	.type	checks_plain_memset, @function
checks_plain_memset:
#ifdef __CET__
	endbr64
#endif
	mov	%rdx, %rcx
	mov	%esi, %eax
	rep stosb
	ret
	.size	checks_plain_memset, . - checks_plain_memset

/* What is called to see whether transactions work at all. */
	.globl	checks_return
	.type	checks_return, @function
checks_return:
#ifdef __CET__
	endbr64
#endif
	ret
	.size	checks_return, . - checks_return

	.section .note.GNU-stack,"",@progbits
