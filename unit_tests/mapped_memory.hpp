// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a host that is asked of the operating system page by page (Posix). Who reads or writes
// right before or right behind it is stopped, and of a large one only the pages that are written
// take memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace acc_test {

/// `bytes` of memory, whole pages, that are 0. The page before and the page behind can be neither
/// read nor written.
class MappedMemory {
 public:
  explicit MappedMemory(std::size_t bytes)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        size_((bytes + page_ - 1) / page_ * page_),
        all_(static_cast<char*>(mmap(nullptr, size_ + 2 * page_, PROT_NONE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (all_ == MAP_FAILED) fail("mmap");
    if (size_ != 0 && mprotect(begin(), size_, PROT_READ | PROT_WRITE) != 0) fail("mprotect");
  }
  ~MappedMemory() { munmap(all_, size_ + 2 * page_); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;

  char* begin() const { return all_ + page_; }
  char* end() const { return begin() + size_; }

 private:
  [[noreturn]] static void fail(const char* call) {
    throw std::system_error(errno, std::generic_category(), call);
  }
  std::size_t page_, size_;
  char* all_;
};

}  // namespace acc_test
