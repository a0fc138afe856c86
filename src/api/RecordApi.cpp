// tw_recorder_*: kernels written in a host's own language.
#include "api/Handles.h"
#include "api/Status.h"
#include "frontend/record/Recorder.h"
#include "support/Try.h"
#include "tilewise/record.h"

using namespace tilewise;
using frontend::Recorder;

struct tw_recorder {
  std::unique_ptr<Recorder> recorder;
};

static Recorder::Place placeOf(const tw_place &place) {
  return {place.file ? place.file : "<unknown>", place.line, place.column};
}

static Result<Recorder::Item> itemOf(const tw_item &item, unsigned depth = 0) {
  using Kind = Recorder::Item::Kind;
  if (item.kind < TW_ITEM_NONE || item.kind > TW_ITEM_TUPLE)
    return launchFailure("an item of the unknown kind " + std::to_string(item.kind));
  Recorder::Item result;
  result.kind = Kind(item.kind);
  result.value = item.value;
  result.integer = item.integer;
  result.number = item.number;
  if (result.kind == Kind::Text || result.kind == Kind::Name)
    result.text = item.text ? item.text : "";
  if (result.kind != Kind::Tuple)
    return result;
  // Deeper than any shape; it bounds the recursion over what a host gives.
  if (depth == 16)
    return launchFailure("tuples inside each other, more than 16 deep");
  for (size_t i = 0; i < item.count; ++i) {
    TILEWISE_TRY(Recorder::Item one, itemOf(item.items[i], depth + 1));
    result.items.push_back(std::move(one));
  }
  return result;
}

static Result<std::vector<Recorder::Item>> itemsOf(const tw_item *items, const char *const *names, size_t count) {
  std::vector<Recorder::Item> result;
  for (size_t i = 0; i < count; ++i) {
    TILEWISE_TRY(Recorder::Item one, itemOf(items[i]));
    if (names && names[i])
      one.keyword = names[i];
    result.push_back(std::move(one));
  }
  return result;
}

static Result<void> give(Result<Recorder::Value> made, uint32_t *value) {
  if (!made)
    return made.takeFailure();
  *value = *made;
  return {};
}

tw_status tw_recorder_create(const char *kernel, tw_place place, tw_recorder **recorder) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(std::unique_ptr<Recorder> made, Recorder::create(kernel ? kernel : "", placeOf(place)));
    *recorder = new tw_recorder{std::move(made)};
    return {};
  });
}

void tw_recorder_destroy(tw_recorder *recorder) { delete recorder; }

tw_status tw_recorder_parameter(tw_recorder *recorder, const char *name, const char *annotation, tw_place place,
                                uint32_t *value) {
  return guarded([&] {
    return give(recorder->recorder->parameter(name ? name : "", annotation ? annotation : "", placeOf(place)), value);
  });
}

tw_status tw_recorder_call(tw_recorder *recorder, const char *callee, const tw_item *items, const char *const *names,
                           size_t count, tw_place place, uint32_t *value) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(auto list, itemsOf(items, names, count));
    if (!value)
      return recorder->recorder->callForEffect(callee, list, placeOf(place));
    return give(recorder->recorder->call(callee, list, placeOf(place)), value);
  });
}

tw_status tw_recorder_operator(tw_recorder *recorder, const char *spelling, const tw_item *items, size_t count,
                               tw_place place, uint32_t *value) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(auto list, itemsOf(items, nullptr, count));
    return give(recorder->recorder->apply(spelling, list, placeOf(place)), value);
  });
}

tw_status tw_recorder_assign(tw_recorder *recorder, uint32_t value, const tw_item *item, bool is_temporary,
                             tw_place place) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(Recorder::Item one, itemOf(*item));
    return recorder->recorder->assign(value, one, is_temporary, placeOf(place));
  });
}

tw_status tw_recorder_for(tw_recorder *recorder, const char *callee, const tw_item *items, const char *const *names,
                          size_t count, tw_place place, uint32_t *index) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(auto list, itemsOf(items, names, count));
    return give(recorder->recorder->beginFor(callee, list, placeOf(place)), index);
  });
}

tw_status tw_recorder_while(tw_recorder *recorder, const tw_item *condition, tw_place place) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(Recorder::Item one, itemOf(*condition));
    return recorder->recorder->beginWhile(one, placeOf(place));
  });
}

tw_status tw_recorder_if(tw_recorder *recorder, const tw_item *condition, tw_place place) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(Recorder::Item one, itemOf(*condition));
    return recorder->recorder->beginIf(one, placeOf(place));
  });
}

tw_status tw_recorder_else(tw_recorder *recorder, tw_place place) {
  return guarded([&] { return recorder->recorder->beginElse(placeOf(place)); });
}

tw_status tw_recorder_function(tw_recorder *recorder, size_t count, uint32_t *parameters, tw_place place,
                               uint32_t *function) {
  return guarded(
      [&] { return give(recorder->recorder->beginFunction({parameters, count}, placeOf(place)), function); });
}

tw_status tw_recorder_return(tw_recorder *recorder, const tw_item *items, size_t count, tw_place place) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(auto list, itemsOf(items, nullptr, count));
    return recorder->recorder->giveBack(list, placeOf(place));
  });
}

tw_status tw_recorder_end(tw_recorder *recorder) {
  return guarded([&] { return recorder->recorder->end(); });
}

tw_status tw_recorder_finish(tw_recorder *recorder, tw_source **source) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(std::string text, recorder->recorder->text());
    *source = new tw_source{Source::create(std::move(text), recorder->recorder->path(), 1)};
    return {};
  });
}

tw_status tw_recorder_text(tw_recorder *recorder, char **text) {
  return guarded([&] { return returnText(recorder->recorder->text(/*withPlaces=*/false), text); });
}
