// The device code that nvcc makes of cuda.cu, as bytes. PL_FATBIN is its file.

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".globl pl_gpu_fatbin\n"
        ".hidden pl_gpu_fatbin\n"
        "pl_gpu_fatbin:\n"
        ".incbin \"" PL_FATBIN "\"\n"
        ".previous\n");
