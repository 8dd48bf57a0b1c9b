/* A correct memmove of single bytes, and others that break one property each.
   Most are wrong at one size only. planted_NAME and planted_NAME_end. */

	.text

	.macro START name
	.globl	planted_\name, planted_\name\()_end
	.type	planted_\name, @function
	.p2align 5
planted_\name:
	.endm

	.macro FINISH name
	ret
planted_\name\()_end:
	.size	planted_\name, . - planted_\name
	.endm

/* Keeps the source in r9, the destination in rax and the size in rdx. */
	.macro COPY
	mov	%rdi, %rax
	mov	%rsi, %r9
	mov	%rdx, %rcx
	cmp	%rsi, %rdi
	jb	1f
	lea	(%rsi, %rcx), %r8
	cmp	%r8, %rdi
	jae	1f
	lea	-1(%rdi, %rcx), %rdi
	lea	-1(%rsi, %rcx), %rsi
	std
	rep movsb
	cld
	jmp	2f
1:	rep movsb
2:
	.endm

/* The rest of the function up to 3: is for one size. */
	.macro AT size
	cmp	$\size, %rdx
	jne	3f
	.endm

START honest
	COPY
FINISH honest

START honest_endbr64
	endbr64
	COPY
FINISH honest_endbr64

/* content. planted_threshold is the test's. */
START wrong_byte
	COPY
	AT	100
	xorb	$1, 57(%rax)
3:
FINISH wrong_byte

START wrong_byte_twice
	COPY
	cmp	$150, %rdx
	je	4f
	AT	100
4:	xorb	$1, 57(%rax)
3:
FINISH wrong_byte_twice

START one_short_above_threshold
	mov	planted_threshold(%rip), %r10
	cmp	%r10, %rdx
	jbe	3f
	dec	%rdx
3:	COPY
FINISH one_short_above_threshold

START writes_before
	COPY
	AT	100
	notb	-1(%rax)
3:
FINISH writes_before

START changes_source
	COPY
	AT	100
	notb	200(%r9)
3:
FINISH changes_source

START writes_far
	COPY
	AT	100
	notb	0x20000(%rax)
3:
FINISH writes_far

START forward_only
	mov	%rdi, %rax
	mov	%rdx, %rcx
	rep movsb
FINISH forward_only

START crashes
	COPY
	AT	100
	ud2
3:
FINISH crashes

START crashes_twice
	COPY
	cmp	$150, %rdx
	je	4f
	AT	100
4:	ud2
3:
FINISH crashes_twice

START hangs
	COPY
	AT	100
4:	jmp	4b
3:
FINISH hangs

START jumps_away
	COPY
	AT	100
	jmp	*%rax
3:
FINISH jumps_away

START exits
	COPY
	AT	100
	mov	$231, %eax
	xor	%edi, %edi
	syscall
3:
FINISH exits

START kills
	COPY
	AT	100
	mov	$39, %eax
	syscall
	mov	%eax, %edi
	mov	$9, %esi
	mov	$62, %eax
	syscall
3:
FINISH kills

/* Over the whole stack, and what else stands above. */
START smashes_stack
	COPY
	AT	100
	lea	8(%rsp), %rdi
	mov	$0x1000000, %ecx
	rep stosb
3:
FINISH smashes_stack

/* guard_pages */
START reads_past
	COPY
	AT	100
	movzbl	100(%r9), %ecx
3:
FINISH reads_past

START reads_before
	COPY
	AT	100
	movzbl	-1(%r9), %ecx
3:
FINISH reads_before

/* accesses: in front of a page's end only, or with no change. */
START reads_past_in_page
	COPY
	AT	100
	lea	100(%r9), %rcx
	test	$0xfff, %ecx
	jz	3f
	movzbl	(%rcx), %ecx
3:
FINISH reads_past_in_page

START writes_same_past_in_page
	COPY
	AT	100
	lea	100(%rax), %rcx
	test	$0xfff, %ecx
	jz	3f
	orb	$0, (%rcx)
3:
FINISH writes_same_past_in_page

START writes_same_to_source
	COPY
	AT	100
	orb	$0, 99(%r9)
3:
FINISH writes_same_to_source

/* AVX512BW: only enabled elements count. */
START masked
	mov	%rdi, %rax
	cmp	$64, %rdx
	ja	5f
	mov	$-1, %rcx
	bzhi	%rdx, %rcx, %rcx
	kmovq	%rcx, %k1
	vmovdqu8 (%rsi), %zmm16{%k1}{z}
	vmovdqu8 %zmm16, (%rdi){%k1}
	ret
5:	COPY
FINISH masked

START masked_one_too_many
	mov	%rdi, %rax
	cmp	$63, %rdx
	jae	5f
	lea	1(%rdx), %r8
	mov	$-1, %rcx
	bzhi	%r8, %rcx, %rcx
	kmovq	%rcx, %k1
	vmovdqu8 (%rsi), %zmm16{%k1}{z}
	bzhi	%rdx, %rcx, %rcx
	kmovq	%rcx, %k1
	vmovdqu8 %zmm16, (%rdi){%k1}
	ret
5:	COPY
FINISH masked_one_too_many

/* zero_length */
START reads_at_zero
	COPY
	AT	0
	movzbl	(%r9), %ecx
3:
FINISH reads_at_zero

/* return_value */
START returns_more
	COPY
	AT	100
	inc	%rax
3:
FINISH returns_more

START mempcpy
	COPY
	add	%rdx, %rax
FINISH mempcpy

START memset
	mov	%rdi, %r9
	mov	%rdx, %rcx
	mov	%esi, %eax
	rep stosb
	mov	%r9, %rax
FINISH memset

START memset_one_short
	mov	%rdi, %r9
	mov	%rdx, %rcx
	mov	%esi, %eax
	cmp	$100, %rdx
	jne	3f
	dec	%rcx
3:	rep stosb
	mov	%r9, %rax
FINISH memset_one_short

/* registers */
	.macro REGISTER name, instruction
START \name
	COPY
	AT	100
	\instruction
3:
FINISH \name
	.endm
REGISTER clobbers_rbx, "mov %rdx, %rbx"
REGISTER clobbers_rbp, "xor %ebp, %ebp"
REGISTER clobbers_r12, "inc %r12"
REGISTER clobbers_r15, "inc %r15"
REGISTER clobbers_r11, "inc %r11"
REGISTER leaves_direction, "std"
REGISTER moves_stack, "ret $8"
REGISTER writes_stack, "movq $0, 16(%rsp)"
REGISTER uses_red_zone, "movq $0, -16(%rsp)"
REGISTER leaves_mmx, "pxor %mm0, %mm0"

START changes_mxcsr
	COPY
	AT	100
	stmxcsr	-8(%rsp)
	xorl	$0x8000, -8(%rsp)
	ldmxcsr	-8(%rsp)
3:
FINISH changes_mxcsr

START changes_x87
	COPY
	AT	100
	fnstcw	-8(%rsp)
	xorw	$0x400, -8(%rsp)
	fldcw	-8(%rsp)
3:
FINISH changes_x87

/* upper_halves */
START dirty
	COPY
	AT	100
	vxorps	%xmm0, %xmm0, %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
3:
FINISH dirty

START dirty_then_clean
	COPY
	AT	100
	vxorps	%xmm0, %xmm0, %xmm0
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
	vzeroupper
3:
FINISH dirty_then_clean

/* Where no call of ours comes. */
START dirty_at_a_tebibyte
	COPY
	mov	%rdx, %rcx
	shr	$40, %rcx
	jz	3f
	vinsertf128 $1, %xmm0, %ymm0, %ymm0
3:
FINISH dirty_at_a_tebibyte

/* store_fence */
START not_fenced
	COPY
	AT	100
	mov	(%rax), %ecx
	movnti	%ecx, (%rax)
3:
FINISH not_fenced

START not_fenced_twice
	COPY
	mov	(%rax), %ecx
	cmp	$150, %rdx
	jne	4f
	movnti	%ecx, (%rax)
	ret
4:	AT	100
	movnti	%ecx, (%rax)
3:
FINISH not_fenced_twice

START fenced
	COPY
	AT	100
	mov	(%rax), %ecx
	movnti	%ecx, (%rax)
	sfence
3:
FINISH fenced

START fenced_on_one_path
	COPY
	cmp	$8, %rdx
	jb	3f
	mov	(%rax), %ecx
	movnti	%ecx, (%rax)
	cmp	$200, %rdx
	jb	3f
	sfence
3:
FINISH fenced_on_one_path

/* The second block of a row, at a size of 100. */
	.macro COMPUTED name, fence
START \name
	COPY
	xor	%ecx, %ecx
	cmp	$100, %rdx
	sete	%cl
	shl	$5, %ecx
	lea	5f(%rip), %r8
	add	%r8, %rcx
	jmp	*%rcx
	.p2align 5
5:	jmp	3f
	.p2align 5
	mov	(%rax), %ecx
	movnti	%ecx, (%rax)
	\fence
	jmp	3f
3:
FINISH \name
	.endm
COMPUTED computed_not_fenced, nop
COMPUTED computed_fenced, sfence

/* thresholds */
	.macro NT name, change
START \name
	COPY
	mov	planted_threshold(%rip), %r10
	\change
	cmp	%r10, %rdx
	jbe	3f
	mov	(%rax), %ecx
	movnti	%ecx, (%rax)
	sfence
3:
FINISH \name
	.endm
NT nt_above_threshold, nop
NT nt_above_half_the_threshold, "shr %r10"
NT nt_above_twice_the_threshold, "shl %r10"

/* transaction */
	.macro RTM name, jump
START \name
	COPY
	xtest
	\jump	3f
	vzeroall
	ret
3:	vzeroupper
FINISH \name
	.endm
RTM asks_for_transaction, jz
RTM asks_the_wrong_way, jnz

START aborts_transactions
	COPY
	xtest
	jz	3f
	AT	100
	xabort	$1
3:
FINISH aborts_transactions

START never_asks
	COPY
	vzeroupper
FINISH never_asks

/* instruction_set */
START needs_bmi2
	COPY
	bzhi	%rdx, %rcx, %rcx
FINISH needs_bmi2

/* huge_sizes */
START truncates_size
	mov	%edx, %edx
	COPY
FINISH truncates_size

START signed_size
	test	%edx, %edx
	js	3f
	COPY
3:	mov	%rdi, %rax
FINISH signed_size

/* Right for all that 32 bits hold. */
START direction_by_32_bits
	mov	%rdi, %rax
	mov	%rdx, %rcx
	mov	%edi, %r8d
	sub	%esi, %r8d
	cmp	%rcx, %r8
	jae	3f
	lea	-1(%rdi, %rcx), %rdi
	lea	-1(%rsi, %rcx), %rsi
	std
	rep movsb
	cld
	ret
3:	rep movsb
FINISH direction_by_32_bits

/* coverage: one block that no size reaches. */
START dead_block
	COPY
	mov	%rdx, %rcx
	shr	$50, %rcx
	jz	3f
	nop
3:
FINISH dead_block

/* chk_entries, named as assemble_tree.sh does. */
	.macro CHK tree, jump
	.globl	\tree\()___memmove_planted, \tree\()___memmove_chk_planted
	.globl	\tree\()___chk_fail
	.type	\tree\()___memmove_planted, @function
	.type	\tree\()___memmove_chk_planted, @function
	.type	\tree\()___chk_fail, @function
\tree\()___chk_fail:
	ud2
\tree\()___memmove_chk_planted:
	cmp	%rdx, %rcx
	\jump	\tree\()___chk_fail
\tree\()___memmove_planted:
	COPY
	ret
	.endm
CHK chk_right, jb
CHK chk_off_by_one, jbe
CHK chk_never, jo

/* wide_entries, named alike. */
	.macro WIDE tree, change
	.globl	\tree\()___memset_planted, \tree\()___wmemset_planted
	.type	\tree\()___memset_planted, @function
	.type	\tree\()___wmemset_planted, @function
\tree\()___wmemset_planted:
	mov	%rdi, %r9
	mov	%rdx, %rcx
	\change
	mov	%esi, %eax
	rep stosl
	mov	%r9, %rax
	ret
\tree\()___memset_planted:
	mov	%rdi, %r9
	mov	%rdx, %rcx
	mov	%esi, %eax
	rep stosb
	mov	%r9, %rax
	ret
	.endm
WIDE wide_right, nop
WIDE wide_even, "btr $0, %rcx"
WIDE wide_28_bits, "and $0xfffffff, %ecx"

	.section .note.GNU-stack,"",@progbits
