package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The element operators and their asynchronous variants, as steps. Their functions report to the lineage which elements
 * the stage drops.
 */
final class ElementSteps {

    private ElementSteps() {}

    /** Returns the steps that take all of their input. */
    static List<Step> whole() {
        return List.of(
                filterNot(),
                collect(),
                statefulMap(),
                scan(),
                scanAsync(),
                fold(),
                foldAsync(),
                reduce(),
                drop(0),
                drop(5),
                drop(700),
                drop(1_000_000),
                dropWhile(0),
                dropWhile(700),
                limit(1_000_000),
                limitWeighted(),
                zipWithIndex(),
                intersperse(),
                intersperseFramed(),
                deduplicate(1),
                deduplicate(20),
                deduplicate(1000),
                dropRepeated(),
                tap(),
                log());
    }

    /** Returns the steps that end before a long input. */
    static List<Step> cutting() {
        return List.of(
                take(0), take(1), take(7), take(600), takeWhile(0, false), takeWhile(300, false), takeWhile(300, true));
    }

    private static Step step(String name, Step.Staged staged, Function<List<Long>, List<Long>> model) {
        return new Step(name, true, staged, model);
    }

    private static Item sentinel(long value) {
        return Item.merged(List.of()).with(value);
    }

    static Step filterNot() {
        return step(
                "filterNot",
                (source, lineage, tick) -> source.filterNot(item -> {
                    tick.run();
                    boolean drop = item.value % 3 == 0;
                    if (drop) {
                        lineage.done(item);
                    }
                    return drop;
                }),
                values -> values.stream().filter(value -> value % 3 != 0).toList());
    }

    static Step collect() {
        return step(
                "collect",
                (source, lineage, tick) -> source.<Item>collect(item -> {
                    tick.run();
                    if (item.value % 3 == 0) {
                        lineage.done(item);
                        return null;
                    }
                    return item.with(-item.value);
                }),
                values -> values.stream()
                        .filter(value -> value % 3 != 0)
                        .map(value -> -value)
                        .toList());
    }

    /** Emits running sums at every other element, and the last sum again at the end. */
    static Step statefulMap() {
        return step(
                "statefulMap",
                (source, lineage, tick) -> source.<long[], Item>statefulMap(
                        () -> new long[2],
                        (state, item) -> {
                            tick.run();
                            state[0] += item.value;
                            if (state[1]++ % 2 == 0) {
                                lineage.done(item);
                                return null;
                            }
                            return item.with(state[0]);
                        },
                        state -> Optional.of(sentinel(state[0])),
                        state -> {}),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    long sum = 0;
                    for (int i = 0; i < values.size(); i++) {
                        sum += values.get(i);
                        if (i % 2 == 1) {
                            sums.add(sum);
                        }
                    }
                    sums.add(sum);
                    return sums;
                });
    }

    static Step scan() {
        return step(
                "scan",
                (source, lineage, tick) -> source.scan(sentinel(1), (sum, item) -> {
                    tick.run();
                    return item.with(sum.value + item.value);
                }),
                values -> {
                    List<Long> sums = new ArrayList<>(List.of(1L));
                    values.forEach(value -> sums.add(sums.getLast() + value));
                    return sums;
                });
    }

    static Step fold() {
        return step(
                "fold",
                (source, lineage, tick) -> source.fold(new ArrayList<Item>(), (members, item) -> {
                            tick.run();
                            members.add(item); // each blueprint runs once, so no other run uses this list
                            return members;
                        })
                        .map(Item::merged),
                values -> List.of(values.stream().mapToLong(value -> value).sum()));
    }

    static Step scanAsync() {
        return step(
                "scanAsync",
                (source, lineage, tick) -> source.scanAsync(sentinel(1), (sum, item) -> {
                    tick.run();
                    return answer(item.value, item.with(sum.value + item.value));
                }),
                scan().model());
    }

    static Step foldAsync() {
        return step(
                "foldAsync",
                (source, lineage, tick) -> source.foldAsync(new ArrayList<Item>(), (members, item) -> {
                            tick.run();
                            members.add(item);
                            return answer(item.value, members);
                        })
                        .map(Item::merged),
                fold().model());
    }

    /** Returns a future. Most futures are already complete; another thread completes the remaining ones. */
    private static <A> CompletableFuture<A> answer(long which, A value) {
        return which % 50 == 0
                ? CompletableFuture.supplyAsync(() -> value, Thread::startVirtualThread)
                : CompletableFuture.completedFuture(value);
    }

    static Step reduce() {
        return step(
                "reduce",
                (source, lineage, tick) -> source.map(item -> (List<Item>) new ArrayList<>(List.of(item)))
                        .reduce((members, more) -> {
                            tick.run();
                            members.addAll(more);
                            return members;
                        })
                        .map(Item::merged),
                values -> values.isEmpty()
                        ? List.of()
                        : List.of(values.stream().mapToLong(value -> value).sum()));
    }

    static Step drop(int count) {
        return step(
                "drop(" + count + ")",
                (source, lineage, tick) -> numbered(source, tick, (number, item) -> {
                            if (number < count) {
                                lineage.done(item);
                            }
                        })
                        .drop(count),
                values -> values.stream().skip(count).toList());
    }

    /** Calls {@code then} with each element and its number. */
    private static Source<Item> numbered(Source<Item> source, Runnable tick, BiConsumer<Integer, Item> then) {
        int[] next = new int[1];
        return source.tap(item -> {
            tick.run();
            then.accept(next[0]++, item);
        });
    }

    static Step dropWhile(int count) {
        return step(
                "dropWhile(" + count + ")",
                (source, lineage, tick) -> {
                    int[] seen = new int[1];
                    return source.dropWhile(item -> {
                        tick.run();
                        boolean drop = seen[0]++ < count;
                        if (drop) {
                            lineage.done(item);
                        }
                        return drop;
                    });
                },
                values -> values.stream().skip(count).toList());
    }

    static Step limit(int count) {
        return step(
                "limit(" + count + ")",
                (source, lineage, tick) -> source.tap(item -> tick.run()).limit(count),
                values -> values);
    }

    static Step take(int count) {
        return step(
                "take(" + count + ")",
                (source, lineage, tick) -> source.tap(item -> tick.run()).take(count),
                values -> values.stream().limit(count).toList());
    }

    static Step takeWhile(int count, boolean inclusive) {
        return step(
                "takeWhile(" + count + ", " + inclusive + ")",
                (source, lineage, tick) -> {
                    int[] seen = new int[1];
                    return source.takeWhile(
                            item -> {
                                tick.run();
                                return seen[0]++ < count;
                            },
                            inclusive);
                },
                values -> values.stream().limit(inclusive ? count + 1 : count).toList());
    }

    static Step limitWeighted() {
        return step(
                "limitWeighted",
                (source, lineage, tick) -> source.limitWeighted(1_000_000, item -> {
                    tick.run();
                    return Math.abs(item.value % 7);
                }),
                values -> values);
    }

    static Step zipWithIndex() {
        return step(
                "zipWithIndex",
                (source, lineage, tick) -> source.zipWithIndex().map(indexed -> {
                    tick.run();
                    return indexed.element().with(indexed.element().value * 10_000 + indexed.index());
                }),
                values -> {
                    List<Long> indexed = new ArrayList<>();
                    values.forEach(value -> indexed.add(value * 10_000 + indexed.size()));
                    return indexed;
                });
    }

    static Step intersperse() {
        return step(
                "intersperse",
                (source, lineage, tick) -> source.tap(item -> tick.run()).intersperse(sentinel(7)),
                ElementSteps::interspersed);
    }

    private static List<Long> interspersed(List<Long> values) {
        List<Long> all = new ArrayList<>();
        for (Iterator<Long> each = values.iterator(); each.hasNext(); ) {
            all.add(each.next());
            if (each.hasNext()) {
                all.add(7L);
            }
        }
        return all;
    }

    static Step intersperseFramed() {
        return step(
                "intersperse(start, end)",
                (source, lineage, tick) ->
                        source.tap(item -> tick.run()).intersperse(sentinel(1), sentinel(7), sentinel(2)),
                values -> {
                    List<Long> all = new ArrayList<>(List.of(1L));
                    all.addAll(interspersed(values));
                    all.add(2L);
                    return all;
                });
    }

    static Step deduplicate(int window) {
        return step(
                "deduplicate(" + window + ")",
                (source, lineage, tick) -> {
                    Set<Long> recent = new LinkedHashSet<>();
                    return source.deduplicate(
                            item -> {
                                tick.run();
                                if (!isNew(recent, square(item.value) % 61, window)) {
                                    lineage.done(item);
                                }
                                return square(item.value) % 61;
                            },
                            window);
                },
                values -> {
                    Set<Long> recent = new LinkedHashSet<>();
                    return values.stream()
                            .filter(value -> isNew(recent, square(value) % 61, window))
                            .toList();
                });
    }

    /** Returns the square, sometimes late. */
    private static long square(long value) {
        return value % 61 * (value % 61);
    }

    private static boolean isNew(Set<Long> recent, long key, int window) {
        boolean isNew = !recent.remove(key);
        recent.add(key);
        if (recent.size() > window) {
            recent.remove(recent.iterator().next());
        }
        return isNew;
    }

    static Step dropRepeated() {
        return step(
                "dropRepeated",
                (source, lineage, tick) -> {
                    Set<Long> last = new LinkedHashSet<>();
                    return source.dropRepeated(item -> {
                        tick.run();
                        if (!isNew(last, item.value / 3, 1)) {
                            lineage.done(item);
                        }
                        return item.value / 3;
                    });
                },
                values -> {
                    Set<Long> last = new LinkedHashSet<>();
                    return values.stream()
                            .filter(value -> isNew(last, value / 3, 1))
                            .toList();
                });
    }

    static Step tap() {
        return step("tap", (source, lineage, tick) -> source.tap(item -> tick.run()), values -> values);
    }

    static Step log() {
        return step(
                "log",
                (source, lineage, tick) -> source.tap(item -> tick.run()).log("dev.weir.test.silent"),
                values -> values);
    }
}
