cd /acc/source/.iwv
for h in *.hpp; do
echo "#include \"/acc/source/.iwv/$h\"" > /tmp/x.cpp
I="-std=c++20 -fopenmp -I/usr/include/kokkos -I/acc/source/core -I/acc/source/algorithms -I/acc/source/backends -I$(dirname $(dirname $(dirname $(find $ACC_BUILD -path '*acc/core/config.hpp' | head -1))))"
include-what-you-use -Xiwyu --no_fwd_decls -Xiwyu --cxx17ns -Xiwyu --check_also='*iwv*' -Xiwyu --mapping_file=/acc/source/unit_tests/headers/kokkos.imp $I -c /tmp/x.cpp >/dev/null 2>&1; echo "$h $?"
done
