"""The profile of lldb-dap: C, C++, Rust and whatever else LLVM has compiled."""
