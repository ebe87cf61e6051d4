# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
message(FATAL_ERROR "never read: the version is too old")
