# copy.S: a copy that was made for tests of patches
	.text
	.globl	copy
copy:
	movq	%rdi, %rax
	testq	%rdx, %rdx
	jz	L(done)
L(loop):
	movb	(%rsi), %cl
	movb	%cl, (%rdi)
	incq	%rsi
	incq	%rdi
	decq	%rdx
	jnz	L(loop)
L(done):
	ret

	.globl	fill
fill:
	movq	%rdi, %rax
	movq	%rdx, %rcx
	movl	%esi, %eax
	rep	stosb
	ret
