package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The operators with several outputs, as {@link Step}s. Stateless. */
final class JunctionSteps {

    private JunctionSteps() {}

    static List<Step> all() {
        return List.of(
                alsoTo(),
                wireTap(),
                divertTo(),
                broadcast(1024),
                broadcast(1),
                balance(1),
                balance(3),
                partition(1),
                partition(3),
                unzip(),
                aloneAmongEmptyInputs());
    }

    private static Item split(Lineage lineage, Runnable tick, Item item, int parts) {
        tick.run();
        lineage.split(item, parts);
        return item;
    }

    private static boolean keep(boolean keep, Lineage lineage, Item item) {
        if (!keep) {
            lineage.done(item);
        }
        return keep;
    }

    private static Step inOrder(String name, Step.Staged staged, Function<Long, Stream<Long>> model) {
        return step(name, true, staged, model);
    }

    private static Step unordered(String name, Step.Staged staged, Function<Long, Stream<Long>> model) {
        return step(name, false, staged, model);
    }

    private static Step step(String name, boolean keepsOrder, Step.Staged staged, Function<Long, Stream<Long>> model) {
        return new Step(
                name,
                keepsOrder,
                staged,
                values -> values.stream().flatMap(model).toList());
    }

    static Step alsoTo() {
        return inOrder(
                "alsoTo",
                (source, lineage, tick) -> source.map(item -> split(lineage, tick, item, 2))
                        .alsoTo(Sink.through(side -> side.async().to(Sink.forEach(lineage::done))))
                        .with(Attributes.NONE.withBuffer(10)),
                Stream::of);
    }

    static Step wireTap() {
        return inOrder(
                "wireTap",
                (source, lineage, tick) -> source.wireTap(Sink.ignore()).with(Attributes.NONE.withBuffer(10)),
                Stream::of);
    }

    static Step divertTo() {
        return inOrder(
                "divertTo",
                (source, lineage, tick) -> source.divertTo(Sink.forEach(lineage::done), item -> {
                    tick.run();
                    return item.value % 3 == 0;
                }),
                value -> value % 3 == 0 ? Stream.of() : Stream.of(value));
    }

    static Step broadcast(int buffer) {
        return unordered(
                "broadcast(" + buffer + ")",
                (source, lineage, tick) -> source.map(item -> split(lineage, tick, item, 3))
                        .broadcast(List.<Function<Source<Item>, Source<Item>>>of(
                                branch -> branch,
                                branch -> branch.map(item -> item.with(item.value + 1)),
                                branch -> branch.async().filter(item -> keep(item.value % 2 == 0, lineage, item))))
                        .with(Attributes.NONE.withBuffer(buffer)),
                value -> value % 2 == 0 ? Stream.of(value, value + 1, value) : Stream.of(value, value + 1));
    }

    static Step balance(int branches) {
        return unordered(
                "balance(" + branches + ")",
                (source, lineage, tick) -> source.balance(
                        branches,
                        branch -> branch.map(item -> {
                            tick.run();
                            return item.with(item.value + 1);
                        })),
                value -> Stream.of(value + 1));
    }

    static Step partition(int partitions) {
        return unordered(
                "partition(" + partitions + ")",
                (source, lineage, tick) -> source.partition(
                        partitions,
                        item -> {
                            tick.run();
                            return (int) (item.value % partitions);
                        },
                        branch -> branch.filter(item -> keep(item.value % 5 != 0, lineage, item))),
                value -> value % 5 != 0 ? Stream.of(value) : Stream.of());
    }

    static Step unzip() {
        return inOrder(
                "unzip",
                (source, lineage, tick) -> source.map(item -> split(lineage, tick, item, 2))
                        .unzip(
                                item -> item.with(item.value * 2),
                                item -> item.with(1),
                                (left, right) -> left.zipWith(right, (a, b) -> Item.merged(List.of(a, b)))),
                value -> Stream.of(value * 2 + 1));
    }

    /** Returns a step of operators whose other inputs are empty. */
    static Step aloneAmongEmptyInputs() {
        return inOrder(
                "alone",
                (source, lineage, tick) -> {
                    Source<Item> nothing = Source.from(List.of());
                    return source.merge(nothing, nothing)
                            .mergePreferred(nothing)
                            .mergeSorted(nothing, Comparator.comparingLong(item -> item.value))
                            .concat(nothing)
                            .prepend(nothing)
                            .orElse(nothing)
                            .interleave(nothing, 3);
                },
                Stream::of);
    }

    /** A range of values, for models. */
    static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }
}
