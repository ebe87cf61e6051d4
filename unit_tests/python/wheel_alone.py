# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if the installed package acc uses a library of its own or of Kokkos from outside its wheel."""
import pathlib
import re
import sys

import acc

assert acc.sum([1.0, 1e100, 1.0, -1e100], method="exact") == 2.0
maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
loaded = set(re.findall(r"/\S+\.so\S*", maps))
package = pathlib.Path(acc.__file__).resolve().parents[1]
assert any(pathlib.Path(name).is_relative_to(package) and "_acc" in name for name in loaded), loaded
outside = sorted(name for name in loaded if re.search(r"/lib(kokkos|acc|gomp|hwloc)", name)
                 and not pathlib.Path(name).is_relative_to(package))
sys.exit(f"from outside the wheel: {outside}" if outside else 0)
