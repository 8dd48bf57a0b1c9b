/* CPUID and XGETBV as calls: like the instructions they change no register but
   their outputs.  The code around has no red zone.  */

	.macro enter
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	$(16 + 512), %rsp
	andq	$-16, %rsp
	fxsave64 (%rsp)
	.endm

	.macro leave_stub
	fxrstor64 (%rsp)
	leaq	-48(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	ret
	.endm

	.text
	.hidden	probe_cpuid_stub, probe_answer_cpuid
	.globl	probe_cpuid_stub
	.type	probe_cpuid_stub, @function
probe_cpuid_stub:
	enter
	movl	%eax, %edi
	movl	%ecx, %esi
	leaq	512(%rsp), %rdx
	cld
	call	probe_answer_cpuid
	movl	512(%rsp), %eax
	movl	516(%rsp), %ebx
	movl	520(%rsp), %ecx
	movl	524(%rsp), %edx
	leave_stub
	.size	probe_cpuid_stub, . - probe_cpuid_stub

	.hidden	probe_xgetbv_stub, probe_answer_xgetbv
	.globl	probe_xgetbv_stub
	.type	probe_xgetbv_stub, @function
probe_xgetbv_stub:
	enter
	pushq	%rcx
	pushq	%rcx
	movl	%ecx, %edi
	cld
	call	probe_answer_xgetbv
	popq	%rcx
	popq	%rcx
	movq	%rax, %rdx
	shrq	$32, %rdx
	movl	%eax, %eax
	leave_stub
	.size	probe_xgetbv_stub, . - probe_xgetbv_stub

/* Trampolines that the loader chooses from (2.40 on): nothing calls them.  */
	.irp	name, runtime_resolve_fxsave, runtime_resolve_xsave, \
		runtime_resolve_xsavec, tlsdesc_dynamic_fnsave, \
		tlsdesc_dynamic_fxsave, tlsdesc_dynamic_xsave, \
		tlsdesc_dynamic_xsavec
	.globl	_dl_\name
	.hidden	_dl_\name
_dl_\name:
	.endr
	ud2

	.section .note.GNU-stack,"",@progbits
