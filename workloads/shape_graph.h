// The stages of one generated workflow and what each needs, by its shape. Stage k of it is called sk; every need points
// to a smaller k, so that the order of the numbers is one in which they can run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/draw.h"
#include "workloads/workload.h"

namespace headroom {

/// Bounds for one generated workflow.
inline constexpr std::int64_t kMostShapeStages = 50'000'000;
inline constexpr std::int64_t kMostShapeNeeds = 200'000'000;

/// The numbers of a shape, drawn.
struct ShapeNumbers {
  std::int64_t size = 1, breadth = 1, degree = 1;
};
/// What is drawn below 1 counts as 1.
[[nodiscard]] ShapeNumbers draw_numbers(const Shape& shape, const Draws& draws, std::uint32_t workflow);
/// Saturates far above kMostShapeStages.
[[nodiscard]] std::int64_t stages_of(Shape::Kind kind, std::int64_t size, std::int64_t breadth);
/// How many needs there are, of kRandom on average. Saturates likewise.
[[nodiscard]] long double needs_of(const Shape& shape, const ShapeNumbers& numbers);
/// Stages of a workflow on average. Cost O(values that the numbers can take, of kTree and kLayered in pairs).
[[nodiscard]] long double mean_stages(const Shape& shape);

/// Kept from one workflow to the next, so that its memory is.
class ShapeGraph {
 public:
  /// `numbers` give at most kMostShapeStages and kMostShapeNeeds. Cost O(stages + needs).
  void make(const Shape& shape, const ShapeNumbers& numbers, const Draws& draws, std::uint32_t workflow);

  [[nodiscard]] std::size_t stages() const { return begin_.size() - 1; }
  /// Ascending.
  [[nodiscard]] std::span<const std::uint32_t> needs(std::size_t stage) const {
    return std::span(needs_).subspan(begin_[stage], begin_[stage + 1] - begin_[stage]);
  }

 private:
  void need(std::int64_t stage) { needs_.push_back(static_cast<std::uint32_t>(stage)); }
  void end_stage() { begin_.push_back(static_cast<std::uint32_t>(needs_.size())); }
  void fork_join(std::int64_t width);
  void layered(const ShapeNumbers& numbers, const Draws& draws, std::uint32_t workflow);
  void random(std::int64_t stages, long double probability, const Draws& draws, std::uint32_t workflow);
  void tree(std::int64_t stages, std::int64_t arity);
  void diamond(std::int64_t width);

  std::vector<std::uint32_t> begin_{0}, needs_;
};

}  // namespace headroom
