// The device library's bitcode, as bytes of the library.
asm(R"(
  .section .rodata
  .global tilewise_device_library
  .hidden tilewise_device_library
  .global tilewise_device_library_bytes
  .hidden tilewise_device_library_bytes
  .balign 16
tilewise_device_library:
  .incbin ")" TILEWISE_DEVICE_LIBRARY R"("
tilewise_device_library_end:
  .balign 4
tilewise_device_library_bytes:
  .long tilewise_device_library_end - tilewise_device_library
  .previous
)");
