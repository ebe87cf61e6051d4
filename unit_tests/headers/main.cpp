// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The test is that this program, made of one source file for each header, compiles and links.
int main() {}
