// Memory for the program `sim`: large blocks come aligned to the size of a large page, ask the kernel for such pages,
// and are kept when they are given back, so that a run over millions of stages does not spend a fifth of its time in
// page faults. Results do not depend on it. Kept memory is let go before any more is asked for, so the program never
// takes more than the blocks that were in use at once. It must know nothing of what is stored. Only where the kernel
// has a say in it, and not under the sanitizers, which bring their own.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;
constexpr std::size_t kWorthIt = 2 * kLargePage;

/// What is smaller comes out of one heap that keeps what it has, so that a run of 100,000 stages does not ask the
/// kernel for each of its columns anew.
[[maybe_unused]] const bool kKept =
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(kWorthIt)) != 0 && mallopt(M_TRIM_THRESHOLD, 64 << 20) != 0;

struct Block {
  std::byte* at = nullptr;
  std::size_t size = 0;
};

/// A list that needs no allocation. What does not fit is not the end of the world: the callers have another way.
class Blocks {
 public:
  [[nodiscard]] bool full() const { return count_ == kMost; }
  void add(const Block& block) { blocks_[count_++] = block; }
  Block remove(Block* block) {
    const Block removed = *block;
    *block = blocks_[--count_];
    return removed;
  }
  Block* begin() { return blocks_; }
  Block* end() { return blocks_ + count_; }

 private:
  static constexpr std::size_t kMost = 1024;
  Block blocks_[kMost];
  std::size_t count_ = 0;
};

class LargeBlocks {
 public:
  /// Null if there is no memory, or no room in the lists.
  void* take(std::size_t size) {
    const std::scoped_lock lock(mutex_);
    if (used_.full()) return nullptr;
    Block block = from_kept(size);
    if (block.at == nullptr) {
      let_go(size);
      block = fresh(size);
    }
    if (block.at != nullptr) used_.add(block);
    return block.at;
  }
  /// False if the block is none of these.
  bool give_back(void* at) {
    const std::scoped_lock lock(mutex_);
    Block* const found = std::find_if(used_.begin(), used_.end(), [&](const Block& block) { return block.at == at; });
    if (found == used_.end()) return false;
    keep(used_.remove(found));
    return true;
  }

 private:
  /// The smallest that is large enough; what is left of it stays kept.
  Block from_kept(std::size_t size) {
    Block* best = nullptr;
    for (Block& block : kept_)
      if (block.size >= size && (best == nullptr || block.size < best->size)) best = &block;
    if (best == nullptr) return {};
    const Block taken{best->at, size};
    best->at += size;
    best->size -= size;
    if (best->size == 0) kept_.remove(best);
    return taken;
  }
  /// Together with its neighbours.
  void keep(Block block) {
    for (Block* other = kept_.begin(); other != kept_.end();) {
      const bool before = other->at + other->size == block.at;
      const bool behind = block.at + block.size == other->at;
      if (!before && !behind) {
        ++other;
        continue;
      }
      const Block neighbour = kept_.remove(other);
      block = {before ? neighbour.at : block.at, block.size + neighbour.size};
      other = kept_.begin();
    }
    if (kept_.full())
      munmap(block.at, block.size);
    else
      kept_.add(block);
  }
  void let_go(std::size_t size) {
    while (size > 0 && kept_.begin() != kept_.end()) {
      Block& last = *(kept_.end() - 1);
      const std::size_t part = std::min(size, last.size);
      last.size -= part;
      munmap(last.at + last.size, part);
      size -= part;
      if (last.size == 0) kept_.remove(&last);
    }
  }
  static Block fresh(std::size_t size) {
    void* const map =
        mmap(nullptr, size + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return {};
    auto* const at = static_cast<std::byte*>(map);
    const std::size_t skipped = (kLargePage - reinterpret_cast<std::uintptr_t>(at) % kLargePage) % kLargePage;
    if (skipped > 0) munmap(at, skipped);
    munmap(at + skipped + size, kLargePage - skipped);
    static_cast<void>(madvise(at + skipped, size, MADV_HUGEPAGE));  // a wish: refused, nothing changes
    return {at + skipped, size};
  }

  std::mutex mutex_;
  Blocks used_, kept_;
};

constinit LargeBlocks large_blocks;

std::size_t whole_pages(std::size_t size) { return (size + kLargePage - 1) / kLargePage * kLargePage; }

void* allocate(std::size_t size) {
  if (size < kWorthIt) return std::malloc(size == 0 ? 1 : size);
  if (size > SIZE_MAX - 2 * kLargePage) return nullptr;
  void* const block = large_blocks.take(whole_pages(size));
  return block != nullptr ? block : std::malloc(size);
}

void release(void* block) noexcept {
  const bool may_be_large = reinterpret_cast<std::uintptr_t>(block) % kLargePage == 0 && block != nullptr;
  if (!may_be_large || !large_blocks.give_back(block)) std::free(block);
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

/// Of types that are aligned to a cache line, or the like: large blocks are aligned to more than anybody asks for.
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  if (size > SIZE_MAX - 2 * kLargePage) throw std::bad_alloc();
  void* block = size >= kWorthIt && align <= kLargePage ? large_blocks.take(whole_pages(size)) : nullptr;
  if (block == nullptr) block = std::aligned_alloc(align, (std::max<std::size_t>(size, 1) + align - 1) / align * align);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }

#endif
