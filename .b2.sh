#!/bin/bash
# in the root: build .b2.cpp against the check's library
cd /acc/source
[ "$1" = lib ] && { cmake --build $ACC_BUILD/check --target acc > $ACC_BUILD/lib.log 2>&1 || { tail -30 $ACC_BUILD/lib.log; exit 1; }; }
I=$(tr ' ' '\n' < $ACC_BUILD/check/build.ninja | grep -m30 '^-I\|^-isystem' | sort -u | tr '\n' ' ')
g++ -std=c++20 -O2 -DNDEBUG -fopenmp -I/usr/include/kokkos -Icore -Ibackends -Ialgorithms -I$ACC_BUILD/check/include .b2.cpp -o $ACC_BUILD/b $ACC_BUILD/check/backends/libacc.a -lkokkoscore -lkokkoscontainers -ldl 2>&1 | grep -E "error|undefined" | head
shift
timeout 100 $ACC_BUILD/b
