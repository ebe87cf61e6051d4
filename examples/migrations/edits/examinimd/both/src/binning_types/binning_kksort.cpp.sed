# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# for Kokkos 5, whose BinSort cannot be empty
109s/sorter = t_sorter/t_sorter sorter/
