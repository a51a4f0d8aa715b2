package dev.weir.stream;

import dev.weir.stream.Lineage.Item;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** The operators with inner streams, as {@link Step}s. Stateless. */
final class SubstreamSteps {

    private SubstreamSteps() {}

    static List<Step> all() {
        UnaryOperator<Source<Item>> asynchronous = Source::async;
        return List.of(
                flatMap("flatMapConcat", true, Source::flatMapConcat, source -> source),
                flatMap("flatMapConcat async", true, Source::flatMapConcat, asynchronous),
                flatMap("flatMapMerge(1)", true, (s, f) -> s.flatMapMerge(1, f), source -> source),
                flatMap("flatMapMerge(3)", false, (s, f) -> s.flatMapMerge(3, f), source -> source),
                flatMap("flatMapMerge(64) async", false, (s, f) -> s.flatMapMerge(64, f), asynchronous),
                groupBy("groupBy", Duration.ZERO, source -> source),
                groupBy("groupBy evicting", Duration.ofNanos(1), source -> source),
                groupBy("groupBy async", Duration.ZERO, asynchronous),
                groupedByKey(source -> source),
                groupedByKey(asynchronous),
                split("splitWhen", false, source -> source),
                split("splitWhen async", false, asynchronous),
                split("splitAfter", true, source -> source),
                split("splitAfter async", true, asynchronous),
                prefixAndTail(0),
                prefixAndTail(3),
                prefixAndTail(1000),
                splitWithinGroups());
    }

    private static Step flatMap(
            String name,
            boolean keepsOrder,
            BiFunction<Source<Item>, Function<Item, Source<Item>>, Source<Item>> operator,
            UnaryOperator<Source<Item>> inner) {
        return new Step(
                name,
                keepsOrder,
                (source, lineage, tick) -> operator.apply(source, item -> {
                    tick.run();
                    int children = (int) (item.value % 4);
                    lineage.split(item, children);
                    return inner.apply(Source.from(IntStream.range(0, children)
                            .mapToObj(child -> item.with(item.value + child))
                            .toList()));
                }),
                values -> values.stream()
                        .flatMap(value -> JunctionSteps.range(value, value + value % 4).stream())
                        .toList());
    }

    private static Item dropped(Lineage lineage, Item item) {
        lineage.done(item);
        return item;
    }

    private static Step groupBy(String name, Duration idleAfter, UnaryOperator<Source<Item>> inner) {
        return new Step(
                name,
                false,
                (source, lineage, tick) -> source.groupBy(
                        item -> item.value % 7,
                        7,
                        idleAfter,
                        key -> inner.apply(key.map(item -> {
                                    tick.run();
                                    return item.with(item.value + 1);
                                }))
                                .filter(item -> item.value % 3 != 0 || dropped(lineage, item) == null)),
                values -> values.stream()
                        .map(value -> value + 1)
                        .filter(value -> value % 3 != 0)
                        .toList());
    }

    /** Groups by key into lists of five, and emits their sums. The last list may be shorter. */
    private static Step groupedByKey(UnaryOperator<Source<Item>> inner) {
        return new Step(
                "groupBy grouped",
                false,
                (source, lineage, tick) -> source.groupBy(
                        item -> {
                            tick.run();
                            return item.value % 7;
                        },
                        7,
                        key -> inner.apply(key.grouped(5).map(Item::merged))),
                values -> {
                    List<Long> sums = new ArrayList<>();
                    for (long key = 0; key < 7; key++) {
                        long of = key;
                        List<Long> group =
                                values.stream().filter(value -> value % 7 == of).toList();
                        sums.addAll(sums(group, 5));
                    }
                    return sums;
                });
    }

    private static List<Long> sums(List<Long> values, int size) {
        List<Long> sums = new ArrayList<>();
        for (int i = 0; i < values.size(); i += size) {
            sums.add(values.subList(i, Math.min(values.size(), i + size)).stream()
                    .mapToLong(value -> value)
                    .sum());
        }
        return sums;
    }

    /** Splits the stream, and emits the sums of three elements each. */
    private static Step split(String name, boolean after, UnaryOperator<Source<Item>> inner) {
        return new Step(
                name,
                true,
                (source, lineage, tick) -> {
                    Function<Source<Item>, Source<Item>> section =
                            part -> inner.apply(part.grouped(3).map(Item::merged));
                    return after
                            ? source.splitAfter(item -> isCut(item, tick), section)
                            : source.splitWhen(item -> isCut(item, tick), section);
                },
                values -> sections(values, after).stream()
                        .flatMap(section -> sums(section, 3).stream())
                        .toList());
    }

    private static boolean isCut(Item item, Runnable tick) {
        tick.run();
        return item.value % 5 == 0;
    }

    private static List<List<Long>> sections(List<Long> values, boolean after) {
        List<List<Long>> sections = new ArrayList<>();
        List<Long> open = new ArrayList<>();
        for (long value : values) {
            if (!after && value % 5 == 0 && !open.isEmpty()) {
                sections.add(open);
                open = new ArrayList<>();
            }
            open.add(value);
            if (after && value % 5 == 0) {
                sections.add(open);
                open = new ArrayList<>();
            }
        }
        if (!open.isEmpty()) {
            sections.add(open);
        }
        return sections;
    }

    private static Step prefixAndTail(int n) {
        return new Step(
                "prefixAndTail(" + n + ")",
                true,
                (source, lineage, tick) -> source.prefixAndTail(
                        n,
                        (prefix, tail) -> Source.from(prefix).concat(tail.map(item -> {
                            tick.run();
                            return item;
                        }))),
                values -> values);
    }

    private static Step splitWithinGroups() {
        return new Step(
                "split within groups",
                false,
                (source, lineage, tick) -> source.groupBy(
                        item -> item.value % 3,
                        3,
                        key -> key.splitWhen(
                                item -> isCut(item, tick), section -> section.flatMapConcat(item -> Source.of(item)))),
                values -> values);
    }
}
