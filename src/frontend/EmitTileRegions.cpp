// The sink that builds tile IR: dot, reductions, scans and structured control flow.
#include "frontend/EmitTile.h"

#include "ir/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::frontend {

static SmallVector<mlir::Value> unwrapAll(llvm::ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](const Value &value) { return EmitTile::unwrap(value); });
}

static llvm::SmallVector<Value> wrapAll(llvm::ArrayRef<Value> like, ValueRange values) {
  llvm::SmallVector<Value> result;
  for (auto [model, value] : llvm::zip(like, values))
    result.push_back(EmitTile::wrap(model.type, value));
  return result;
}

EmitTile::~EmitTile() {
  // After an error regions may be left over that use each other's values: all uses go before any
  // definition.
  for (Open &open : open_)
    open.region->dropAllReferences();
  for (auto &region : closed_)
    region->dropAllReferences();
}

llvm::SmallVector<Value> EmitTile::openRegion(llvm::ArrayRef<Type> arguments) {
  Open open{std::make_unique<mlir::Region>(), builder_.saveInsertionPoint()};
  mlir::Block &block = open.region->emplaceBlock();
  llvm::SmallVector<Value> values;
  for (const Type &type : arguments)
    values.push_back(wrap(type, block.addArgument(typeOf(type), loc_)));
  builder_.setInsertionPointToEnd(&block);
  open_.push_back(std::move(open));
  return values;
}

OpSink::Region *EmitTile::closeRegion() {
  Open open = std::move(open_.back());
  open_.pop_back();
  builder_.restoreInsertionPoint(open.outer);
  closed_.push_back(std::move(open.region));
  return reinterpret_cast<Region *>(closed_.back().get());
}

void EmitTile::dropRegion(Region *region) {
  // Values of an abandoned region may be used only inside it, so uses go before definitions.
  auto *dead = reinterpret_cast<mlir::Region *>(region);
  dead->dropAllReferences();
  llvm::erase_if(closed_, [&](const auto &owned) { return owned.get() == dead; });
}

void EmitTile::fill(mlir::Region &target, Region *region, llvm::function_ref<void()> end) {
  auto *source = reinterpret_cast<mlir::Region *>(region);
  target.takeBody(*source);
  llvm::erase_if(closed_, [&](const auto &owned) { return owned.get() == source; });
  OpBuilder::InsertionGuard guard(builder_);
  builder_.setInsertionPointToEnd(&target.front());
  end();
}

std::pair<OpSink::Region *, llvm::SmallVector<Value>> EmitTile::scalarRegion(llvm::ArrayRef<Type> scalars,
                                                                             Combine body) {
  Location loc = loc_;
  llvm::SmallVector<Value> arguments = openRegion(scalars);
  auto results = body(arguments);
  Region *region = closeRegion();
  loc_ = loc;
  if (results)
    return {region, std::move(*results)};
  dropRegion(region);
  return {nullptr, {}};
}

std::pair<OpSink::Region *, llvm::SmallVector<Value>> EmitTile::combineRegion(llvm::ArrayRef<Value> sources,
                                                                              Combine combine) {
  llvm::SmallVector<Type> scalars;
  for (int side = 0; side < 2; ++side)
    for (const Value &source : sources)
      scalars.push_back(Type(source.type.element));
  return scalarRegion(scalars, combine);
}

std::optional<llvm::SmallVector<Value>> EmitTile::reduce(llvm::ArrayRef<Value> sources, unsigned axis,
                                                         Combine combine) {
  auto [body, yields] = combineRegion(sources, combine);
  if (!body)
    return std::nullopt;
  llvm::SmallVector<Value> models(sources.begin(), sources.end());
  SmallVector<mlir::Type> types;
  for (Value &model : models) {
    model.type.shape.erase(model.type.shape.begin() + axis);
    types.push_back(typeOf(model.type));
  }
  auto op = builder_.create<tile::ReduceOp>(loc_, types, unwrapAll(sources), axis);
  fill(op.getCombine(), body, [&, &results = yields] { builder_.create<tile::YieldOp>(loc_, unwrapAll(results)); });
  return wrapAll(models, op.getResults());
}

std::optional<llvm::SmallVector<Value>> EmitTile::scan(llvm::ArrayRef<Value> sources, unsigned axis, bool reverse,
                                                       Combine combine) {
  auto [body, yields] = combineRegion(sources, combine);
  if (!body)
    return std::nullopt;
  SmallVector<mlir::Type> types = llvm::map_to_vector(sources, [&](const Value &value) { return typeOf(value.type); });
  auto op = builder_.create<tile::ScanOp>(loc_, types, unwrapAll(sources), axis, reverse);
  fill(op.getCombine(), body, [&, &results = yields] { builder_.create<tile::YieldOp>(loc_, unwrapAll(results)); });
  return wrapAll(sources, op.getResults());
}

std::optional<llvm::SmallVector<Value>> EmitTile::map(llvm::ArrayRef<Value> sources, unsigned pack, Combine body) {
  llvm::SmallVector<Type> scalars;
  for (const Value &source : sources)
    scalars.append(pack, Type(source.type.element));
  auto [region, yields] = scalarRegion(scalars, body);
  if (!region)
    return std::nullopt;
  llvm::SmallVector<Value> models;
  SmallVector<mlir::Type> types;
  for (size_t i = 0; i < yields.size(); i += pack) {
    models.push_back({sources.front().type.withElement(yields[i].type.element), nullptr});
    types.push_back(typeOf(models.back().type));
  }
  auto op = builder_.create<tile::MapOp>(loc_, types, unwrapAll(sources), pack);
  fill(op.getBody(), region, [&, &results = yields] { builder_.create<tile::YieldOp>(loc_, unwrapAll(results)); });
  return wrapAll(models, op.getResults());
}

Value EmitTile::dot(const Value &a, const Value &b, const Value &acc, DotPrecision precision) {
  static constexpr tile::Precision precisions[] = {tile::Precision::ieee, tile::Precision::tf32,
                                                   tile::Precision::tf32x3, tile::Precision::bf16x3,
                                                   tile::Precision::bf16x6};
  return make<tile::DotOp>(acc.type, typeOf(acc.type), unwrap(a), unwrap(b), unwrap(acc),
                           precisions[size_t(precision)]);
}

llvm::SmallVector<Value> EmitTile::ifElse(const Value &condition, Region *yes, llvm::ArrayRef<Value> yesYields,
                                          Region *no, llvm::ArrayRef<Value> noYields) {
  SmallVector<mlir::Type> types =
      llvm::map_to_vector(yesYields, [&](const Value &value) { return typeOf(value.type); });
  auto op = builder_.create<scf::IfOp>(loc_, types, unwrap(condition), /*addThenBlock=*/false, /*addElseBlock=*/false);
  fill(op.getThenRegion(), yes, [&] { builder_.create<scf::YieldOp>(loc_, unwrapAll(yesYields)); });
  // Without results an empty else is no else at all.
  auto *elseRegion = reinterpret_cast<mlir::Region *>(no);
  if (noYields.empty() && elseRegion->front().empty())
    dropRegion(no);
  else
    fill(op.getElseRegion(), no, [&] { builder_.create<scf::YieldOp>(loc_, unwrapAll(noYields)); });
  return wrapAll(yesYields, op.getResults());
}

llvm::SmallVector<Value> EmitTile::forLoop(const Value &lower, const Value &upper, const Value &step,
                                           llvm::ArrayRef<Value> initial, Region *body, llvm::ArrayRef<Value> yields,
                                           const LoopOptions &options) {
  auto op = builder_.create<scf::ForOp>(loc_, unwrap(lower), unwrap(upper), unwrap(step), unwrapAll(initial));
  auto number = [&](llvm::StringRef name, std::optional<int64_t> value) {
    if (value)
      op->setAttr(name, builder_.getI32IntegerAttr(int32_t(*value)));
  };
  auto flag = [&](llvm::StringRef name, bool isSet) {
    if (isSet)
      op->setAttr(name, builder_.getUnitAttr());
  };
  number("tile.num_stages", options.numStages);
  number("tile.loop_unroll_factor", options.unrollFactor);
  flag("tile.disallow_acc_multi_buffer", options.disallowAccMultiBuffer);
  flag("tile.flatten", options.flatten);
  flag("tile.warp_specialize", options.warpSpecialize);
  flag("tile.disable_licm", options.disableLicm);
  fill(op.getRegion(), body, [&] { builder_.create<scf::YieldOp>(loc_, unwrapAll(yields)); });
  return wrapAll(initial, op.getResults());
}

llvm::SmallVector<Value> EmitTile::whileLoop(llvm::ArrayRef<Value> initial, Region *test, const Value &condition,
                                             Region *body, llvm::ArrayRef<Value> yields) {
  SmallVector<mlir::Type> types = llvm::map_to_vector(initial, [&](const Value &value) { return typeOf(value.type); });
  auto op = builder_.create<scf::WhileOp>(loc_, types, unwrapAll(initial));
  auto *testRegion = reinterpret_cast<mlir::Region *>(test);
  SmallVector<mlir::Value> passed(testRegion->front().getArguments());
  fill(op.getBefore(), test, [&] { builder_.create<scf::ConditionOp>(loc_, unwrap(condition), passed); });
  fill(op.getAfter(), body, [&] { builder_.create<scf::YieldOp>(loc_, unwrapAll(yields)); });
  return wrapAll(initial, op.getResults());
}

} // namespace tilewise::frontend
