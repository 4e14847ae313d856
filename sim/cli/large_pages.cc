// Memory for the program `sim`: large blocks come aligned to the size of a large page and ask the kernel for such pages,
// so that a run over millions of stages does not spend a fifth of its time in page faults. Results do not depend on it.
// It must know nothing of what is stored. Only where the kernel has a say in it, and not under the sanitizers, which
// bring their own.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)

#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthIt = 2 * kLargePage;

/// Without it glibc raises the limit above which a freed block goes back to the kernel, and blocks of this size would be
/// cut out of a heap that never shrinks.
[[maybe_unused]] const int kReturned = mallopt(M_MMAP_THRESHOLD, static_cast<int>(kWorthIt));

void* allocate(std::size_t size) {
  if (size < kWorthIt) return std::malloc(size == 0 ? 1 : size);
  const std::size_t whole = (size + kLargePage - 1) / kLargePage * kLargePage;
  if (whole < size) return nullptr;
  void* const block = std::aligned_alloc(kLargePage, whole);
  if (block != nullptr) static_cast<void>(madvise(block, whole, MADV_HUGEPAGE));  // a wish: refused, nothing changes
  return block;
}

}  // namespace

// The rest of the family (arrays, sizes) is defined by the library in terms of these two.
void* operator new(std::size_t size) {
  for (;;) {
    if (void* const block = allocate(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

#endif
