"""The profile of lldb-dap: C, C++, Rust and other languages compiled by LLVM."""
