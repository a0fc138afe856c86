// Dot by FMA: both operands go to shared memory; each thread then walks along k and adds outer
// products to its accumulators.
//
// Four steps of k at a time: a thread reads four neighbours of each of its rows of A and, for each
// of the four k, its columns of B, so that every read is 8 or 16 bytes. A 64x64 block on 128
// threads gives each thread 8 rows and 4 columns: 12 reads feed 128 FMAs. The walk is a loop, so
// the code's size does not grow with K.
#include "target/gpu/LayoutRules.h"
#include "target/gpu/SharedScratch.h"
#include "target/gpu/SharedTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

class FmaDot {
public:
  FmaDot(Lowering &on, tile::DotOp op)
      : on_(on), op_(op), layout_(layoutOf(op.getType())), element_(tile::elementTypeOf(op.getA().getType())),
        result_(tile::elementTypeOf(op.getType())), scratch_(scratchOf(op)) {
    // A narrow accumulator is widened for the whole walk and rounded once.
    bool narrow = isa<FloatType>(result_) && result_.getIntOrFloatBitWidth() < 32;
    sum_ = narrow ? on.builder.getF32Type() : result_;
    splitRegisters();
  }

  void run() {
    uint32_t offset = op_->getAttrOfType<IntegerAttr>(GpuDialect::kSharedAttr).getInt();
    int64_t k = tile::shapeOf(op_.getA().getType()).back();
    SharedTile a(on_, offset, element_, k, scratch_.aRowElements);
    SharedTile b(on_, offset + scratch_.bOffset, element_, layout_.shape().back(), scratch_.bRowElements);
    a.store(layoutOf(op_.getA().getType()), on_.registersOf(op_.getA()));
    b.store(layoutOf(op_.getB().getType()), on_.registersOf(op_.getB()));
    on_.barrier();

    Registers sums;
    for (Value value : on_.registersOf(op_.getAcc()))
      sums.push_back(sum_ == result_ ? value : on_.machine.convertFloat(on_, value, result_, sum_));
    sums = walk(a, b, k, std::move(sums));
    if (sum_ != result_)
      for (Value &value : sums)
        value = on_.machine.convertFloat(on_, value, sum_, result_);
    on_.set(op_, std::move(sums));
  }

private:
  /// The accumulators as rows x columns: which of them each register is. A batch is part of both:
  /// A's rows and B's are numbered through all batches.
  void splitRegisters() {
    unsigned rowDim = layout_.shape().size() - 2;
    shift_ = layout_.dimShift(rowDim);
    columnMask_ = ~layout_.dimMask(rowDim) & uint32_t(layout_.elements() - 1);
    auto indexOf = [](SmallVector<uint32_t> &list, uint32_t value) -> unsigned {
      auto found = llvm::find(list, value);
      unsigned index = found - list.begin();
      if (found == list.end())
        list.push_back(value);
      return index;
    };
    for (uint32_t reg = 0; reg < layout_.registers(); ++reg) {
      uint32_t element = layout_.element(reg);
      rowOf_.push_back(indexOf(rows_, element >> shift_));
      columnOf_.push_back(indexOf(columns_, element & columnMask_));
    }
  }

  Registers walk(SharedTile &a, SharedTile &b, int64_t k, Registers sums) {
    unsigned step = std::min<int64_t>({k, 4, 16 / elementBytes(element_)});
    SmallVector<Type> types(sums.size(), sums.front().getType());
    types.insert(types.begin(), on_.builder.getI32Type());
    Region *region = on_.builder.getBlock()->getParent();
    SmallVector<Location> locations(types.size(), on_.loc);
    OpBuilder::InsertPoint here = on_.builder.saveInsertionPoint();
    Block *body = on_.builder.createBlock(region, region->end(), types, locations);
    Block *exit = on_.builder.createBlock(region, region->end(), ArrayRef<Type>(types).drop_front(),
                                          ArrayRef<Location>(locations).drop_front());

    on_.builder.restoreInsertionPoint(here);
    Value thread = on_.threadElement(layout_);
    uint32_t threadBits = Lowering::threadBits(layout_);
    Value row = on_.make<LLVM::LShrOp>(thread, on_.i32(shift_)),
          column = on_.make<LLVM::AndOp>(thread, on_.i32(columnMask_));
    SmallVector<Value> rowStarts, columnStarts;
    for (uint32_t offset : rows_)
      rowStarts.push_back(
          on_.make<LLVM::MulOp>(on_.xorConstant(row, threadBits >> shift_, offset), on_.i32(scratch_.aRowElements)));
    unsigned run = columnRun(threadBits & columnMask_);
    for (unsigned first = 0; first < columns_.size(); first += run)
      columnStarts.push_back(startInB(on_.xorConstant(column, threadBits & columnMask_, columns_[first]), k));
    SmallVector<Value> entry = sums;
    entry.insert(entry.begin(), on_.i32(0));
    on_.builder.create<LLVM::BrOp>(on_.loc, entry, body);

    on_.builder.setInsertionPointToEnd(body);
    Value at = body->getArgument(0);
    sums.assign(body->getArguments().begin() + 1, body->getArguments().end());
    SmallVector<Registers> left;
    for (Value start : rowStarts)
      left.push_back(widened(a.loadRun(on_.make<LLVM::AddOp>(start, at), step)));
    Value bRow = on_.make<LLVM::MulOp>(at, on_.i32(scratch_.bRowElements));
    for (unsigned i = 0; i < step; ++i) {
      Registers right;
      for (Value start : columnStarts) {
        Value position = on_.make<LLVM::AddOp>(on_.make<LLVM::AddOp>(bRow, start), on_.i32(i * scratch_.bRowElements));
        llvm::append_range(right, widened(b.loadRun(position, run)));
      }
      for (auto [reg, sum] : llvm::enumerate(sums))
        sum = multiplyAdd(left[rowOf_[reg]][i], right[columnOf_[reg]], sum);
    }
    Value next = on_.make<LLVM::AddOp>(at, on_.i32(step));
    SmallVector<Value> again = sums;
    again.insert(again.begin(), next);
    on_.builder.create<LLVM::CondBrOp>(on_.loc, on_.compare(LLVM::ICmpPredicate::slt, next, on_.i32(k)), body, again,
                                       exit, sums);
    on_.builder.setInsertionPointToEnd(exit);
    return Registers(exit->getArguments().begin(), exit->getArguments().end());
  }

  /// Where a column of B, with its batch, begins.
  Value startInB(Value column, int64_t k) {
    if (layout_.shape().size() == 2)
      return column;
    Value batch = on_.make<LLVM::LShrOp>(column, on_.i32(layout_.dimShift(0)));
    Value within = on_.make<LLVM::AndOp>(column, on_.i32(layout_.shape().back() - 1));
    return on_.make<LLVM::AddOp>(within, on_.make<LLVM::MulOp>(batch, on_.i32(k * scratch_.bRowElements)));
  }

  /// How many columns in a row one read can fetch, at most 16 bytes.
  unsigned columnRun(uint32_t threadBits) const {
    unsigned run = std::min<int64_t>(std::max(1u, 16 / elementBytes(element_)), layout_.shape().back());
    while (run > 1 && !isRun(run, threadBits))
      run /= 2;
    return run;
  }

  bool isRun(unsigned run, uint32_t threadBits) const {
    if (columns_.size() % run || (threadBits & (run - 1)))
      return false;
    for (unsigned i = 0; i < columns_.size(); ++i)
      if (columns_[i] != columns_[i - i % run] + i % run || columns_[i - i % run] % run)
        return false;
    return true;
  }

  Registers widened(Registers values) {
    for (Value &value : values) {
      if (isa<FloatType>(sum_))
        value = on_.machine.convertFloat(on_, value, element_, sum_);
      else if (element_ != sum_)
        value = on_.make<LLVM::SExtOp>(sum_, value);
    }
    return values;
  }

  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(sum_))
      return on_.make<LLVM::FMAOp>(a, b, sum);
    return on_.make<LLVM::AddOp>(on_.make<LLVM::MulOp>(a, b), sum);
  }

  Lowering &on_;
  tile::DotOp op_;
  LinearLayout layout_;
  Type element_, result_, sum_;
  DotScratch scratch_;
  unsigned shift_ = 0;
  uint32_t columnMask_ = 0;
  SmallVector<uint32_t> rows_, columns_;
  SmallVector<unsigned> rowOf_, columnOf_;
};

} // namespace

LogicalResult Lowering::lowerDot(tile::DotOp op) {
  if (auto name = op->getAttrOfType<StringAttr>(GpuDialect::kMmaAttr))
    return lowerMma(op, *machine.matrixInstruction(name));
  FmaDot(*this, op).run();
  return success();
}

} // namespace tilewise::gpu
