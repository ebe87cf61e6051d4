# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# 0 seconds are one solution, as for later versions of HPCG
s/secondsPerRun\[0\] < 1/secondsPerRun[0] < 0/
